//! Diagnostics as JSON, for programs. The command line and the C interface write the same form.

use std::ops::Range;

use serde::Serialize;

use super::{Diagnostic, Severity, Source};

/// A diagnostic about a source as JSON, with lines and columns.
#[derive(Debug, Serialize)]
pub struct DiagnosticJson<'a> {
    /// The stable identifier of the diagnostic, such as `gbnf::unknown-rule`.
    code: &'a str,
    /// The name of the severity: `note`, `warning` or `error`.
    severity: &'static str,
    /// The problem, in one sentence.
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    /// The name of the source.
    file: &'a str,
    /// The main location. Its fields are left out if the diagnostic has no location.
    #[serde(flatten)]
    place: Option<PlaceJson<'a>>,
    /// The other locations. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<PlaceJson<'a>>,
}

/// A location in a source as JSON.
#[derive(Debug, Serialize)]
struct PlaceJson<'a> {
    /// The line of the location's first byte, from 1.
    line: usize,
    /// The column of the location's first byte, in characters from 1.
    column: usize,
    /// The byte offsets of the first byte and of the end (exclusive).
    span: [usize; 2],
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
}

impl<'a> DiagnosticJson<'a> {
    /// Returns the diagnostic as JSON. `source` is the compiled source, to which labels refer by
    /// default. O(source) for each location.
    pub fn new(source: &'a Source, diagnostic: &'a Diagnostic) -> Self {
        let source = diagnostic.source(source);
        let labels = diagnostic.labels.iter();
        let mut places = labels.map(|label| place(source, &label.span, &label.text));
        Self {
            code: diagnostic.code,
            severity: diagnostic.severity.name(),
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            pointer: diagnostic.pointer.as_deref(),
            file: &source.name,
            place: places.next(),
            related: places.collect(),
        }
    }
}

/// Returns the JSON of a location, given its byte range and its label.
fn place<'a>(source: &Source, span: &Range<usize>, label: &'a str) -> PlaceJson<'a> {
    let (line, column) = source.line_column(span.start);
    PlaceJson { line, column, span: [span.start, span.end], label }
}

impl Severity {
    /// Returns the name of the severity in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
