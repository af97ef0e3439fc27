//! Diagnostics as JSON, for programs: one shape for the command line, the C interface and whoever else writes them.

use std::ops::Range;

use serde::Serialize;

use super::{Diagnostic, Severity, Source};

/// A diagnostic about a source, with lines and columns.
#[derive(Debug, Serialize)]
pub struct DiagnosticJson<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    file: &'a str,
    /// The main location, if there is one.
    #[serde(flatten)]
    place: Option<PlaceJson<'a>>,
    /// The other locations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<PlaceJson<'a>>,
}

/// A location in a source.
#[derive(Debug, Serialize)]
struct PlaceJson<'a> {
    line: usize,
    column: usize,
    /// Byte range.
    span: [usize; 2],
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
}

impl<'a> DiagnosticJson<'a> {
    /// The diagnostic about this source, or about a source that it refers to. O(source) for each location.
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

fn place<'a>(source: &Source, span: &Range<usize>, label: &'a str) -> PlaceJson<'a> {
    let (line, column) = source.line_column(span.start);
    PlaceJson { line, column, span: [span.start, span.end], label }
}

impl Severity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
