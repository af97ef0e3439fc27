//! Draws diagnostics with miette: message, source excerpt with carets, help.
//!
//! A schema is often one long line, so that the excerpt would be the whole source. Such a line is
//! cut to the part around the main label, and the other labels are left out.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use grammarc_compiler::diagnostics::{Diagnostic, Label, Severity, Source};
use miette::{
    LabeledSpan, MietteError, MietteHandler, MietteHandlerOpts, MietteSpanContents, ReportHandler,
    SourceCode, SourceSpan, SpanContents,
};

use crate::failure::Problem;

/// Length in bytes of the longest line that is shown whole. Longer lines are cut.
const LONG_LINE: usize = 240;
/// Bytes that are shown before and after the main label of a cut line.
const AROUND: usize = 60;

/// Writes a diagnostic with its message, an excerpt of the source, and help.
pub(crate) fn diagnostic(
    source: &Source,
    diagnostic: &Diagnostic,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Long lines are left to the terminal to wrap, so that pointers and names can be copied.
    let handler = MietteHandlerOpts::new().terminal_links(false).wrap_lines(false).build();
    let report = Report::new(source, diagnostic);
    writeln!(out, "{}", Drawn { handler: &handler, report: &report })
}

/// Returns the message of a diagnostic, followed by its JSON pointer if it has one.
pub(crate) fn placed_message(diagnostic: &Diagnostic) -> String {
    let message = &diagnostic.message;
    match diagnostic.pointer.as_deref() {
        Some("") => format!("{message} (at the root)"),
        Some(pointer) => format!("{message} (at {pointer})"),
        None => message.clone(),
    }
}

/// Writes the message of a problem, and then one line for each of its causes.
pub(crate) fn problem(problem: &Problem, out: &mut dyn Write) -> io::Result<()> {
    let chain = problem.chain();
    let mut messages = chain.iter();
    if let Some(message) = messages.next() {
        writeln!(out, "error: {message}")?;
    }
    messages.try_for_each(|cause| writeln!(out, "  because: {cause}"))
}

/// Returns the last character boundary at or before the byte `offset`.
fn char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A diagnostic in the form that miette takes.
#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    message: String,
    labels: Vec<LabeledSpan>,
    excerpt: Option<Excerpt<'a>>,
}

impl<'a> Report<'a> {
    fn new(source: &'a Source, diagnostic: &'a Diagnostic) -> Self {
        let source = diagnostic.source(source);
        let mut message = placed_message(diagnostic);
        let Some(main) = diagnostic.labels.first() else {
            message = format!("{}: {message}", source.name);
            return Self { diagnostic, message, labels: Vec::new(), excerpt: None };
        };
        let excerpt = Excerpt::new(source, &main.span);
        let shown = if excerpt.window.is_some() { 1 } else { diagnostic.labels.len() };
        let labels = diagnostic.labels.iter().take(shown).enumerate();
        let labels = labels.map(|(at, label)| excerpt.label(label, at == 0)).collect();
        Self { diagnostic, message, labels, excerpt: Some(excerpt) }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Note => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

struct Drawn<'a> {
    handler: &'a MietteHandler,
    report: &'a Report<'a>,
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handler.debug(self.report, f)
    }
}

/// The part of a source that miette shows: all of it, or a window of one long line.
#[derive(Debug)]
struct Excerpt<'a> {
    source: &'a Source,
    /// Byte range that is shown of a long line. `None` if the line is short and is shown whole.
    window: Option<Range<usize>>,
}

impl<'a> Excerpt<'a> {
    fn new(source: &'a Source, main: &Range<usize>) -> Self {
        let text = &*source.text;
        let bounded = |at: usize| char_boundary(text, at);
        let at = bounded(main.start);
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |len| at + len);
        let window = (end - start > LONG_LINE).then(|| {
            let from = bounded(at.saturating_sub(AROUND)).max(start);
            let to = bounded(main.end.clamp(at, at + AROUND) + AROUND).min(end);
            from..to
        });
        Self { source, window }
    }

    /// Converts a label to miette's form, cut to the end of the text or window.
    fn label(&self, label: &Label, primary: bool) -> LabeledSpan {
        let end = self.window.as_ref().map_or(self.source.text.len(), |window| window.end);
        let from = label.span.start.min(end);
        let span = SourceSpan::new(from.into(), label.span.end.clamp(from, end) - from);
        let text = (!label.text.is_empty()).then(|| label.text.clone());
        if primary {
            LabeledSpan::new_primary_with_span(text, span)
        } else {
            LabeledSpan::new_with_span(text, span)
        }
    }
}

impl SourceCode for Excerpt<'_> {
    fn read_span<'s>(
        &'s self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'s> + 's>, MietteError> {
        let name = self.source.name.to_string();
        let text = &*self.source.text;
        let Some(window) = &self.window else {
            let lines = text.read_span(span, before, after)?;
            return Ok(Box::new(MietteSpanContents::new_named(
                name,
                lines.data(),
                *lines.span(),
                lines.line(),
                lines.column(),
                lines.line_count(),
            )));
        };
        // Without context lines, miette asks for the position only. With them, it asks for the text
        // to show.
        let shown =
            if before == 0 { span.offset()..span.offset() + span.len() } else { window.clone() };
        let data = text.as_bytes().get(shown.clone()).ok_or(MietteError::OutOfBounds)?;
        let (line, column) = self.source.line_column(shown.start);
        let span = SourceSpan::new(shown.start.into(), shown.len());
        let contents = MietteSpanContents::new_named(name, data, span, line - 1, column - 1, 1);
        Ok(Box::new(contents))
    }
}
