//! The endpoint `GET /`: a page for trying a schema, which shows the tokens as they are generated.
//!
//! The page is one file. It loads data only from this server, and sends data only to it.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};

/// The HTML of the page.
const PAGE: &str = include_str!("page.html");

/// Content security policy: allows the page's own content only, and requests to this server only.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Serves the page.
pub(crate) async fn page() -> Response {
    let headers: [(HeaderName, HeaderValue); 3] = [
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (headers, Html(PAGE)).into_response()
}
