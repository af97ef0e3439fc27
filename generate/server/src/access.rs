//! Who may ask: keys, compared in constant time.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use subtle::ConstantTimeEq;

use crate::app::App;
use crate::error::ApiError;

/// Lets a request through that has one of the server's keys, or any where it has none.
pub(crate) async fn check(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let keys = &app.options.keys;
    if keys.is_empty() {
        return Ok(next.run(request).await);
    }
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    let given = given.unwrap_or_default();
    // All keys are compared, so that the time does not tell which one is near.
    let known = keys.iter().fold(0, |known, key| known | key.as_bytes().ct_eq(given).unwrap_u8());
    if known == 1 { Ok(next.run(request).await) } else { Err(ApiError::key()) }
}
