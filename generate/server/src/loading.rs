//! A server whose model is loading: it listens, and answers that it is not ready.
//!
//! ```text
//! request ─► routes of the server, once there are any ─► reply
//!         └► 503 with `Retry-After` until then
//! ```
//!
//! Clients of OpenAI's protocol repeat a request after a 503, and load balancers check `/health`. A request before the model
//! is loaded is not stored: its body is not read.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use grammarc_generate::Local;
use tower::ServiceExt;

use crate::error::ApiError;
use crate::options::ServerOptions;

/// The state of a server before its model is loaded. A clone shares it.
#[derive(Clone, Debug, Default)]
pub struct Loading {
    served: Arc<OnceLock<Router>>,
}

impl Loading {
    /// Returns the routes: all answer 503 until there is a backend, and then as [`router`](crate::router) does.
    pub fn router(&self) -> Router {
        Router::new().fallback(serve).with_state(self.clone())
    }

    /// Serves a backend from now on. Only the first call has an effect.
    pub fn finish(&self, backend: Local, options: ServerOptions) {
        // Who comes second has lost: its backend is dropped, and its engine ends.
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
