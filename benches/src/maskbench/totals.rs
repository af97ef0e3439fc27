//! Totals over all schemas.

use serde::Serialize;

use super::{Judged, TestResult};

/// Totals over all schemas.
#[derive(Debug, Default, Serialize)]
pub struct Totals {
    /// Number of schemas.
    pub schemas: usize,
    /// Number of schemas that compiled.
    pub compiled: usize,
    /// Number of compiled schemas with an approximate or narrower keyword.
    pub inexact: usize,
    /// Number of valid instances.
    pub valid: usize,
    /// Number of invalid instances.
    pub invalid: usize,
    /// Tokens of all instances.
    pub tokens: usize,
    /// Schemas that did not compile, with the reason.
    pub refused: Vec<Refused>,
    /// Wrong verdicts.
    pub wrong: Vec<Wrong>,
    /// Time of a schema's compilation.
    pub compile_us: Percentiles,
    /// Size of a schema's artifact.
    pub artifact_bytes: Percentiles,
    /// Time of a mask.
    pub mask_ns: Percentiles,
    /// Time of a filled mask.
    pub fill_ns: Percentiles,
    #[serde(skip)]
    samples: Samples,
}

/// A schema that did not compile.
#[derive(Debug, Serialize)]
pub struct Refused {
    /// Its name.
    pub id: String,
    /// Code of the first error.
    pub code: &'static str,
    /// The position of the error.
    pub pointer: Option<String>,
    /// Its text.
    pub message: String,
}

/// A wrong verdict.
#[derive(Debug, Serialize)]
pub struct Wrong {
    /// The schema's name.
    pub id: String,
    /// Index in the schema's tests.
    pub test: usize,
    /// Whether the instance is valid.
    pub valid: bool,
    /// Tokens accepted before the verdict.
    pub at: usize,
    /// Tokens of the instance.
    pub tokens: usize,
    /// Keywords of the schema that are not exact.
    pub inexact: Vec<String>,
    /// Why no verdict was reached.
    pub error: Option<String>,
}

/// Percentiles of a figure, nearest rank.
#[derive(Debug, Default, Serialize)]
pub struct Percentiles {
    /// Half are at most this.
    pub p50: f64,
    /// 90 % are at most this.
    pub p90: f64,
    /// 99 % are at most this.
    pub p99: f64,
    /// 99.9 % are at most this.
    pub p999: f64,
    /// The largest.
    pub max: f64,
}

#[derive(Debug, Default)]
struct Samples {
    compile_us: Vec<f64>,
    artifact_bytes: Vec<f64>,
    mask_ns: Vec<f64>,
    fill_ns: Vec<f64>,
}

impl Totals {
    /// Adds a schema's.
    pub fn add(&mut self, judged: Judged) {
        self.schemas += 1;
        if let Some(refusal) = judged.error {
            let (code, pointer, message) = (refusal.code, refusal.pointer, refusal.message);
            self.refused.push(Refused { id: judged.id, code, pointer, message });
            return;
        }
        self.compiled += 1;
        let inexact = judged.report.map(|report| report.inexact).unwrap_or_default();
        self.inexact += usize::from(!inexact.is_empty());
        let inexact = inexact.iter().map(|entry| format!("{} {}", entry.pointer, entry.verdict));
        let inexact: Vec<String> = inexact.collect();
        for (test, result) in judged.tests.into_iter().enumerate() {
            *(if result.valid { &mut self.valid } else { &mut self.invalid }) += 1;
            self.tokens += result.tokens;
            let TestResult { valid, accepted, tokens, refused_at, error } = result;
            if accepted != valid || error.is_some() {
                let at = refused_at.unwrap_or(tokens);
                let (id, inexact) = (judged.id.clone(), inexact.clone());
                self.wrong.push(Wrong { id, test, valid, at, tokens, inexact, error });
            }
        }
        self.samples.compile_us.push(judged.compile_us);
        self.samples.artifact_bytes.push(judged.artifact_bytes as f64);
        self.samples.mask_ns.extend(judged.mask_ns.iter().map(|&time| time as f64));
        self.samples.fill_ns.extend(judged.fill_ns.iter().map(|&time| time as f64));
    }

    /// Computes the percentiles.
    pub fn finish(&mut self) {
        self.compile_us = Percentiles::of(&mut self.samples.compile_us);
        self.artifact_bytes = Percentiles::of(&mut self.samples.artifact_bytes);
        self.mask_ns = Percentiles::of(&mut self.samples.mask_ns);
        self.fill_ns = Percentiles::of(&mut self.samples.fill_ns);
    }
}

impl Percentiles {
    /// Computes the percentiles of some samples, which are sorted in place; 0 if there are none.
    pub fn of(samples: &mut [f64]) -> Self {
        samples.sort_unstable_by(f64::total_cmp);
        let rank = |share: f64| {
            let at = (samples.len() as f64 * share).ceil() as usize;
            samples.get(at.saturating_sub(1)).copied().unwrap_or_default()
        };
        Self {
            p50: rank(0.5),
            p90: rank(0.9),
            p99: rank(0.99),
            p999: rank(0.999),
            max: samples.last().copied().unwrap_or_default(),
        }
    }
}
