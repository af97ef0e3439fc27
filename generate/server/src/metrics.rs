//! Counters and histograms in the text format of `OpenMetrics`, which Prometheus reads.
//!
//! The counters of the engine and of the cache are read for each reply to `/metrics`. The others
//! are counted here: when requests and outputs end, and when texts are repaired. docs/serve.md
//! lists all metrics.

use std::time::Duration;

use axum::http::StatusCode;
use grammarc_compiler::cache::CacheStats;
use grammarc_generate::Finish;
use grammarc_generate::engine::EngineStats;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// Prefix of all metric names.
const PREFIX: &str = "grammarc";

/// The labels of a metric, as pairs of name and value.
type Labels<const N: usize> = [(&'static str, String); N];

/// A group of counters, one for each value of a label.
type ByLabel = Family<Labels<1>, Counter>;

/// The metrics that the server itself counts.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Labels<2>, Counter>,
    request_seconds: Family<Labels<1>, Histogram, fn() -> Histogram>,
    first_event_seconds: Histogram,
    ends: ByLabel,
    refusals: ByLabel,
    repairs: ByLabel,
    invalid: Counter,
}

/// Returns a histogram of times in seconds. Its 20 buckets extend from a millisecond to nine
/// minutes, each twice the one before.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.0, 20))
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix(PREFIX),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(seconds),
            first_event_seconds: seconds(),
            ends: ByLabel::default(),
            refusals: ByLabel::default(),
            repairs: ByLabel::default(),
            invalid: Counter::default(),
        };
        let registry = &mut metrics.registry;
        let help = "Requests, by route and status";
        registry.register("http_requests", help, metrics.requests.clone());
        let help = "Time from a request's head to the end of its reply, in seconds";
        registry.register("http_request_seconds", help, metrics.request_seconds.clone());
        let help = "Time from an output's place in the queue to its first event, in seconds";
        registry.register("first_event_seconds", help, metrics.first_event_seconds.clone());
        registry.register("outputs_ended", "Ends of outputs, by reason", metrics.ends.clone());
        let help = "Requests that were refused, by the code of the error";
        registry.register("refusals", help, metrics.refusals.clone());
        let help = "Texts that were to be repaired, by what became of them";
        registry.register("repairs", help, metrics.repairs.clone());
        let help = "Outputs of a schema that ended by themselves and are no instances of it";
        registry.register("outputs_invalid", help, metrics.invalid.clone());
        metrics
    }

    /// Counts a reply that has ended, and records its duration.
    pub(crate) fn request(&self, route: &str, status: StatusCode, time: Duration) {
        let route = || ("route", route.to_owned());
        let labels = [route(), ("status", status.as_str().to_owned())];
        self.requests.get_or_create(&labels).inc();
        self.request_seconds.get_or_create(&[route()]).observe(time.as_secs_f64());
    }

    /// Records the time from the queuing of an output to its first event.
    pub(crate) fn first_event(&self, time: Duration) {
        self.first_event_seconds.observe(time.as_secs_f64());
    }

    /// Counts the end of an output under its reason.
    pub(crate) fn end(&self, finish: &Finish) {
        let reason = match finish {
            Finish::Stop => "stop",
            Finish::StopString(_) => "stop_string",
            Finish::Unlikely => "unlikely",
            Finish::Length { closed: false } => "length",
            Finish::Length { closed: true } => "closed",
            Finish::Deadline => "deadline",
            Finish::Cancelled => "cancelled",
        };
        count(&self.ends, "reason", reason);
    }

    /// Counts a rejected request, or a streamed reply that ended with an error, under the error's
    /// code.
    pub(crate) fn refusal(&self, code: &'static str) {
        count(&self.refusals, "code", code);
    }

    /// Counts a request for a repair under its outcome.
    pub(crate) fn repair(&self, outcome: &'static str) {
        count(&self.repairs, "outcome", outcome);
    }

    /// Counts an output that violates its schema.
    pub(crate) fn invalid(&self) {
        self.invalid.inc();
    }

    /// Returns all metrics in the text format, including those of the snapshot.
    pub(crate) fn text(&self, snapshot: Snapshot) -> String {
        let mut now = Registry::with_prefix(PREFIX);
        now.register_collector(Box::new(snapshot));
        let mut text = String::new();
        let registries = [&now, &self.registry].into_iter();
        let written = registries.map(|registry| encode_registry(&mut text, registry));
        written
            .collect::<Result<(), _>>()
            .and_then(|()| encode_eof(&mut text))
            .expect("a string takes any text");
        text
    }
}

/// The media type of the text format.
pub(crate) const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

fn count(family: &ByLabel, label: &'static str, value: &'static str) {
    family.get_or_create(&[(label, value.to_owned())]).inc();
}

/// The counters of the engine and the cache at one point in time.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) engine: EngineStats,
    pub(crate) cache: CacheStats,
    /// Number of requests that asked for outputs.
    pub(crate) requests: u64,
}

impl Collector for Snapshot {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let Self { engine, cache, requests } = self;
        let counters = [
            ("requests", "Requests that began a generation", *requests),
            ("outputs_submitted", "Outputs that were taken", engine.submitted),
            ("outputs_finished", "Outputs that came to an end", engine.finished),
            ("outputs_cancelled", "Outputs that nobody wanted any more", engine.cancelled),
            ("outputs_failed", "Outputs that failed", engine.failed),
            ("steps", "Batches that the model has read", engine.steps),
            ("prompt_tokens", "Tokens of prompts", engine.prompt_tokens),
            ("completion_tokens", "Tokens of outputs", engine.completion_tokens),
            ("forced_tokens", "Tokens that the model was not asked for", engine.forced_tokens),
            ("grammar_hits", "Grammars that were in memory", cache.memory_hits),
            ("grammar_compilations", "Grammars that were compiled", cache.compiled),
            ("grammar_files_hits", "Grammars that were in the folder", cache.folder_hits),
            (
                "grammar_files_deleted",
                "Files that were deleted to make room in the folder",
                cache.evicted_from_folder,
            ),
            (
                "grammar_files_failed",
                "Grammars that could not be written to the folder",
                cache.not_kept,
            ),
        ];
        for (name, help, value) in counters {
            write(&mut encoder, name, help, &ConstCounter::new(value))?;
        }
        let help = "Time within the model, in seconds";
        let model = ConstCounter::new(engine.model_nanos as f64 / 1e9);
        write(&mut encoder, "model_seconds", help, &model)?;
        let help = "Time of masks, draws and everything else about tokens, in seconds";
        let decode = ConstCounter::new(engine.decode_nanos as f64 / 1e9);
        write(&mut encoder, "decode_seconds", help, &decode)?;
        let gauges = [
            ("outputs_waiting", "Outputs that wait for a slot", engine.waiting),
            ("outputs_running", "Outputs in slots", engine.running),
        ];
        for (name, help, value) in gauges {
            write(&mut encoder, name, help, &ConstGauge::new(value as i64))?;
        }
        Ok(())
    }
}

fn write(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    metric: &impl EncodeMetric,
) -> Result<(), std::fmt::Error> {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}
