//! Output for programs: one JSON value on each line.

use std::io::{self, Write};

use grammarc_compiler::diagnostics::json::DiagnosticJson;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use serde::Serialize;

use crate::failure::Problem;
use crate::render::Answer;

/// The JSON form of a problem that has no position in a source text.
#[derive(Debug, Serialize)]
struct ProblemValue<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    causes: &'a [String],
}

/// Writes a result as one line of JSON.
pub(crate) fn answer(answer: &impl Answer, out: &mut dyn Write) -> io::Result<()> {
    line(answer, out)
}

/// Writes a diagnostic about a source as one line of JSON.
pub(crate) fn diagnostic(
    source: &Source,
    diagnostic: &Diagnostic,
    out: &mut dyn Write,
) -> io::Result<()> {
    line(&DiagnosticJson::new(source, diagnostic), out)
}

/// Writes a problem with its causes as one line of JSON.
pub(crate) fn problem(problem: &Problem, out: &mut dyn Write) -> io::Result<()> {
    let chain = problem.chain();
    let Some((message, causes)) = chain.split_first() else { return Ok(()) };
    line(&ProblemValue { code: problem.code(), severity: "error", message, causes }, out)
}

fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    writeln!(out)
}
