//! `GET /`: a page where a person tries a schema, and sees the tokens as they come.
//!
//! One file without anything from elsewhere; what it may load and ask is this server alone.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};

/// The page.
const PAGE: &str = include_str!("page.html");

/// Nothing but what stands in the page, and requests to this server.
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
