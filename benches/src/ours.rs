//! This project's side: a vocabulary with the shared rules of JSON, and sources compiled for it.

use std::num::NonZero;

use grammarc_artifacts::{TokenKind, VocabularyArtifact, VocabularyData};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiled, Compiler, build_vocabulary};
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::GbnfOptions;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, TextForm, prelude_grammar};
use grammarc_compiler::frontend::regex::PatternOptions;
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::vocabulary::{self, VocabularyOptions};
use grammarc_runtime::Grammar;

use crate::inputs;

/// A source text and its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// llama.cpp's notation.
    Gbnf(&'a str),
    /// A regular expression.
    Regex(&'a str),
    /// A JSON Schema, of documents that have one text each: compact, with canonical numbers.
    JsonSchema(&'a str),
    /// A JSON Schema, for documents in the default text form.
    Natural(&'a str),
}

impl Text<'_> {
    /// The front end of the language, with its default options but for the text form.
    pub fn front_end(self) -> FrontEnd {
        match self {
            Self::Gbnf(_) => FrontEnd::Gbnf(GbnfOptions::default()),
            Self::Regex(_) => FrontEnd::Regex(PatternOptions::default()),
            Self::JsonSchema(_) => FrontEnd::JsonSchema(JsonSchemaOptions {
                text: TextForm::SHORT,
                ..JsonSchemaOptions::default()
            }),
            Self::Natural(_) => FrontEnd::JsonSchema(JsonSchemaOptions::default()),
        }
    }

    /// The name of the language, as artifacts have it.
    pub fn kind(self) -> &'static str {
        self.front_end().kind()
    }

    /// The text with a name.
    pub fn source(self) -> Source {
        let (Self::Gbnf(text) | Self::Regex(text) | Self::JsonSchema(text) | Self::Natural(text)) =
            self;
        Source::new("source", text)
    }

    /// The grammar of the source.
    ///
    /// # Errors
    ///
    /// The findings of the front end.
    pub fn lower(self, budget: &Budget) -> Result<Lowered, Vec<Diagnostic>> {
        self.front_end().lower(self.source(), budget)
    }
}

/// Returns the first diagnostic as text.
fn first(findings: Vec<Diagnostic>) -> String {
    findings.first().map(ToString::to_string).unwrap_or_default()
}

/// A compiler for one vocabulary.
pub struct Ours {
    /// The compiler.
    pub compiler: Compiler,
}

impl Ours {
    /// Returns the Llama 3.1 vocabulary artifact, with the shared rules of JSON Schema. `None` if the tokenizer is
    /// absent.
    ///
    /// # Panics
    ///
    /// If the vocabulary cannot be imported or built.
    pub fn vocabulary() -> Option<VocabularyData> {
        Self::vocabulary_of(inputs::LLAMA)
    }

    /// Does the same for another tokenizer of the data folder. Built on one thread, like the engine that it is
    /// compared with.
    ///
    /// # Panics
    ///
    /// See [`Ours::vocabulary`].
    pub fn vocabulary_of(name: &str) -> Option<VocabularyData> {
        let folder = inputs::tokenizer_folder(name)?;
        let spec = folder.to_str().expect("the data is under a path of UTF-8");
        let table = vocabulary::import(spec, &VocabularyOptions::new()).expect("it imports");
        let shared = prelude_grammar(&TextForm::COMMON);
        Some(build_vocabulary(&table, name, &shared, NonZero::new(1)).expect("it builds"))
    }

    /// Creates a compiler for the Llama 3.1 vocabulary. `None` if the tokenizer is absent.
    ///
    /// # Panics
    ///
    /// See [`Ours::vocabulary`].
    pub fn llama() -> Option<Self> {
        Self::of(inputs::LLAMA)
    }

    /// Does the same for another tokenizer of the data folder.
    ///
    /// # Panics
    ///
    /// See [`Ours::vocabulary`].
    pub fn of(name: &str) -> Option<Self> {
        let bytes = Self::vocabulary_of(name)?.to_bytes().expect("it fits the format");
        let vocabulary = VocabularyArtifact::from_buffer(bytes);
        Some(Self::new(vocabulary.expect("a fresh artifact is valid"), 1))
    }

    /// Creates a compiler for a vocabulary, on this number of threads.
    pub fn new(vocabulary: VocabularyArtifact, threads: usize) -> Self {
        Self { compiler: Compiler::on_threads(vocabulary, NonZero::new(threads)) }
    }

    /// Creates another compiler for the same vocabulary, on this number of threads.
    #[must_use]
    pub fn on_threads(&self, threads: usize) -> Self {
        Self::new(self.artifact().clone(), threads)
    }

    /// The vocabulary.
    pub fn artifact(&self) -> &VocabularyArtifact {
        self.compiler.vocabulary()
    }

    /// Compiles a source with all its masks.
    ///
    /// # Errors
    ///
    /// Compiles a text; an error of the front end or the compiler is given as text.
    pub fn compile(&self, text: Text<'_>, options: &CompileOptions) -> Result<Compiled, String> {
        let budget = Budget::new();
        let lowered = text.lower(&budget).map_err(first)?;
        let compiled = self.compiler.compile(&lowered, text.kind(), options, &budget);
        compiled.map_err(|error| error.to_string())
    }

    /// Compiles a source to a grammar for this process, through the artifact's bytes.
    ///
    /// # Errors
    ///
    /// The errors of [`Ours::compile`].
    pub fn grammar(&self, text: Text<'_>) -> Result<Grammar, String> {
        self.grammar_of(text.front_end(), text.source())
    }

    /// Like [`Ours::grammar`], with other options of the front end.
    ///
    /// # Errors
    ///
    /// As [`Ours::compile`].
    pub fn grammar_of(&self, front_end: FrontEnd, source: Source) -> Result<Grammar, String> {
        let kind = front_end.kind();
        let budget = Budget::new();
        let lowered = front_end.lower(source, &budget).map_err(first)?;
        let options = CompileOptions::default();
        let compiled = self.compiler.compile(&lowered, kind, &options, &budget);
        let compiled = compiled.map_err(|error| error.to_string())?;
        let artifact = compiled.to_artifact(&self.compiler).map_err(|error| error.to_string())?;
        Ok(Grammar::from_artifact(artifact))
    }

    /// Returns the vocabulary for engines that are not crates: `tokens` as hexadecimal bytes by id, empty for a token
    /// without text, `end_tokens` and `logit_width`.
    pub fn exported(&self) -> serde_json::Value {
        let vocabulary = self.artifact();
        let token = |token: u32| {
            let text = vocabulary.token_kind(token) == TokenKind::Text;
            let bytes = if text { vocabulary.token_bytes(token) } else { &[] };
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        serde_json::json!({
            "tokens": (0..vocabulary.token_count()).map(token).collect::<Vec<_>>(),
            "end_tokens": vocabulary.end_tokens(),
            "logit_width": vocabulary.logit_width(),
        })
    }

    /// Mask words with the bits of the text tokens.
    pub fn text_tokens(&self) -> Vec<u32> {
        let vocabulary = self.artifact();
        let mut words = vec![0; vocabulary.logit_width().div_ceil(u32::BITS) as usize];
        for token in 0..vocabulary.token_count() {
            if vocabulary.token_kind(token) == TokenKind::Text {
                words[(token / u32::BITS) as usize] |= 1 << (token % u32::BITS);
            }
        }
        words
    }
}
