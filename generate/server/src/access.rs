//! Access control: keys, compared in constant time, and the client of a request.

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

/// The header for keys of Anthropic's clients.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Accepts a request with one of the server's keys, or any request if the server has no keys. Attaches its
/// [`Client`]: that of its key, or of its address.
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
        // All keys are compared, so that the time does not reveal a similar one.
        let equal = keys.iter().map(|key| key.as_bytes().ct_eq(given).unwrap_u8());
        if equal.fold(0, |known, equal| known | equal) != 1 {
            return Err(ApiError::key());
        }
        Client::named(&given)
    };
    request.extensions_mut().insert(client);
    Ok(next.run(request).await)
}

/// Returns the token of an `Authorization` header with the scheme `Bearer`, in any case. `None` if the token is
/// empty.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = header.split_at_checked("bearer ".len())?;
    let token = rest.trim_ascii();
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then_some(token)
}
