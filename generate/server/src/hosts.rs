//! Checks allowed hosts, so that the page of another site cannot send requests on behalf of its
//! visitor.
//!
//! A page can make its own host name resolve to 127.0.0.1 (DNS rebinding). It then has the same
//! origin as the server, but its requests carry its name in `Host`. So the server only answers to
//! names that cannot be rebound: `localhost`, addresses, and names of the configuration. Besides,
//! any page can send a POST request without reading the reply. Browsers state the page's origin in
//! `Origin`, which has to be the server itself or an allowed name.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::App;
use crate::error::ApiError;

/// The entry of [`ServerOptions::allowed_hosts`](crate::ServerOptions::allowed_hosts) that allows
/// every name.
const ANY: &str = "*";

/// Accepts a request whose host is allowed. If the request is not a mere read, its origin has to be
/// allowed too. Fails with status 403 otherwise.
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

/// Returns the value of a header as text. Empty if the value is not visible ASCII, in which case it
/// is no host name.
fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or_default()
}

/// Returns the host of an authority (`host:port`) in lower case, without port, brackets and final
/// dot. `None` if the authority is invalid or contains a user name.
fn name(authority: &str) -> Option<String> {
    let authority: Authority = authority.parse().ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let host = authority.host();
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Some(host.trim_end_matches('.').to_ascii_lowercase())
}

/// Whether a name always denotes this machine, or is allowed by the configuration.
fn is_known(name: &str, allowed: &[String]) -> bool {
    let is_loopback =
        name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
    is_loopback
        || name == "localhost"
        || name.ends_with(".localhost")
        || allowed.iter().any(|known| known == ANY || known.eq_ignore_ascii_case(name))
}

/// Whether a request may have this host: an address, or a known name. DNS rebinding needs a name,
/// so addresses are safe.
fn is_host(host: &str, allowed: &[String]) -> bool {
    name(host).is_some_and(|name| name.parse::<IpAddr>().is_ok() || is_known(&name, allowed))
        || allowed.iter().any(|known| known == ANY)
}

/// Whether a page of this origin may send requests that are not mere reads. It may if the origin is
/// the server's own or has an allowed name.
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
