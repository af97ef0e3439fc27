//! Allowed hosts: a page of another site cannot send requests in its visitor's name.
//!
//! A page can have its own name resolve to 127.0.0.1 (DNS rebinding), and then has the server's origin. Its requests
//! carry its name in `Host`. So the server only answers names that cannot be rebound: `localhost`, addresses, and
//! those of the configuration. Any page can post without reading the reply. Browsers name its origin in `Origin`,
//! which has to be the server itself or an allowed name.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::App;
use crate::error::ApiError;

/// The entry of [`ServerOptions::allowed_hosts`](crate::ServerOptions::allowed_hosts) that allows any name.
const ANY: &str = "*";

/// Accepts a request whose host is allowed. If it writes, its origin has to be allowed too.
pub(crate) async fn check(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let allowed = &app.options.allowed_hosts;
    let in_headers = request.headers().get_all(header::HOST).iter().map(text);
    let hosts: Vec<&str> =
        request.uri().authority().map(Authority::as_str).into_iter().chain(in_headers).collect();
    if let Some(host) = hosts.iter().find(|host| !is_host(host, allowed)) {
        return Err(ApiError::host(host));
    }
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    let mut origins = request.headers().get_all(header::ORIGIN).iter().map(text);
    if !reads && let Some(origin) = origins.find(|origin| !is_origin(origin, &hosts, allowed)) {
        return Err(ApiError::origin(origin));
    }
    Ok(next.run(request).await)
}

/// Returns the text of a header. Empty if the header is not visible ASCII, which no name is.
fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or_default()
}

/// Returns the host of an authority in lower case, without port, brackets and final dot. `None` if a user precedes
/// it.
fn name(authority: &str) -> Option<String> {
    let authority: Authority = authority.parse().ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let host = authority.host();
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Some(host.trim_end_matches('.').to_ascii_lowercase())
}

/// Whether a name is of this machine only, or of the configuration.
fn is_known(name: &str, allowed: &[String]) -> bool {
    let is_loopback =
        name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
    is_loopback
        || name == "localhost"
        || name.ends_with(".localhost")
        || allowed.iter().any(|known| known == ANY || known.eq_ignore_ascii_case(name))
}

/// Whether a request may name this host: any address, or a known name. DNS rebinding needs a name, so addresses are safe.
fn is_host(host: &str, allowed: &[String]) -> bool {
    name(host).is_some_and(|name| name.parse::<IpAddr>().is_ok() || is_known(&name, allowed))
        || allowed.iter().any(|known| known == ANY)
}

/// Whether a page of this origin may write: the server's own, or one of an allowed name.
fn is_origin(origin: &str, hosts: &[&str], allowed: &[String]) -> bool {
    let uri: Option<Uri> = origin.parse().ok();
    let Some(authority) = uri.as_ref().and_then(Uri::authority).map(Authority::as_str) else {
        return allowed.iter().any(|known| known == ANY);
    };
    hosts.iter().any(|host| host.eq_ignore_ascii_case(authority))
        || name(authority).is_some_and(|name| is_known(&name, allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_loopback_names_addresses_and_what_is_allowed() {
        let allowed = ["Api.Example".to_owned()];
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1:8080",
            "127.9.9.9",
            "[::1]:8080",
            "10.1.2.3:80",
            "[fe80::1]",
            "api.example",
            "api.example:443",
        ] {
            assert!(is_host(host, &allowed), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "notlocalhost",
            "127.0.0.1@evil.example",
            "localhost@evil.example:80",
            "x.api.example",
            "local host",
            "localhost/..",
        ] {
            assert!(!is_host(host, &allowed), "{host}");
        }
        assert!(is_host("evil.example", &[ANY.to_owned()]));
    }

    #[test]
    fn origins_are_the_server_itself_and_known_names() {
        let allowed = ["app.example".to_owned()];
        let of = |origin| is_origin(origin, &["10.1.2.3:8080"], &allowed);
        for origin in [
            "http://10.1.2.3:8080",
            "http://localhost:3000",
            "http://127.0.0.1:5173",
            "http://[::1]:1",
            "https://app.example",
        ] {
            assert!(of(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://10.1.2.3",
            "http://10.1.2.4:8080",
            "file://",
            "chrome-extension://abcdef",
            "http://localhost.evil.example",
            "http://localhost@evil.example",
        ] {
            assert!(!of(origin), "{origin}");
        }
    }
}
