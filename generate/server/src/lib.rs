//! An HTTP server for generation under grammars, in OpenAI's protocol.
//!
//! | path | contents |
//! | --- | --- |
//! | `POST /v1/chat/completions`, `/v1/completions`, `/v1/responses` | outputs, whole or streamed |
//! | `POST /v1/messages`, `/v1/messages/count_tokens` | outputs, token counts; Anthropic's protocol |
//! | `GET /v1/models`, `/v1/models/{id}`, `/health`, `/metrics` | the model, whether the server is ready, metrics |
//! | `POST /tokenize`, `/detokenize` | conversion between texts and tokens |
//! | `POST /v1/grammars` | compiles a grammar for later requests, and returns the report |
//! | `POST /v1/repair` | repairs a text that is nearly JSON |
//! | `GET /v1/prompts`, `POST /v1/prompts/{id}` | the prompts of the configuration, and responses to them |
//! | `GET /` | a web page for trying a schema |
//!
//! ```text
//! body ─ fields ─► sampling, constraint, messages ─► app.start: compile, then a slot ─► events ─► reply or sse
//! ```
//!
//! A request compiles its grammar before it takes a slot of the engine. Compilations run in a few
//! turns, which are shared fairly between clients. So a hostile schema only delays other
//! compilations of its own client. It delays no request without a grammar or with a cached grammar.
//! The engine's events alone determine the reply: an incomplete call is not returned as a call, and
//! the finish reason is the engine's.
//!
//! Tests: `tests/protocol`; `tests/clients` with client libraries of other projects.

mod access;
mod anthropic;
mod app;
mod artifacts;
mod body;
mod calls;
mod chat;
mod compiling;
mod completions;
mod connections;
mod constraint;
mod delivery;
mod error;
mod fields;
mod functions;
mod hosts;
mod listen;
mod loading;
mod log;
mod loosened;
mod messages;
mod metrics;
mod options;
mod page;
mod priority;
mod prompts;
mod reply;
mod responses;
mod sampling;
mod schemas;
mod source_limits;
mod sse;
mod tools;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use grammarc_generate::Local;

use crate::app::App;

pub use crate::listen::{ListenOptions, Listener};
pub use crate::loading::Loading;
pub use crate::options::{OptionError, RequestLimits, ServerOptions};

/// Returns the routes of a server that uses a backend.
pub fn router(backend: Local, options: ServerOptions) -> Router {
    let body_bytes = options.limits.body_bytes;
    let app = Arc::new(App::new(backend, options));
    let guarded = Router::new()
        .route("/v1/chat/completions", post(chat::serve))
        .route("/v1/completions", post(completions::serve))
        .route("/v1/responses", post(responses::serve))
        .route("/v1/messages", post(anthropic::serve))
        .route("/v1/messages/count_tokens", post(anthropic::count_tokens))
        .route("/v1/models", get(tools::models))
        .route("/v1/models/{*id}", get(tools::model))
        .route("/v1/grammars", post(tools::grammars))
        .route("/v1/schemas/{question}", post(schemas::serve))
        .route("/v1/repair", post(tools::repair))
        .route("/v1/prompts", get(prompts::list))
        .route("/v1/prompts/{id}", post(prompts::serve))
        .route("/tokenize", post(tools::tokenize))
        .route("/detokenize", post(tools::detokenize))
        .route("/metrics", get(tools::metrics))
        .route_layer(axum::middleware::from_fn_with_state(Arc::clone(&app), access::check));
    Router::new()
        .route("/", get(page::page))
        .route("/health", get(tools::health))
        .merge(guarded)
        .fallback(body::no_path)
        .method_not_allowed_fallback(body::no_method)
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&app), hosts::check))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&app.metrics), log::record))
        .layer(DefaultBodyLimit::max(body_bytes))
        .with_state(app)
}

/// Runs a server until the future `end` is ready. Requests in progress may then finish within
/// [`ListenOptions::drain_time`].
pub async fn serve(
    listener: impl Into<Listener>,
    backend: Local,
    options: ServerOptions,
    end: impl Future<Output = ()>,
) {
    listen::serve(listener.into(), router(backend, options), end).await;
}

/// The reason why [`serve_loading`] failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError<E> {
    /// The listening socket failed.
    #[error(transparent)]
    Listener(#[from] std::io::Error),
    /// The function `load` or `ready` returned an error.
    #[error("{0}")]
    Load(E),
}

/// Listens at once, and serves as soon as a backend is loaded. Until then, every request is
/// answered with status 503 and `Retry-After`.
///
/// `load` runs on a thread of its own, and `ready` is called when it has returned. If `end` is
/// ready first, the thread still continues until `load` returns.
///
/// # Errors
///
/// The listening socket, `load` or `ready` fails.
pub async fn serve_loading<E: Send + 'static>(
    listener: impl Into<Listener>,
    load: impl FnOnce() -> Result<(Local, ServerOptions), E> + Send + 'static,
    ready: impl FnOnce() -> Result<(), E>,
    end: impl Future<Output = ()>,
) -> Result<(), ServeError<E>> {
    let listener = listener.into();
    let address = listener.socket.local_addr()?;
    tracing::info!(%address, "listening; the model is loading");
    let loading = Loading::default();
    let mut serving = pin!(listen::serve(listener, loading.router(), end));
    let loaded = tokio::select! {
        () = &mut serving => return Ok(()),
        loaded = tokio::task::spawn_blocking(load) => loaded,
    };
    let loaded = loaded.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
    let (backend, options) = loaded.map_err(ServeError::Load)?;
    loading.finish(backend, options);
    ready().map_err(ServeError::Load)?;
    serving.await;
    Ok(())
}
