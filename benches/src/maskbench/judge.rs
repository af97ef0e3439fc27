//! One schema: compiled with all its masks, and its instances led through them token by token.

use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

use grammarc_artifacts::{GrammarArtifact, VocabularyArtifact};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::report::{Report, Verdict};
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::json_schema::{self, JsonSchemaOptions};
use grammarc_runtime::{Grammar, Matcher};
use serde::Serialize;

use super::{Case, MaskbenchError, Tokens, dumps};

/// The results of a schema and its instances. Times are wall times on a clock whose reading takes some 25 ns.
#[derive(Debug, Serialize)]
pub struct Judged {
    /// The schema's name.
    pub id: String,
    /// Time from the schema's text to a usable grammar with all masks, or to the error.
    pub compile_us: f64,
    /// The error of a rejected schema.
    pub error: Option<Refusal>,
    /// The verdicts on the schema's keywords.
    pub report: Option<Summary>,
    /// Bytes of the artifact.
    pub artifact_bytes: usize,
    /// The results of the instances.
    pub tests: Vec<TestResult>,
    /// Time of each `Matcher::mask`, one for each token.
    pub mask_ns: Vec<u64>,
    /// Time of each `Matcher::mask` with `Mask::fill`, one for each token.
    pub fill_ns: Vec<u64>,
}

/// The error of a rejected schema.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// Code of the first error.
    pub code: &'static str,
    /// The position of the error.
    pub pointer: Option<String>,
    /// Its text.
    pub message: String,
}

/// The verdicts on the schema's keywords.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// Number of exact keywords.
    pub exact: usize,
    /// Number of annotations.
    pub annotation: usize,
    /// The keywords that are not exact.
    pub inexact: Vec<Inexact>,
}

/// A keyword that is not exact.
#[derive(Debug, Serialize)]
pub struct Inexact {
    /// The position of the keyword.
    pub pointer: String,
    /// `narrower` or `approximate`.
    pub verdict: String,
    /// The reason for the verdict.
    pub reason: String,
}

/// The result of an instance.
#[derive(Debug, Serialize)]
pub struct TestResult {
    /// Whether the instance is valid, by the file.
    pub valid: bool,
    /// Whether all its tokens were allowed and it may end there.
    pub accepted: bool,
    /// Tokens of the instance.
    pub tokens: usize,
    /// Number of tokens accepted before one was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused_at: Option<usize>,
    /// Why no verdict was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The compiler and the options that schemas are judged with.
pub struct Judge {
    compiler: Compiler,
    tokens: Tokens,
    schema_options: JsonSchemaOptions,
    compile_options: CompileOptions,
    /// Creates the budget of a compilation.
    budget: Box<dyn Fn() -> Budget + Send + Sync>,
}

impl Judge {
    /// A judge with a vocabulary and the tokenizer that it was made of.
    ///
    /// # Errors
    ///
    /// As [`Tokens::open`].
    pub fn new(
        vocabulary: VocabularyArtifact,
        tokenizer: &Path,
        schema_options: JsonSchemaOptions,
        compile_options: CompileOptions,
    ) -> Result<Self, MaskbenchError> {
        Ok(Self {
            tokens: Tokens::open(tokenizer, vocabulary.clone())?,
            compiler: Compiler::new(vocabulary),
            schema_options,
            compile_options,
            budget: Box::new(Budget::new),
        })
    }

    /// Uses a compiler on this number of threads.
    #[must_use]
    pub fn on_threads(self, threads: Option<NonZero<usize>>) -> Self {
        let compiler = Compiler::on_threads(self.compiler.vocabulary().clone(), threads);
        Self { compiler, ..self }
    }

    /// Sets the budget for each schema, instead of the default one.
    #[must_use]
    pub fn within(self, budget: impl Fn() -> Budget + Send + Sync + 'static) -> Self {
        Self { budget: Box::new(budget), ..self }
    }

    /// Compiles a schema and leads its instances through the masks.
    pub fn judge(&self, case: &Case) -> Judged {
        let text = case.schema.to_string();
        let started = Instant::now();
        let compiled = self.compile(text);
        let compile_us = started.elapsed().as_secs_f64() * 1e6;
        let mut judged = Judged {
            id: case.id.clone(),
            compile_us,
            error: None,
            report: None,
            artifact_bytes: 0,
            tests: Vec::new(),
            mask_ns: Vec::new(),
            fill_ns: Vec::new(),
        };
        let (grammar, report, size) = match compiled {
            Ok(compiled) => compiled,
            Err(refusal) => {
                judged.error = Some(refusal);
                return judged;
            }
        };
        judged.report = Some(summary(&report));
        judged.artifact_bytes = size;
        let mut words = vec![0; grammar.vocabulary().logit_width().div_ceil(u32::BITS) as usize];
        for test in &case.tests {
            let mut result = TestResult {
                valid: test.valid,
                accepted: false,
                tokens: 0,
                refused_at: None,
                error: None,
            };
            match self.tokens.of(&dumps(&test.data)) {
                None => result.error = Some("the tokenizer's tokens spell another text".to_owned()),
                Some(tokens) => {
                    result.tokens = tokens.len();
                    lead(&grammar, &tokens, &mut words, &mut judged, &mut result);
                }
            }
            judged.tests.push(result);
        }
        judged
    }

    fn compile(&self, text: String) -> Result<(Grammar, Report, usize), Refusal> {
        let budget = (self.budget)();
        let source = Source::new("schema", text);
        let lowered = json_schema::lower(source, &self.schema_options, &budget);
        let lowered = lowered.map_err(|diagnostics| refusal(&diagnostics))?;
        let broken =
            |message: String| Refusal { code: "maskbench::artifact", pointer: None, message };
        let compiled = self
            .compiler
            .compile(&lowered, "json-schema", &self.compile_options, &budget)
            .map_err(|error| refusal(&[error.to_diagnostic()]))?;
        let buffer = compiled.to_buffer(&self.compiler).map_err(|e| broken(e.to_string()))?;
        let size = buffer.len();
        let artifact = GrammarArtifact::from_buffer(buffer, self.compiler.vocabulary())
            .map_err(|error| broken(error.to_string()))?;
        Ok((Grammar::from_artifact(artifact), lowered.report, size))
    }
}

/// Reads the tokens of an instance through the masks, and times these.
fn lead(
    grammar: &Grammar,
    tokens: &[u32],
    words: &mut [u32],
    judged: &mut Judged,
    result: &mut TestResult,
) {
    let mut matcher = Matcher::new(grammar);
    for (at, &token) in tokens.iter().enumerate() {
        let started = Instant::now();
        let allowed = matcher.mask().contains(token);
        judged.mask_ns.push(started.elapsed().as_nanos() as u64);
        let started = Instant::now();
        let filled = matcher.mask().fill(words);
        judged.fill_ns.push(started.elapsed().as_nanos() as u64);
        let in_row =
            words.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 == 1);
        if filled.is_err() || in_row != allowed {
            result.error = Some("the filled row and the mask differ".to_owned());
            return;
        }
        if !allowed {
            result.refused_at = Some(at);
            return;
        }
        if let Err(error) = matcher.accept(token) {
            result.error = Some(error.to_string());
            return;
        }
    }
    result.accepted = matcher.is_accepting();
}

fn refusal(diagnostics: &[Diagnostic]) -> Refusal {
    let first = diagnostics.first();
    Refusal {
        code: first.map_or("maskbench::unknown", |diagnostic| diagnostic.code),
        pointer: first.and_then(|diagnostic| diagnostic.pointer.clone()),
        message: first.map(|diagnostic| diagnostic.message.clone()).unwrap_or_default(),
    }
}

fn summary(report: &Report) -> Summary {
    let is_inexact = |verdict| matches!(verdict, Verdict::Approximate | Verdict::Narrower);
    let inexact = report.entries().filter(|entry| is_inexact(entry.verdict));
    Summary {
        exact: report.count(Verdict::Exact),
        annotation: report.count(Verdict::Annotation),
        inexact: inexact
            .map(|entry| Inexact {
                pointer: entry.pointer.to_owned(),
                verdict: entry.verdict.to_string(),
                reason: entry.reason.to_owned(),
            })
            .collect(),
    }
}
