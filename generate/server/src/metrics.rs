//! `GET /metrics`: counters in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::app::App;

/// The counters.
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let engine = app.backend.stats();
    let cache = app.backend.grammars().stats();
    let counters: [(&str, &str, f64); 16] = [
        ("requests_total", "Requests that began a generation", app.requests() as f64),
        ("outputs_submitted_total", "Outputs that were taken", engine.submitted as f64),
        ("outputs_finished_total", "Outputs that came to an end", engine.finished as f64),
        ("outputs_cancelled_total", "Outputs that nobody wanted any more", engine.cancelled as f64),
        ("outputs_failed_total", "Outputs that failed", engine.failed as f64),
        ("steps_total", "Batches that the model has read", engine.steps as f64),
        ("prompt_tokens_total", "Tokens of prompts", engine.prompt_tokens as f64),
        ("completion_tokens_total", "Tokens of outputs", engine.completion_tokens as f64),
        (
            "forced_tokens_total",
            "Tokens that the model was not asked for",
            engine.forced_tokens as f64,
        ),
        ("model_seconds_total", "Time within the model", engine.model_nanos as f64 / 1e9),
        (
            "decode_seconds_total",
            "Time of masks, draws and everything else about tokens",
            engine.decode_nanos as f64 / 1e9,
        ),
        ("grammar_hits_total", "Grammars that were in memory", cache.memory_hits as f64),
        ("grammar_compilations_total", "Grammars that were compiled", cache.compiled as f64),
        ("grammar_files_hits_total", "Grammars that were in the folder", cache.folder_hits as f64),
        (
            "grammar_files_deleted_total",
            "Files that were deleted to make room in the folder",
            cache.evicted_from_folder as f64,
        ),
        (
            "grammar_files_failed_total",
            "Grammars that could not be written to the folder",
            cache.not_kept as f64,
        ),
    ];
    let gauges = [
        ("outputs_waiting", "Outputs that wait for a slot", engine.waiting as f64),
        ("outputs_running", "Outputs in slots", engine.running as f64),
    ];
    let mut text = String::new();
    let mut metric = |kind: &str, (name, help, value): (&str, &str, f64)| {
        let _ = writeln!(
            text,
            "# HELP grammarc_{name} {help}\n# TYPE grammarc_{name} {kind}\ngrammarc_{name} {value}"
        );
    };
    counters.into_iter().for_each(|counter| metric("counter", counter));
    gauges.into_iter().for_each(|gauge| metric("gauge", gauge));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
