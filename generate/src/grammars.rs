//! Grammars that are compiled for one vocabulary: a compiler and a cache, shared by threads.
//!
//! Reasoning before the output, and text after it, are composed with the source as GBNF includes
//! sources: `@"name"`. So one artifact has the masks for all parts, including tokens that cross
//! from one part to the next.

use std::borrow::Cow;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::cache::{
    Beginning, Cache, CacheError, CacheOptions, CacheStats, Cached, Key, Origin, Pending,
};
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::deny::denied;
use grammarc_compiler::frontend::settings::{Language, Settings, SettingsError};
use grammarc_runtime::{Grammar as Compiled, Matcher, Vocabulary};
use serde_json::{Map, Value, json};

use crate::background::{Background, Begun};
use crate::grammar::{Form, Grammar, GrammarSource};
use crate::params::Reasoning;

/// Default time limit of compiling one grammar. A compilation that takes longer fails with
/// [`GrammarError::Spent`].
pub const COMPILE_TIME: Duration = Duration::from_secs(10);

/// Text that may come before and after the texts of a grammar.
#[derive(Clone, Copy, Debug, Default)]
pub struct Affixes<'a> {
    /// The reasoning before the output. `None` if there is no reasoning.
    pub prefix: Option<Prefix<'a>>,
    /// Whether any text may follow the output (overshoot).
    pub has_suffix: bool,
}

/// The reasoning that comes before an output.
#[derive(Clone, Copy, Debug)]
pub struct Prefix<'a> {
    /// The tags of the reasoning, and its limits.
    pub reasoning: &'a Reasoning,
    /// Whether the prompt already contains the opening tag.
    pub is_open: bool,
}

/// A grammar compiler for one vocabulary, with its cache. `Send` and `Sync`; clones share the
/// compiler and the cache.
#[derive(Clone)]
pub struct Grammars {
    inner: Arc<Inner>,
}

struct Inner {
    compiler: Arc<Compiler>,
    vocabulary: Vocabulary,
    cache: Cache,
    time: Duration,
    /// The grammars whose masks are being computed in the background. `None` if grammars are only
    /// returned with complete masks.
    background: Option<Arc<Background>>,
}

/// The reason why a grammar cannot be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// An option of the source is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The source has errors, or its grammar cannot be compiled.
    #[error("{}", diagnostics.first().map(ToString::to_string).unwrap_or_default())]
    Refused {
        /// The source with the errors.
        source_text: Source,
        /// The errors, warnings and notes about the source.
        diagnostics: Vec<Diagnostic>,
    },
    /// The compilation exceeded its time limit or another budget.
    #[error("{}", diagnostics.first().map(ToString::to_string).unwrap_or_default())]
    Spent {
        /// The source whose compilation was given up.
        source_text: Source,
        /// The exceeded limit, as diagnostics of the source.
        diagnostics: Vec<Diagnostic>,
    },
    /// The artifact was compiled for another vocabulary than the model's.
    #[error("the artifact is of the vocabulary {found}, the model has {expected}")]
    Vocabulary {
        /// Name of the artifact's vocabulary.
        found: String,
        /// Name of the model's vocabulary.
        expected: String,
    },
    /// A grammar that is an artifact is used with reasoning or with text after it. Only a source
    /// can be composed with these.
    #[error(
        "{what} is composed with a grammar's source, and an artifact has none: compile it with the artifact, or give the source"
    )]
    Artifact {
        /// The part that cannot be composed with the artifact.
        what: &'static str,
    },
}

impl Grammars {
    /// Creates a compiler with a cache in memory. It uses `threads` threads; `None` gives one for
    /// each processor.
    pub fn new(vocabulary: Vocabulary, threads: Option<NonZero<usize>>) -> Self {
        Self::within(vocabulary, threads, COMPILE_TIME)
    }

    /// Creates a compiler with a cache in memory, and with `time` as the time limit of one
    /// compilation.
    pub fn within(vocabulary: Vocabulary, threads: Option<NonZero<usize>>, time: Duration) -> Self {
        let cache = Cache::open(CacheOptions::new()).expect("a cache in memory needs no folder");
        Self::with_cache(vocabulary, threads, cache, time)
    }

    /// Creates a compiler with the given cache, and with `time` as the time limit of one
    /// compilation.
    pub fn with_cache(
        vocabulary: Vocabulary,
        threads: Option<NonZero<usize>>,
        cache: Cache,
        time: Duration,
    ) -> Self {
        let compiler = Arc::new(Compiler::on_threads(vocabulary.artifact().clone(), threads));
        Self { inner: Arc::new(Inner { compiler, vocabulary, cache, time, background: None }) }
    }

    /// Changes the compiler to return a grammar as soon as its automata are built, while a
    /// background thread computes the masks. See [`Compiled::early`].
    ///
    /// At most two such threads run at once. The masks of further grammars are computed before the
    /// grammar is returned. If the computation of masks exceeds a limit, the grammar stays without
    /// masks.
    #[must_use]
    pub fn early(self) -> Self {
        let Inner { compiler, vocabulary, cache, time, .. } = &*self.inner;
        let (compiler, vocabulary) = (Arc::clone(compiler), vocabulary.clone());
        let (cache, time, background) = (cache.clone(), *time, Some(Arc::default()));
        Self { inner: Arc::new(Inner { compiler, vocabulary, cache, time, background }) }
    }

    /// Returns the vocabulary that grammars are compiled for.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.inner.vocabulary
    }

    /// Returns the hit and miss counters of the cache.
    pub fn stats(&self) -> CacheStats {
        self.inner.cache.stats()
    }

    /// Compiles a grammar, or returns it from the cache. Setting the flag `cancel` from another
    /// thread ends the compilation with an error.
    ///
    /// # Errors
    ///
    /// See [`GrammarError`].
    pub fn compile(
        &self,
        grammar: &Grammar,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Result<Compiled, GrammarError> {
        self.compile_with(grammar, &Affixes::default(), cancel)
    }

    /// Compiles a grammar together with the text that may come before and after it (`affixes`).
    /// Setting the flag `cancel` ends the compilation with an error.
    ///
    /// # Errors
    ///
    /// See [`GrammarError`].
    pub fn compile_with(
        &self,
        grammar: &Grammar,
        affixes: &Affixes<'_>,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Result<Compiled, GrammarError> {
        match &grammar.form {
            Form::Source(source) => self.compile_source(&composed(source, affixes), cancel),
            Form::Artifact(_) if affixes.has_suffix => {
                Err(GrammarError::Artifact { what: "text behind the output" })
            }
            Form::Artifact(_) if affixes.prefix.is_some() => {
                Err(GrammarError::Artifact { what: "reasoning" })
            }
            Form::Artifact(compiled) => self.of_this_vocabulary(compiled),
        }
    }

    /// Returns a grammar with its affixes if nothing has to be compiled: it is an artifact, is
    /// cached, or its masks are being computed. `None` otherwise.
    ///
    /// # Errors
    ///
    /// An earlier compilation of the grammar failed, or an artifact does not fit.
    pub fn kept(
        &self,
        grammar: &Grammar,
        affixes: &Affixes<'_>,
    ) -> Result<Option<Compiled>, GrammarError> {
        let Form::Source(source) = &grammar.form else {
            return self.compile_with(grammar, affixes, None).map(Some);
        };
        let asked = Asked::new(&composed(source, affixes))?;
        if let Some(begun) = self.begun(&asked)? {
            return Ok(Some(begun));
        }
        let Asked { settings, text, options } = &asked;
        let Inner { compiler, cache, .. } = &*self.inner;
        let Some(kept) = cache.kept(compiler, &settings.front_end, text, options) else {
            return Ok(None);
        };
        let kept = kept.map_err(|error| of_cache(text, error))?;
        refuse(text, denied(text, &kept.artifact.meta().report, &settings.deny))?;
        Ok(Some(Compiled::from_artifact(kept.artifact)))
    }

    /// Returns the grammar of a source if its masks are being computed in the background. `None`
    /// otherwise. Fails if the source has denied keywords.
    fn begun(&self, asked: &Asked) -> Result<Option<Compiled>, GrammarError> {
        let Some(background) = &self.inner.background else { return Ok(None) };
        let Some(Begun { grammar, report }) = background.get(&self.key_of(asked)) else {
            return Ok(None);
        };
        refuse(&asked.text, denied(&asked.text, &report, &asked.settings.deny))?;
        Ok(Some(grammar))
    }

    fn key_of(&self, asked: &Asked) -> Key {
        let Asked { settings, text, options } = asked;
        Key::new(self.inner.compiler.vocabulary(), &settings.front_end, text, options)
    }

    /// Returns the cache key of a grammar's source, in hexadecimal. Sources with equal keys compile
    /// to equal artifacts. `None` for an artifact.
    ///
    /// # Errors
    ///
    /// An option of the source is wrong.
    pub fn key(&self, grammar: &Grammar) -> Result<Option<String>, GrammarError> {
        let Form::Source(source) = &grammar.form else { return Ok(None) };
        Ok(Some(self.key_of(&Asked::new(source)?).to_string()))
    }

    /// Returns a compiled grammar if its vocabulary is the one of this compiler. Fails otherwise.
    fn of_this_vocabulary(&self, compiled: &Compiled) -> Result<Compiled, GrammarError> {
        let (own, other) = (self.vocabulary(), compiled.vocabulary());
        if own.artifact().fingerprint() == other.artifact().fingerprint() {
            return Ok(compiled.clone());
        }
        let (found, expected) = (other.name().to_owned(), own.name().to_owned());
        Err(GrammarError::Vocabulary { found, expected })
    }

    fn compile_source(
        &self,
        source: &GrammarSource,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Result<Compiled, GrammarError> {
        let Inner { compiler, cache, time, background, .. } = &*self.inner;
        let asked = Asked::new(source)?;
        if let Some(begun) = self.begun(&asked)? {
            return Ok(begun);
        }
        let key = self.key_of(&asked);
        let Asked { settings, text, options } = asked;
        let mut budget = Budget::new().time_limit(*time);
        if let Some(flag) = cancel {
            budget = budget.cancel_flag(Arc::clone(flag));
        }
        let front_end = &settings.front_end;
        let answer = match background {
            Some(_) => cache.get_or_begin(compiler, front_end, &text, &options, budget),
            None => {
                let cached = cache.get_or_compile(compiler, front_end, &text, &options, &budget);
                cached.map(Beginning::Whole)
            }
        };
        let answer = answer.map_err(|error| of_cache(&text, error))?;
        let diagnostics = match &answer {
            Beginning::Whole(cached) => {
                warn_if_not_kept(cached);
                denied(&text, &cached.artifact.meta().report, &settings.deny)
            }
            Beginning::Early(pending) => denied(&text, pending.report(), &settings.deny),
        };
        refuse(&text, diagnostics)?;
        Ok(match answer {
            Beginning::Whole(cached) => Compiled::from_artifact(cached.artifact),
            Beginning::Early(pending) => {
                begun(*pending, key, background.as_ref().unwrap_or(&Arc::default()))
            }
        })
    }
}

/// Converts an error of the cache to an error about the source.
fn of_cache(source: &Source, error: CacheError) -> GrammarError {
    let (source_text, diagnostics) = (source.clone(), error.diagnostics().to_vec());
    match error {
        CacheError::Refused(_) => GrammarError::Refused { source_text, diagnostics },
        CacheError::Spent { .. } => GrammarError::Spent { source_text, diagnostics },
    }
}

/// Logs a warning if a compiled grammar could not be written to the cache's folder.
fn warn_if_not_kept(cached: &Cached) {
    if let Origin::NotKept(error) = &cached.origin {
        tracing::warn!(%error, "a grammar was compiled and could not be kept in the cache's folder");
    }
}

/// Fails if `diagnostics`, which name the denied keywords of the source, is not empty.
fn refuse(source: &Source, diagnostics: Vec<Diagnostic>) -> Result<(), GrammarError> {
    match diagnostics.is_empty() {
        true => Ok(()),
        false => Err(GrammarError::Refused { source_text: source.clone(), diagnostics }),
    }
}

/// Returns a grammar without complete masks at once, and computes the masks in a background thread.
/// If no background thread is free, computes the masks before returning.
fn begun(pending: Pending, key: Key, background: &Arc<Background>) -> Compiled {
    let early = Compiled::early(pending.early().clone());
    let same = early.clone();
    let report = pending.report().clone();
    let place = background.place(key, Begun { grammar: early.clone(), report });
    let is_free = place.is_some();
    let work = move || {
        // If a limit is exceeded, the grammar stays without stored masks. The runtime then walks
        // the token trie for each mask.
        if let Ok(cached) = pending.finish() {
            warn_if_not_kept(&cached);
            let whole = Compiled::from_artifact(cached.artifact);
            same.complete(&whole).expect("it was begun with the network that it has");
        }
        drop(place);
    };
    match is_free {
        // If no thread can be started, the grammar stays without stored masks.
        true => _ = std::thread::Builder::new().name("grammarc masks".to_owned()).spawn(work).ok(),
        false => work(),
    }
    early
}

/// A source with its settings, as the compiler takes it.
struct Asked {
    settings: Settings,
    text: Source,
    options: CompileOptions,
}

impl Asked {
    fn new(source: &GrammarSource) -> Result<Self, GrammarError> {
        let settings = Settings::of(source.language, source.options.clone())?;
        let text = Source::new(format!("<{}>", source.language.name()), source.text.clone());
        let mut options = CompileOptions::default();
        for (name, value) in settings.front_end.recorded() {
            options = options.record(name, value);
        }
        Ok(Self { settings, text, options })
    }
}

/// Returns the number of tokens of the grammar's shortest text. `None` if no text that ends within
/// a megabyte was found.
pub fn least_tokens(grammar: &Compiled) -> Option<usize> {
    let mut tokens = Vec::new();
    Matcher::new(grammar).ending(&mut tokens).ok()?;
    Some(tokens.len())
}

/// Name of the reasoning among the sources of a composition.
const REASONING: &str = "reasoning";
/// Name of the output among the sources of a composition.
const OUTPUT: &str = "output";

/// Returns the source composed with the text before and after it. The source is unchanged if there
/// are no affixes.
fn composed<'s>(source: &'s GrammarSource, affixes: &Affixes<'_>) -> Cow<'s, GrammarSource> {
    if affixes.prefix.is_none() && !affixes.has_suffix {
        return Cow::Borrowed(source);
    }
    let mut sources = Map::new();
    sources.insert(OUTPUT.to_owned(), source.named());
    let mut root = format!("@\"{OUTPUT}\"");
    if let Some(Prefix { reasoning, is_open }) = affixes.prefix {
        let Reasoning { open, close, .. } = reasoning;
        let begin = if is_open { "" } else { open.as_str() };
        let format =
            json!({"type": "tag", "begin": begin, "content": {"type": "any_text"}, "end": close});
        let tag = json!({"type": "structural_tag", "format": format}).to_string();
        let tag =
            GrammarSource { language: Language::StructuralTag, text: tag, options: Map::new() };
        sources.insert(REASONING.to_owned(), tag.named());
        root = format!("@\"{REASONING}\" [ \\t\\r\\n]{{0,4}} {root}");
    }
    if affixes.has_suffix {
        root.push_str(" .*");
    }
    let options = [("sources".to_owned(), Value::Object(sources))];
    Cow::Owned(GrammarSource {
        language: Language::Gbnf,
        text: format!("root ::= {root}\n"),
        options: options.into_iter().collect(),
    })
}
