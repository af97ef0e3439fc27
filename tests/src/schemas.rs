//! Schemas compiled for a vocabulary of single bytes, and texts judged by the compiled masks.
//!
//! With single bytes a text is its own sequence of tokens, so its verdict is read off the masks, byte by byte, and a
//! compile takes a fraction of the time that a real vocabulary takes.
//!
//! - [`texts`]: the compact texts of an instance, and [`layouts`]: those with whitespace;
//! - [`random`]: random schemas and instances;
//! - [`meeting`]: random schemas in which keywords of one kind meet;
//! - [`older`]: schemas in the words of draft 4;
//! - [`simplify`]: simpler schemas, to make a failing one small.

pub mod layouts;
pub mod meeting;
pub mod older;
pub mod random;
pub mod simplify;
pub mod texts;

use std::sync::OnceLock;

use grammarc_artifacts::GrammarArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileError, CompileOptions, Compiler};
use grammarc_compiler::diagnostics::report::{Report, Verdict};
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::json_schema::{self, JsonSchemaOptions};
use grammarc_runtime::{Grammar, Matcher};

use crate::vocabularies;

/// A compiled schema.
#[derive(Debug)]
pub struct Compiled {
    /// The grammar, opened from the bytes of its artifact.
    pub grammar: Grammar,
    /// The verdicts on the schema's keywords.
    pub report: Report,
    /// States of its own.
    pub states: u32,
    /// Bytes of its artifact.
    pub size: usize,
    /// Steps of the budget, from the schema's text to the bytes of the artifact.
    pub steps: usize,
}

/// Why a schema was not compiled.
#[derive(Debug)]
pub enum Refusal {
    /// No value satisfies it, so that no instance is refused wrongly.
    Unsatisfiable,
    /// The front end refuses it.
    Schema(Box<Diagnostic>),
    /// The grammar does not compile.
    Grammar(CompileError),
}

impl Refusal {
    /// The code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unsatisfiable => "json-schema::unsatisfiable",
            Self::Schema(diagnostic) => diagnostic.code,
            Self::Grammar(error) => error.to_diagnostic().code,
        }
    }
}

/// The compiler for a vocabulary of single bytes.
pub fn compiler() -> &'static Compiler {
    static COMPILER: OnceLock<Compiler> = OnceLock::new();
    COMPILER.get_or_init(|| {
        let bytes = (0..=u8::MAX).map(|byte| [byte]);
        Compiler::new(vocabularies::artifact(&vocabularies::table(bytes, &["<eos>"])))
    })
}

/// Compiles a schema for single bytes.
///
/// # Errors
///
/// If it is refused.
///
/// # Panics
///
/// If an artifact of it is not valid.
pub fn compile(schema: &str, options: &JsonSchemaOptions) -> Result<Compiled, Refusal> {
    let compiler = compiler();
    let budget = Budget::new();
    let lowered = json_schema::lower(Source::new("schema", schema), options, &budget);
    let lowered = lowered.map_err(|mut errors| match errors.first() {
        Some(error) if error.code == "json-schema::unsatisfiable" => Refusal::Unsatisfiable,
        _ => Refusal::Schema(Box::new(errors.swap_remove(0))),
    })?;
    let settings = CompileOptions::default();
    let compiled =
        compiler.compile(&lowered, "json-schema", &settings, &budget).map_err(Refusal::Grammar)?;
    let buffer = compiled.to_buffer(compiler).map_err(Refusal::Grammar)?;
    let (size, steps) = (buffer.len(), budget.steps());
    let artifact = GrammarArtifact::from_buffer(buffer, compiler.vocabulary());
    let artifact = artifact.unwrap_or_else(|error| panic!("an artifact is not valid: {error}"));
    let states = artifact.tables().state_count();
    let grammar = Grammar::from_artifact(artifact);
    Ok(Compiled { grammar, report: lowered.report, states, size, steps })
}

impl Compiled {
    /// Whether the masks lead through the text and it may end there.
    pub fn accepts(&self, text: &str) -> bool {
        let mut matcher = Matcher::new(&self.grammar);
        text.bytes().all(|byte| {
            let token = u32::from(byte);
            matcher.mask().contains(token) && matcher.accept(token).is_ok()
        }) && matcher.is_accepting()
    }

    /// Whether some keyword has this verdict.
    pub fn has(&self, verdict: Verdict) -> bool {
        self.report.count(verdict) > 0
    }
}
