//! A server whose model is still loading: it listens, and answers that it is not ready.
//!
//! ```text
//! request ─► routes of the server, once there are any ─► reply
//!         └► 503 with `Retry-After` until then
//! ```
//!
//! Clients of OpenAI's protocol repeat a request after status 503, and load balancers check
//! `/health`. A request that arrives before the model is loaded is not stored, and its body is not
//! read.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use grammarc_generate::Local;
use tower::ServiceExt;

use crate::error::ApiError;
use crate::options::ServerOptions;

/// The state of a server before and after its model is loaded. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Loading {
    served: Arc<OnceLock<Router>>,
}

impl Loading {
    /// Returns the routes. All answer with status 503 until there is a backend, and then as
    /// [`router`](crate::router) does.
    pub fn router(&self) -> Router {
        Router::new().fallback(serve).with_state(self.clone())
    }

    /// Starts serving with a backend. Only the first call has an effect.
    pub fn finish(&self, backend: Local, options: ServerOptions) {
        // On a second call, the backend is dropped, and its engine ends.
        let _ = self.served.set(crate::router(backend, options));
    }
}

async fn serve(State(loading): State<Loading>, request: Request) -> Response {
    match loading.served.get() {
        Some(router) => match router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        },
        None => ApiError::loading().into_response(),
    }
}
