//! Diagnostics as data: the problem, its position in the user's source, and advice.
//!
//! The library never prints and never colours. A front end returns [`Diagnostic`] values with byte spans into a
//! [`Source`]; the binary draws them.
//!
//! Tests: unit tests in `encoding`; `compiler/tests/messages.rs` for the messages of every language.

pub mod encoding;
pub mod json;
pub mod report;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A source text with the name the user knows it by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// File name, or a name in angle brackets for text that came from elsewhere.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl Source {
    /// A source from a name and its text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Line and column of a byte offset, both from 1; the column counts characters. O(offset).
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
    /// Worth knowing, nothing to do.
    Note,
    /// Compiles, but probably not as meant.
    Warning,
    /// Does not compile.
    Error,
}

/// A range of the source with a short explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Byte range in the source text.
    pub span: Range<usize>,
    /// The text of the label; may be empty.
    pub text: String,
    /// The source of the range. `None` if it is the compiled one, `Some` if the compiled one refers to it.
    pub source: Option<Source>,
}

/// One diagnostic about a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable identifier, such as `gbnf::unknown-rule` or `json-schema::unsupported-keyword`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// Advice on the error.
    pub help: Option<String>,
    /// JSON pointer to the position, for sources that are JSON (`""` is the whole document).
    pub pointer: Option<String>,
    /// Ranges of the source, the main one first.
    pub labels: Vec<Label>,
}

impl Diagnostic {
    /// An error with this code and message.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning with this code and message.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// A note with this code and message.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Note, message)
    }

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

    /// Adds advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn with_label(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), source: None });
        self
    }

    /// The source of the main label. `None` if it is the compiled one.
    pub fn within(&self) -> Option<&Source> {
        self.labels.first()?.source.as_ref()
    }

    /// The source of the main label, with `compiled` as the default.
    pub fn source<'d>(&'d self, compiled: &'d Source) -> &'d Source {
        self.within().unwrap_or(compiled)
    }

    /// Moves the labels to a source that the compiled one refers to. Without a label, the start of that source is
    /// labelled. Labels of other such sources stay as they are.
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

    /// Sets the JSON pointer.
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
