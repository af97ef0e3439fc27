//! A compiler for one vocabulary, for hosts: takes a language by name, options as JSON text, and limits for each
//! request.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::cache::{Beginning, Cache, CacheError, CacheStats, Cached, Key, Origin};
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::report::Report;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::deny::{Deny, denied};
use grammarc_compiler::frontend::settings::{Language, Settings};
use grammarc_compiler::masks::MaskLimits;
use grammarc_compiler::network::NetworkLimits;
use grammarc_runtime::{Grammar, Vocabulary};

use crate::failure::Failure;
use crate::progress::Progress;

/// The limits of one compilation; unset fields have the compiler's defaults.
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
    /// Returns these limits, with unset fields from `other`.
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
    /// The limits of the compilation.
    pub limits: Limits,
    /// Ends the compilation soon after it is set.
    pub cancel: Option<&'r Arc<AtomicBool>>,
}

/// When the masks of a grammar are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Masks {
    /// Before the grammar is returned.
    #[default]
    First,
    /// By another thread. The grammar is returned as soon as there is a network.
    Later,
    /// Not at all: for readers of outputs. Such a grammar is not cached.
    Never,
}

/// A compiled source.
#[derive(Debug)]
pub struct Made {
    /// The grammar.
    pub grammar: Grammar,
    /// Findings that did not stop the compilation. Empty if another process compiled the grammar.
    pub findings: Vec<Diagnostic>,
    /// Whether this request compiled it.
    pub compiled: bool,
    /// The computation of its masks, if the grammar is [early](Grammar::early).
    pub progress: Option<Progress>,
}

/// A compiler for one vocabulary with its cache, shared by any number of threads.
pub struct Engine {
    compiler: Arc<Compiler>,
    vocabulary: Vocabulary,
    limits: Limits,
    cache: Cache,
}

impl Engine {
    /// Returns an engine with `threads` threads, by default one a processor. `limits` apply where a request sets
    /// none.
    pub fn new(
        vocabulary: Vocabulary,
        threads: Option<NonZero<usize>>,
        limits: Limits,
        cache: Cache,
    ) -> Self {
        let compiler = Arc::new(Compiler::on_threads(vocabulary.artifact().clone(), threads));
        Self { compiler, vocabulary, limits, cache }
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Compiles a source, or returns its grammar from the cache. A grammar from the cache has its masks, whatever
    /// `masks` is.
    ///
    /// # Errors
    ///
    /// The language or an option is unknown, the source has errors, or a limit was met. Limits that masks meet are errors
    /// with [`Masks::First`] only.
    pub fn compile(&self, request: &Request<'_>, masks: Masks) -> Result<Made, Failure> {
        let Asked { settings: Settings { front_end, deny }, source, options } =
            self.ask(request)?;
        let budget = self.budget(request);
        let (compiler, cache) = (&self.compiler, &self.cache);
        let pending = match masks {
            Masks::First => {
                let cached = cache.get_or_compile(compiler, &front_end, &source, &options, &budget);
                return whole(cached.map_err(refused(&source))?, &source, &deny);
            }
            Masks::Later | Masks::Never => {
                let begun = cache.get_or_begin(compiler, &front_end, &source, &options, budget);
                match begun.map_err(refused(&source))? {
                    Beginning::Whole(cached) => return whole(cached, &source, &deny),
                    Beginning::Early(pending) => pending,
                }
            }
        };
        check_denied(pending.report(), &source, &deny)?;
        let findings = pending.findings().cloned().collect();
        let grammar = Grammar::early(pending.early().clone());
        let progress = match masks {
            Masks::Never => Progress::never(source),
            _ => Progress::start(*pending, grammar.clone(), source),
        };
        Ok(Made { grammar, findings, compiled: true, progress: Some(progress) })
    }

    fn budget(&self, request: &Request<'_>) -> Budget {
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
        budget
    }

    /// Returns the key of a request, in hexadecimal. Requests with equal keys have equal results.
    ///
    /// # Errors
    ///
    /// The language or an option is unknown.
    pub fn key(&self, request: &Request<'_>) -> Result<String, Failure> {
        let Asked { settings, source, options } = self.ask(request)?;
        let vocabulary = self.vocabulary.artifact();
        Ok(Key::new(vocabulary, &settings.front_end, &source, &options).to_string())
    }

    /// Returns the counters of the cache.
    pub fn stats(&self) -> CacheStats {
        self.cache.stats()
    }

    fn ask(&self, request: &Request<'_>) -> Result<Asked, Failure> {
        let settings = settings(request)?;
        let source = Source::new(format!("<{}>", settings.front_end.kind()), request.text);
        let mut options = request.limits.or(self.limits).options();
        for (name, value) in settings.front_end.recorded() {
            options = options.record(name, value);
        }
        Ok(Asked { settings, source, options })
    }
}

/// Converts a refusal to the failure of a request.
fn refused(source: &Source) -> impl Fn(CacheError) -> Failure + use<'_> {
    |error| failed(source, error.diagnostics().to_vec())
}

fn failed(source: &Source, diagnostics: Vec<Diagnostic>) -> Failure {
    Failure::Source { source_text: source.clone(), diagnostics }
}

fn check_denied(report: &Report, source: &Source, deny: &[Deny]) -> Result<(), Failure> {
    let denied = denied(source, report, deny);
    if denied.is_empty() { Ok(()) } else { Err(failed(source, denied)) }
}

/// Returns a grammar that has all its masks.
fn whole(cached: Cached, source: &Source, deny: &[Deny]) -> Result<Made, Failure> {
    check_denied(&cached.artifact.meta().report, source, deny)?;
    let findings = cached.findings.to_vec();
    let compiled = matches!(cached.origin, Origin::Made | Origin::NotKept(_));
    let grammar = Grammar::from_artifact(cached.artifact);
    Ok(Made { grammar, findings, compiled, progress: None })
}

/// A request as the compiler reads it.
struct Asked {
    settings: Settings,
    source: Source,
    options: CompileOptions,
}

/// Returns the settings of a request.
fn settings(request: &Request<'_>) -> Result<Settings, Failure> {
    let language = Language::named(request.language).ok_or_else(|| {
        let known: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
        let known = known.join(", ");
        Failure::Argument(format!("no language `{}`; there are {known}", request.language))
    })?;
    Settings::read(language, request.options).map_err(|error| Failure::Argument(error.to_string()))
}
