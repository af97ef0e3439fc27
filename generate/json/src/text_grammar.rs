//! Grammars that accept or reject whole texts, independently of a model's vocabulary.
//!
//! These grammars are compiled for a vocabulary of the 256 single bytes. The process has one
//! compiler for this vocabulary, created when the first grammar is compiled. It includes the rules
//! that all schemas share.

use std::num::NonZero;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler, build_vocabulary};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::from_source::SourceRequest;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::{TokenEntry, TokenTable};
use grammarc_runtime::error::{BytesError, LimitError};
use grammarc_runtime::{ByteMatcher, Grammar};

/// Time limit for compiling one grammar. If it is exceeded, the grammar gives no verdict.
const TIME: Duration = Duration::from_secs(2);
/// Memory limit for compiling one grammar, in bytes: 256 MiB. If it is exceeded, the grammar gives
/// no verdict.
const MEMORY: usize = 256 << 20;

/// A grammar that accepts or rejects whole texts. Clones share the compiled grammar. `Send` and
/// `Sync`.
///
/// ```
/// use grammarc_compiler::frontend::FrontEnd;
/// use grammarc_json::{Judgement, TextGrammar};
///
/// let answer = TextGrammar::new(FrontEnd::Gbnf(Default::default()), r#"root ::= "yes" | "no""#);
/// assert_eq!(answer.judge("yes"), Judgement::Accepted);
/// assert_eq!(answer.judge("yet"), Judgement::Refused { at: 2 });
/// ```
#[derive(Clone, Debug)]
pub struct TextGrammar {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    front_end: FrontEnd,
    source: String,
    /// The grammar, compiled on first use. `None` inside if the compiler rejected the source or
    /// exceeded a limit.
    grammar: OnceLock<Option<Grammar>>,
}

/// The verdict of a [`TextGrammar`] on a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The text matches the grammar.
    Accepted,
    /// The text does not match the grammar.
    Refused {
        /// Byte offset of the first byte that is not allowed. If the text is incomplete, its
        /// length.
        at: usize,
    },
    /// There is no verdict. The grammar could not be compiled within its limits, names tokens of a
    /// vocabulary, or exceeded a limit on this text.
    Unknown,
}

impl TextGrammar {
    /// Creates the grammar of a source. It is compiled when the first text is checked.
    pub fn new(front_end: FrontEnd, source: impl Into<String>) -> Self {
        let (source, grammar) = (source.into(), OnceLock::new());
        Self { inner: Arc::new(Inner { front_end, source, grammar }) }
    }

    /// Checks whether a text matches the grammar. Linear in the text if the grammar is unambiguous.
    pub fn judge(&self, text: &str) -> Judgement {
        let Inner { front_end, source, grammar } = &*self.inner;
        let Some(grammar) = grammar.get_or_init(|| compile(front_end, source)) else {
            return Judgement::Unknown;
        };
        match refused_at(grammar, text) {
            Ok(None) => Judgement::Accepted,
            Ok(Some(at)) => Judgement::Refused { at },
            Err(_) => Judgement::Unknown,
        }
    }
}

/// Compiles a source for the vocabulary of single bytes. `None` if the compiler rejects the source
/// or exceeds a limit.
pub(crate) fn compile(front_end: &FrontEnd, source: &str) -> Option<Grammar> {
    let compiler = compiler()?;
    let budget = Budget::unlimited().time_limit(TIME).memory_limit(MEMORY);
    let (source, options) = (Source::new("source", source), CompileOptions::default());
    let request = SourceRequest { front_end, source: &source, deny: &[], options: &options };
    let compiled = compiler.compile_source(&request, &budget).ok()?;
    Some(Grammar::from_artifact(compiled.to_artifact(compiler).ok()?))
}

/// Returns the offset of the first byte that the grammar rejects, or the text's length if the text
/// is incomplete. `None` if the text matches. The grammar has to be compiled for single bytes.
/// Fails if the matcher exceeds a limit.
pub(crate) fn refused_at(grammar: &Grammar, text: &str) -> Result<Option<usize>, LimitError> {
    let mut matcher = ByteMatcher::new(grammar);
    match matcher.accept(text.as_bytes()) {
        Ok(()) => Ok((!matcher.is_accepting()).then_some(text.len())),
        Err(BytesError::Refused { at }) => Ok(Some(at)),
        Err(BytesError::Limit { limit, .. }) => Err(limit),
        Err(_) => Ok(None),
    }
}

/// Returns the compiler for the vocabulary of single bytes, which the process creates once. `None`
/// if it cannot be created.
fn compiler() -> Option<&'static Compiler> {
    static COMPILER: OnceLock<Option<Compiler>> = OnceLock::new();
    let make = || {
        let tokens = (0..=u8::MAX).map(|byte| TokenEntry::text([byte])).collect();
        let table = TokenTable::new("bytes", tokens, Vec::new());
        let shared = prelude_grammar(&[TextForm::WIDE]);
        let data = build_vocabulary(&table, "bytes", &shared, NonZero::new(1)).ok()?;
        let artifact = VocabularyArtifact::from_buffer(data.to_bytes().ok()?).ok()?;
        Some(Compiler::on_threads(artifact, NonZero::new(1)))
    };
    COMPILER.get_or_init(make).as_ref()
}
