//! A client without a network: requests to the router, whole replies, streams and their joined replies.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use grammarc_generate::Local;
use grammarc_generate::engine::EngineOptions;
use grammarc_server::{ServerOptions, router};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::model;

/// A server over the scripted model.
#[derive(Clone)]
pub(crate) struct Server {
    router: Router,
}

/// A reply: a body of text.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    /// The body as JSON; null where it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The data of the frames of a stream, without the last `[DONE]`, and whether there was that.
    pub(crate) fn frames(&self) -> (Vec<Value>, bool) {
        let data: Vec<&str> =
            self.text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let (data, is_done) = match data.split_last() {
            Some((&"[DONE]", before)) => (before.to_vec(), true),
            _ => (data, false),
        };
        let frame = |text: &&str| {
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
        };
        (data.iter().map(frame).collect(), is_done)
    }
}

impl Server {
    pub(crate) fn new(options: ServerOptions) -> Self {
        Self::paced(options, EngineOptions { parallel: 8, ..EngineOptions::default() }, 0)
    }

    /// A server whose model takes so many milliseconds for a batch.
    pub(crate) fn paced(options: ServerOptions, engine: EngineOptions, pace: u64) -> Self {
        Self::of(model::backend(engine, Duration::from_millis(pace)), options)
    }

    /// A server over a backend.
    pub(crate) fn of(backend: Local, options: ServerOptions) -> Self {
        Self { router: router(backend, ServerOptions { model: "scripted".to_owned(), ..options }) }
    }

    /// The response to a request, its body not read.
    pub(crate) async fn send(&self, request: Request<Body>) -> axum::response::Response {
        let response = self.router.clone().oneshot(request).await;
        response.unwrap_or_else(|never| match never {})
    }

    /// The whole reply to a request.
    pub(crate) async fn ask(&self, request: Request<Body>) -> Reply {
        let response = self.send(request).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.expect("the body ends");
        let text = String::from_utf8(body.to_bytes().to_vec()).expect("bodies are text");
        Reply { status, headers, text }
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.ask(post(path, body.to_string())).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.ask(Request::get(path).body(Body::empty()).expect("a request")).await
    }

    /// The value of a counter.
    pub(crate) async fn counter(&self, name: &str) -> f64 {
        let metrics = self.get("/metrics").await.text;
        let value =
            metrics.lines().find_map(|line| line.strip_prefix(&format!("grammarc_{name} ")));
        value.unwrap_or_else(|| panic!("no {name} in {metrics}")).parse().expect("a number")
    }

    /// Waits until a counter has a value.
    pub(crate) async fn wait_for(&self, name: &str, value: f64) {
        for _ in 0..1000 {
            if self.counter(name).await == value {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{name} never reached {value}: it is {}", self.counter(name).await);
    }
}

pub(crate) fn post(path: &str, body: String) -> Request<Body> {
    Request::post(path)
        .header("content-type", "application/json")
        .body(Body::from(body))
        .expect("a request")
}

/// A chat in which the user wishes for a text.
pub(crate) fn chat(wish: &str, fields: Value) -> Value {
    let mut body =
        json!({"messages": [{"role": "user", "content": format!("⟦{wish}⟧")}], "temperature": 0});
    let Value::Object(fields) = fields else { return body };
    fields.into_iter().for_each(|(name, value)| body[name] = value);
    body
}
