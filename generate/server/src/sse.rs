//! Server-sent events: merges the outputs of one request, and writes them in the frames of a
//! protocol.
//!
//! There is no buffer between the engine's channel of an output and the client. A slow client stops
//! the channel, and a closed connection drops it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use async_channel::Receiver;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use futures_util::stream::{self, BoxStream};
use grammarc_generate::engine::StreamItem;
use grammarc_generate::local::Received;
use grammarc_generate::output::{Collector, Output};
use grammarc_generate::{Event, Finish, GenerateError};
use serde_json::Value;
use tokio::time::Instant;

use crate::app::Started;
use crate::error::ApiError;

/// How a protocol writes the events of outputs as frames.
pub(crate) trait Framing: Send + 'static {
    /// Returns the frames before all events.
    fn begin(&mut self) -> String;
    /// Returns the frames for an event of the output with the index `choice`.
    fn event(&mut self, choice: u32, event: Event) -> String;
    /// Takes how the calls of loosened tools violate their schemas, before the last event of an output.
    fn violations(&mut self, _choice: u32, _violations: String) {}
    /// Returns the frames after the last event of all outputs.
    fn end(&mut self) -> String;
    /// Returns the frame for an error, which ends the stream.
    fn error(&mut self, error: &ApiError) -> String {
        data(&error.to_json())
    }
}

/// Returns a frame with JSON data.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// Returns a frame with an event name and JSON data.
pub(crate) fn named(name: &str, value: &Value) -> String {
    format!("event: {name}\ndata: {value}\n\n")
}

enum State<F> {
    Begin(F, Started),
    Going(F, BoxStream<'static, (u32, Converted)>),
    Over,
}

/// Time after the deadline within which an output may still send its first event.
const GRACE: Duration = Duration::from_secs(1);

/// Returns the events of one output. If the output has no token when its deadline passes, it fails,
/// even if it is still queued.
fn received(
    receiver: Receiver<StreamItem>,
    deadline: Option<Instant>,
) -> BoxStream<'static, Result<Event, GenerateError>> {
    let late = deadline.map(|deadline| deadline + GRACE);
    let events =
        stream::unfold((Received::new(receiver), late), |(mut received, late)| async move {
            let event = match late {
                Some(late) => match tokio::time::timeout_at(late, received.next()).await {
                    Ok(event) => event,
                    Err(_) => Some(Err(GenerateError::Late)),
                },
                None => received.next().await,
            };
            let event = match event {
                Some(Ok(Event::Finished(end)))
                    if end.finish == Finish::Deadline && end.usage.completion_tokens == 0 =>
                {
                    Err(GenerateError::Late)
                }
                other => other?,
            };
            Some((event, (received, None)))
        });
    // An error is always the last item.
    let ended = |is_over: &mut bool, event: Result<Event, GenerateError>| {
        let is_last = std::mem::replace(is_over, event.is_err());
        std::future::ready((!is_last).then_some(event))
    };
    events.scan(false, ended).boxed()
}

/// An event in the client's form. The last one of an output comes with how calls of loosened tools violate their
/// schemas.
type Converted = Result<(Event, Option<String>), GenerateError>;

/// Returns the event stream of each output, with tool calls in the client's form. Also records
/// metrics and counts tokens for the log.
fn converted(started: Started) -> impl Iterator<Item = BoxStream<'static, Converted>> {
    let Started { receivers, deadline, calls, record, metrics, began, loosened, .. } = started;
    receivers.into_iter().map(move |receiver| {
        let (mut stage, record, metrics) = (calls.stage(), record.clone(), Arc::clone(&metrics));
        let mut check = loosened.check();
        let mut is_first = true;
        let events = received(receiver, deadline).flat_map(move |event| {
            if std::mem::replace(&mut is_first, false) {
                metrics.first_event(began.elapsed());
            }
            if let Ok(Event::Finished(end)) = &event {
                metrics.end(&end.finish);
                record.add_completion(end.usage.completion_tokens);
            }
            let events = match event {
                Ok(event) => {
                    let events = stage.events(event).into_iter();
                    let checked = events.map(|event| {
                        let violations = check.event(&event);
                        if violations.is_some() {
                            metrics.invalid();
                        }
                        Ok((event, violations))
                    });
                    checked.collect()
                }
                Err(error) => vec![Err(error)],
            };
            stream::iter(events)
        });
        events.boxed()
    })
}

/// Returns the response that streams the outputs of a request.
pub(crate) fn response<F: Framing>(framing: F, started: Started) -> Response {
    let metrics = Arc::clone(&started.metrics);
    let frames = stream::unfold(State::Begin(framing, started), move |state| {
        let metrics = Arc::clone(&metrics);
        async move {
            match state {
                State::Begin(mut framing, started) => {
                    let choices = (0..)
                        .zip(converted(started))
                        .map(|(choice, events)| events.map(move |event| (choice, event)).boxed());
                    let all = stream::select_all(choices).boxed();
                    Some((framing.begin(), State::Going(framing, all)))
                }
                State::Going(mut framing, mut all) => match all.next().await {
                    Some((choice, Ok((event, violations)))) => {
                        if let Some(violations) = violations {
                            framing.violations(choice, violations);
                        }
                        let frames = framing.event(choice, event);
                        Some((frames, State::Going(framing, all)))
                    }
                    Some((_, Err(error))) => {
                        let error = ApiError::from(error);
                        metrics.refusal(error.code());
                        Some((framing.error(&error), State::Over))
                    }
                    None => Some((framing.end(), State::Over)),
                },
                State::Over => None,
            }
        }
    });
    let frames = frames.filter(|frame| std::future::ready(!frame.is_empty()));
    let mut response = Response::new(Body::from_stream(
        frames.map(|frame| Ok::<_, Infallible>(Bytes::from(frame))),
    ));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// A complete output, with how calls of loosened tools violate their schemas.
pub(crate) struct Whole {
    pub(crate) output: Output,
    pub(crate) violations: Option<String>,
}

/// Waits for the complete outputs of a request. They are read concurrently, so that no output waits
/// for its reader.
pub(crate) async fn collect(started: Started) -> Result<Vec<Whole>, ApiError> {
    let outputs = converted(started).map(|mut events| async move {
        let (mut collector, mut last) = (Collector::default(), None);
        while let Some(event) = events.next().await {
            let (event, violations) = event?;
            collector.push(event);
            last = violations;
        }
        let output = collector.finish().ok_or(GenerateError::Closed)?;
        Ok::<_, GenerateError>(Whole { output, violations: last })
    });
    Ok(try_join_all(outputs).await?)
}
