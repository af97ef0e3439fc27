//! Access control: checks API keys in constant time, and determines the client of a request.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use grammarc_generate::fair::Client;
use subtle::ConstantTimeEq;

use crate::app::App;
use crate::connections::Connection;
use crate::error::ApiError;

/// The header in which Anthropic's clients send their key.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Accepts a request that has one of the server's keys, or any request if the server has no keys.
/// Attaches the request's [`Client`]: the one of its key, or of its address. Without a valid key,
/// fails with status 401.
pub(crate) async fn check(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let keys = &app.options.keys;
    let client = if keys.is_empty() {
        let connection = request.extensions().get::<Connection>();
        connection.map(|connection| Client::named(&connection.address())).unwrap_or_default()
    } else {
        let header = |name| request.headers().get(name).map(HeaderValue::as_bytes);
        let given = header(header::AUTHORIZATION).and_then(bearer).or_else(|| header(API_KEY));
        let given = given.ok_or_else(ApiError::key)?;
        // All keys are compared, so that the time does not reveal how many keys precede the
        // matching one.
        let equal = keys.iter().map(|key| key.as_bytes().ct_eq(given).unwrap_u8());
        if equal.fold(0, |known, equal| known | equal) != 1 {
            return Err(ApiError::key());
        }
        Client::named(&given)
    };
    request.extensions_mut().insert(client);
    Ok(next.run(request).await)
}

/// Returns the token of an `Authorization` header whose scheme is `Bearer`, in upper or lower case.
/// `None` for another scheme or an empty token.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = header.split_at_checked("bearer ".len())?;
    let token = rest.trim_ascii();
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then_some(token)
}
