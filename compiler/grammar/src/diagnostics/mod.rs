//! Diagnostics as data: a problem, its position in the user's source, and advice.
//!
//! The library never prints and never uses colours. A front end returns [`Diagnostic`] values with
//! byte ranges in a [`Source`], and the command-line program formats them.
//!
//! Tests: unit tests in `encoding`; `compiler/tests/messages.rs` for the messages of every language.

pub mod encoding;
pub mod json;
pub mod report;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A source text, with the name by which the user knows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The file name. For text that is not from a file, a name in angle brackets.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl Source {
    /// Creates a source from its name and its text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Returns the line and the column of a byte offset, both from 1. The column counts characters.
    /// An offset beyond the text counts as its end. O(offset).
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Information. Nothing has to be done.
    Note,
    /// The source compiles, but probably not as intended.
    Warning,
    /// The source does not compile.
    Error,
}

/// A range of a source text with a short explanation, as a part of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Byte range in the source text.
    pub span: Range<usize>,
    /// The explanation of why the range is marked. May be empty.
    pub text: String,
    /// The source that the range is in, if the compiled source refers to it. `None` for the
    /// compiled source itself.
    pub source: Option<Source>,
}

/// One diagnostic about a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable identifier, such as `gbnf::unknown-rule` or `json-schema::unsupported-keyword`.
    pub code: &'static str,
    /// The severity of the problem.
    pub severity: Severity,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// Advice on how to solve the problem.
    pub help: Option<String>,
    /// The JSON pointer of the position, if the source is JSON. `""` is the whole document.
    pub pointer: Option<String>,
    /// The ranges of the source that the diagnostic is about, the main range first.
    pub labels: Vec<Label>,
}

impl Diagnostic {
    /// Creates an error with a code and a message.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// Creates a warning with a code and a message.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// Creates a note with a code and a message.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Note, message)
    }

    /// Creates a diagnostic with a code, a severity and a message, and without advice, position and
    /// labels.
    fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            help: None,
            pointer: None,
            labels: Vec::new(),
        }
    }

    /// Returns the diagnostic with `help` as its advice to the user.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the diagnostic with one more label: a byte range in the compiled source, and a short
    /// explanation.
    #[must_use]
    pub fn with_label(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), source: None });
        self
    }

    /// Returns the source that contains the main label. Returns `None` if that is the compiled source, or if there is
    /// no label.
    pub fn within(&self) -> Option<&Source> {
        self.labels.first()?.source.as_ref()
    }

    /// Returns the source that contains the main label. Returns `compiled`, the compiled source, if the label names no
    /// other source.
    pub fn source<'d>(&'d self, compiled: &'d Source) -> &'d Source {
        self.within().unwrap_or(compiled)
    }

    /// Returns the diagnostic with its labels in `source`, a source that the compiled source refers
    /// to. Without a label, the start of `source` is labelled. Labels that already belong to
    /// another such source stay as they are.
    #[must_use]
    pub fn in_source(mut self, source: &Source) -> Self {
        if self.labels.is_empty() {
            self = self.with_label(0..0, "");
        }
        for label in &mut self.labels {
            label.source.get_or_insert_with(|| source.clone());
        }
        self
    }

    /// Returns the diagnostic with a JSON pointer as its position.
    #[must_use]
    pub fn with_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(pointer) = &self.pointer {
            write!(f, " (at {})", if pointer.is_empty() { "the root" } else { pointer })?;
        }
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
