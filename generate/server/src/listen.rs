//! The listener: accepts connections, limits their number and time, and closes them when the server
//! ends.
//!
//! ```text
//! accept ─► a place among the connections ─► hyper: head within its time ─► router, which reads the body within its own
//! end ─► no new connections ─► those that wait are closed ─► those that are served, at the latest after the time to drain
//! ```

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower::ServiceExt;

use crate::connections::{Bounds, Connections, Place};

/// Pause after an error of accepting a connection, for example when no file descriptor is left.
const PAUSE: Duration = Duration::from_millis(500);

/// Time that connections without a complete request are given when the server ends.
const LINGER: Duration = Duration::from_secs(1);

/// Limits on the connections of a server.
#[derive(Clone, Copy, Debug)]
pub struct ListenOptions {
    /// Maximum number of open connections. At most three quarters of the file descriptors that the
    /// process may have are used.
    pub connections: usize,
    /// Maximum number of open connections of one address. For IPv6, of one /64 network. Behind a
    /// proxy, all clients have the proxy's address.
    pub connections_of_address: usize,
    /// Time limit for the head of a request, from the start of the connection or the end of the
    /// previous request.
    pub head_time: Duration,
    /// Time that requests in progress are given to finish when the server ends.
    pub drain_time: Duration,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            connections: 1024,
            connections_of_address: 256,
            head_time: Duration::from_secs(30),
            drain_time: Duration::from_secs(30),
        }
    }
}

impl ListenOptions {
    fn bounds(&self) -> Bounds {
        let all = self.connections.min(descriptors() / 4 * 3).max(2);
        if all < self.connections {
            tracing::info!(
                connections = all,
                "fewer connections than asked for: descriptors are few"
            );
        }
        Bounds { all, of_address: self.connections_of_address.clamp(1, all) }
    }
}

/// A listening socket with the limits on its connections.
#[derive(Debug)]
pub struct Listener {
    /// The listening socket.
    pub socket: TcpListener,
    /// The limits on its connections.
    pub options: ListenOptions,
}

impl From<TcpListener> for Listener {
    fn from(socket: TcpListener) -> Self {
        Self { socket, options: ListenOptions::default() }
    }
}

/// Runs the server until the future `end` is ready. Requests in progress may then finish within
/// [`ListenOptions::drain_time`].
pub(crate) async fn serve(listener: Listener, router: Router, end: impl Future<Output = ()>) {
    let Listener { socket, options } = listener;
    let connections = Connections::new(options.bounds());
    let (drain, draining) = watch::channel(false);
    let mut end = pin!(end);
    loop {
        let (stream, address) = tokio::select! {
            () = &mut end => break,
            accepted = accept(&socket) => accepted,
        };
        let place = tokio::select! {
            () = &mut end => break,
            place = connections.place(address) => place,
        };
        if let Some(place) = place {
            let served =
                connection(stream, place, router.clone(), options.head_time, draining.clone());
            tokio::spawn(served);
        }
    }
    drop(socket);
    drain.send_replace(true);
    if tokio::time::timeout(LINGER, connections.emptied()).await.is_ok() {
        return;
    }
    connections.close(false);
    let left = options.drain_time.saturating_sub(LINGER);
    if tokio::time::timeout(left, connections.emptied()).await.is_err() {
        tracing::warn!(open = connections.len(), "requests under way are given up");
        connections.close(true);
    }
}

/// Waits for the next connection, and returns it with the client's address. Retries after errors.
async fn accept(socket: &TcpListener) -> (TcpStream, std::net::IpAddr) {
    loop {
        match socket.accept().await {
            Ok((stream, address)) => return (stream, address.ip()),
            // The client has already disconnected.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::warn!(%error, "no connection could be taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Serves a connection to its end, or until it is closed in favour of another or because the server
/// ends.
async fn connection(
    stream: TcpStream,
    place: Place,
    router: Router,
    head_time: Duration,
    mut draining: watch::Receiver<bool>,
) {
    let handle = place.connection().clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(handle.clone());
        let router = router.clone();
        async move { Ok::<Response, Infallible>(answer(router, request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_time);
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), service));
    let mut is_draining = false;
    loop {
        tokio::select! {
            // An error on a connection concerns its client only.
            _ = served.as_mut() => return,
            () = place.closed() => return,
            _ = draining.wait_for(|is_draining| *is_draining), if !is_draining => {
                is_draining = true;
                served.as_mut().graceful_shutdown();
            }
        }
    }
}

async fn answer(router: Router, request: hyper::Request<Incoming>) -> Response {
    match router.oneshot(request.map(Body::new)).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Returns the maximum number of file descriptors of this process.
fn descriptors() -> usize {
    #[cfg(unix)]
    {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
    }
    #[cfg(not(unix))]
    usize::MAX
}
