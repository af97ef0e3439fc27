//! For programs: one JSON value a line.

use std::io::{self, Write};
use std::ops::Range;

use grammarc_compiler::diagnostics::{Diagnostic, Severity, Source};
use serde::Serialize;

use crate::failure::Problem;
use crate::render::Answer;

/// A finding about a source.
#[derive(Debug, Serialize)]
struct DiagnosticValue<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    file: &'a str,
    /// The main place, where there is one.
    #[serde(flatten)]
    place: Option<PlaceValue<'a>>,
    /// The other places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<PlaceValue<'a>>,
}

/// A place in a source.
#[derive(Debug, Serialize)]
struct PlaceValue<'a> {
    line: usize,
    column: usize,
    /// Byte range.
    span: [usize; 2],
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
}

/// A problem that no source text is to blame for.
#[derive(Debug, Serialize)]
struct ProblemValue<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    causes: &'a [String],
}

/// Draws a result.
pub(crate) fn answer(answer: &impl Answer, out: &mut dyn Write) -> io::Result<()> {
    line(answer, out)
}

/// Draws a finding.
pub(crate) fn diagnostic(
    source: &Source,
    diagnostic: &Diagnostic,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = diagnostic.labels.iter().map(|label| place(source, &label.span, &label.text));
    let value = DiagnosticValue {
        code: diagnostic.code,
        severity: severity(diagnostic.severity),
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        pointer: diagnostic.pointer.as_deref(),
        file: &source.name,
        place: places.next(),
        related: places.collect(),
    };
    line(&value, out)
}

/// Draws a problem with its causes.
pub(crate) fn problem(problem: &Problem, out: &mut dyn Write) -> io::Result<()> {
    let chain = problem.chain();
    let Some((message, causes)) = chain.split_first() else { return Ok(()) };
    line(&ProblemValue { code: problem.code(), severity: "error", message, causes }, out)
}

fn place<'a>(source: &Source, span: &Range<usize>, label: &'a str) -> PlaceValue<'a> {
    let (line, column) = source.line_column(span.start);
    PlaceValue { line, column, span: [span.start, span.end], label }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    writeln!(out)
}
