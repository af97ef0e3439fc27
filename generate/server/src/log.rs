//! The log: one line for each request, at the end of its reply or connection. No line contains
//! prompts, answers or keys.
//!
//! ```text
//! request ─► a record in its extensions ─► endpoint: id, tokens ─► body sent or dropped ─► the line
//! ```
//!
//! Writing the line also ends the time in which the connection counts as served.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::connections::Connection;
use crate::error::Code;
use crate::metrics::Metrics;

/// The data about a request that its log line shows. Clones share the data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record(Arc<LogFields>);

#[derive(Debug, Default)]
struct LogFields {
    id: OnceLock<String>,
    prompt_tokens: AtomicUsize,
    completion_tokens: AtomicUsize,
}

impl Record {
    /// Sets the id of the reply. Only the first call has an effect.
    pub(crate) fn set_id(&self, id: String) {
        let _ = self.0.id.set(id);
    }

    pub(crate) fn add_prompt(&self, tokens: usize) {
        self.0.prompt_tokens.fetch_add(tokens, Ordering::Relaxed);
    }

    pub(crate) fn add_completion(&self, tokens: usize) {
        self.0.completion_tokens.fetch_add(tokens, Ordering::Relaxed);
    }
}

/// A log line, written when this value is dropped.
struct Line {
    record: Record,
    /// The path pattern of the route. The log contains no part of a path that the client chose.
    route: Option<MatchedPath>,
    status: StatusCode,
    began: Instant,
    metrics: Arc<Metrics>,
    /// The connection of the client. `None` without a network, as in tests.
    connection: Option<Connection>,
    /// Whether the whole reply was passed on to the connection.
    is_sent: bool,
}

impl Drop for Line {
    fn drop(&mut self) {
        let LogFields { id, prompt_tokens, completion_tokens } = &*self.record.0;
        tracing::info!(
            target: "grammarc_server::requests",
            id = id.get().map_or("-", String::as_str),
            route = self.route.as_ref().map_or("-", MatchedPath::as_str),
            status = self.status.as_u16(),
            prompt_tokens = prompt_tokens.load(Ordering::Relaxed),
            completion_tokens = completion_tokens.load(Ordering::Relaxed),
            milliseconds = self.began.elapsed().as_millis() as u64,
            left = !self.is_sent,
        );
        let route = self.route.as_ref().map_or("-", MatchedPath::as_str);
        self.metrics.request(route, self.status, self.began.elapsed());
        if let Some(connection) = &self.connection {
            connection.set_served(false);
        }
    }
}

/// Attaches a record to a request, and writes its log line after the reply.
pub(crate) async fn record(
    State(metrics): State<Arc<Metrics>>,
    mut request: Request,
    next: Next,
) -> Response {
    let record = Record::default();
    request.extensions_mut().insert(record.clone());
    let route = request.extensions().get::<MatchedPath>().cloned();
    // If a client leaves before the reply begins, the line is dropped in this state.
    let (status, began) = (StatusCode::OK, Instant::now());
    let connection = request.extensions().get::<Connection>().cloned();
    let mut line = Line { record, route, status, began, metrics, connection, is_sent: false };
    let response = next.run(request).await;
    if let Some(Code(code)) = response.extensions().get() {
        line.metrics.refusal(code);
    }
    line.status = response.status();
    response.map(|body| Body::new(Logged { body, line }))
}

/// A response body that writes its log line when it is dropped.
struct Logged {
    body: Body,
    line: Line,
}

impl HttpBody for Logged {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        self.line.is_sent |= frame.is_none() || self.body.is_end_stream();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
