//! A compiler for one vocabulary, as hosts ask for it: a language by name, options as JSON text, limits for each request.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::settings::{Language, Settings, deny};
use grammarc_compiler::masks::MaskLimits;
use grammarc_compiler::network::NetworkLimits;
use grammarc_runtime::{Grammar, Vocabulary};

use crate::failure::{Failure, Kind};

/// What one compilation may take; unset fields have the compiler's defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Bytes of tables and automata.
    pub memory: Option<usize>,
    /// States of the network.
    pub states: Option<usize>,
    /// Rules of the network.
    pub rules: Option<usize>,
    /// Pairs of a return state and an exit class.
    pub pairs: Option<usize>,
}

impl Limits {
    /// These, and where they say nothing, others.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            time: self.time.or(other.time),
            memory: self.memory.or(other.memory),
            states: self.states.or(other.states),
            rules: self.rules.or(other.rules),
            pairs: self.pairs.or(other.pairs),
        }
    }

    fn options(self) -> CompileOptions {
        let network = NetworkLimits::default();
        let masks = MaskLimits::default();
        let network = NetworkLimits {
            states: self.states.unwrap_or(network.states),
            rules: self.rules.unwrap_or(network.rules),
            ..network
        };
        let masks = MaskLimits { pairs: self.pairs.unwrap_or(masks.pairs), ..masks };
        CompileOptions::default().network_limits(network).mask_limits(masks)
    }
}

/// A source to compile.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// Name of its language: see [`Language::named`].
    pub language: &'r str,
    /// Its text.
    pub text: &'r str,
    /// Options of the front end, as a JSON object or empty. See [`Settings::read`].
    pub options: &'r str,
    /// What it may take.
    pub limits: Limits,
    /// Ends the compilation soon after it is set.
    pub cancel: Option<&'r Arc<AtomicBool>>,
}

/// A compiled source.
#[derive(Debug)]
pub struct Made {
    /// The grammar.
    pub grammar: Grammar,
    /// Findings that did not stop the compilation.
    pub findings: Vec<Diagnostic>,
}

/// Counters of an engine since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Sources compiled.
    pub compiled: u64,
    /// Sources refused for errors or limits on size.
    pub refused: u64,
    /// Compilations that ran out of time.
    pub timeouts: u64,
    /// Compilations that their caller cancelled.
    pub cancelled: u64,
    /// Seconds spent on compiling, on all threads that asked.
    pub seconds: f64,
    /// Bytes of the artifacts made.
    pub bytes: u64,
}

#[derive(Debug, Default)]
struct Counters {
    compiled: AtomicU64,
    refused: AtomicU64,
    timeouts: AtomicU64,
    cancelled: AtomicU64,
    nanoseconds: AtomicU64,
    bytes: AtomicU64,
}

/// A compiler for one vocabulary, shared by any number of threads.
pub struct Engine {
    compiler: Compiler,
    vocabulary: Vocabulary,
    limits: Limits,
    counters: Counters,
}

impl Engine {
    /// An engine on so many threads; on as many as there are processors where it is not said. `limits` hold where a request
    /// sets none.
    pub fn new(vocabulary: Vocabulary, threads: Option<NonZero<usize>>, limits: Limits) -> Self {
        let compiler = Compiler::on_threads(vocabulary.artifact().clone(), threads);
        Self { compiler, vocabulary, limits, counters: Counters::default() }
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Compiles a source.
    ///
    /// # Errors
    ///
    /// The language or an option has no such name, the source has errors, or a limit was met.
    pub fn compile(&self, request: &Request<'_>) -> Result<Made, Failure> {
        let started = Instant::now();
        let made = self.compile_uncounted(request);
        let spent = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.counters.nanoseconds.fetch_add(spent, Ordering::Relaxed);
        let counter = match &made {
            Ok(made) => {
                let bytes = made.grammar.artifact().container().buffer().len() as u64;
                self.counters.bytes.fetch_add(bytes, Ordering::Relaxed);
                &self.counters.compiled
            }
            Err(failure) => match failure.kind() {
                Kind::Timeout => &self.counters.timeouts,
                Kind::Cancelled => &self.counters.cancelled,
                _ => &self.counters.refused,
            },
        };
        counter.fetch_add(1, Ordering::Relaxed);
        made
    }

    fn compile_uncounted(&self, request: &Request<'_>) -> Result<Made, Failure> {
        let Settings { front_end, deny } = settings(request)?;
        let limits = request.limits.or(self.limits);
        let mut budget = Budget::new();
        if let Some(time) = limits.time {
            budget = budget.time_limit(time);
        }
        if let Some(memory) = limits.memory {
            budget = budget.memory_limit(memory);
        }
        if let Some(flag) = request.cancel {
            budget = budget.cancel_flag(Arc::clone(flag));
        }
        let source = Source::new(format!("<{}>", front_end.kind()), request.text);
        let refused = |diagnostics| Failure::Source { source_text: source.clone(), diagnostics };
        let lowered = front_end.lower(source.clone(), &budget).map_err(refused)?;
        let denied = deny::refusals(&lowered, &deny);
        if !denied.is_empty() {
            return Err(refused(denied));
        }
        let mut options = limits.options();
        for (name, value) in front_end.recorded() {
            options = options.record(name, value);
        }
        let failed =
            |error: grammarc_compiler::compile::CompileError| refused(vec![error.to_diagnostic()]);
        let compiled = self.compiler.compile(&lowered, front_end.kind(), &options, &budget);
        let compiled = compiled.map_err(failed)?;
        let artifact = compiled.to_sealed_artifact(&self.compiler).map_err(failed)?;
        let findings = lowered.findings.into_iter().chain(compiled.findings).collect();
        Ok(Made { grammar: Grammar::from_artifact(artifact), findings })
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            compiled: read(&self.counters.compiled),
            refused: read(&self.counters.refused),
            timeouts: read(&self.counters.timeouts),
            cancelled: read(&self.counters.cancelled),
            seconds: Duration::from_nanos(read(&self.counters.nanoseconds)).as_secs_f64(),
            bytes: read(&self.counters.bytes),
        }
    }
}

/// The settings of a request.
fn settings(request: &Request<'_>) -> Result<Settings, Failure> {
    let language = Language::named(request.language).ok_or_else(|| {
        let known: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
        let known = known.join(", ");
        Failure::Argument(format!("no language `{}`; there are {known}", request.language))
    })?;
    Settings::read(language, request.options).map_err(|error| Failure::Argument(error.to_string()))
}
