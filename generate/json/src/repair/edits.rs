//! Edits: the changes of a repair, in the order of the text, and their certainty.

use std::ops::Range;

/// One change of the source. The edits of a repair do not overlap and are in order, so that [`replay`] makes its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced part of the source, in bytes. Empty for an insertion.
    pub at: Range<usize>,
    /// The repaired fault.
    pub kind: EditKind,
    /// The replaced text.
    pub removed: String,
    /// The text that replaces it.
    pub inserted: String,
    /// The certainty of the edit.
    pub grade: Grade,
}

/// The certainty of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The source has only one meaning: it has another notation, or a mark too many or too few.
    Certain,
    /// The likeliest of several possible readings.
    Likely,
}

impl Grade {
    /// Returns its name: `certain`, `likely`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
        }
    }
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EditKind {
    /// Text before or after the document: prose, fences.
    Outside,
    /// Another document before or after the chosen one, with the text between them.
    OtherDocument,
    /// A byte order mark.
    ByteOrderMark,
    /// White space that JSON does not have.
    Space,
    /// A comment.
    Comment,
    /// A missing comma.
    MissingComma,
    /// A superfluous comma.
    ExtraComma,
    /// A missing colon.
    MissingColon,
    /// A superfluous colon.
    ExtraColon,
    /// A mark of another notation: `;` for a comma, `=` or `=>` for a colon, full-width separators and brackets.
    Separator,
    /// A missing closer at the end of the text.
    MissingEnd,
    /// A missing closer before the end.
    MissingCloser,
    /// A superfluous closer.
    ExtraCloser,
    /// A superfluous opener.
    ExtraOpener,
    /// Quotes of another style.
    QuoteStyle,
    /// A missing quote.
    MissingQuote,
    /// An unescaped quote in a string.
    InnerQuote,
    /// A control character in a string.
    ControlCharacter,
    /// An escape that JSON does not have.
    Escape,
    /// A key without quotes.
    BareKey,
    /// A string without quotes.
    BareString,
    /// `True`, `False`, `None` and similar words.
    Literal,
    /// A number in a form that JSON does not have.
    Number,
    /// A scalar of another type, under the option `coerce`.
    Coerced,
    /// An incomplete part at the end of the text.
    Truncated,
}

impl EditKind {
    /// Returns its name, in lower case with hyphens.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::OtherDocument => "other-document",
            Self::ByteOrderMark => "byte-order-mark",
            Self::Space => "space",
            Self::Comment => "comment",
            Self::MissingComma => "missing-comma",
            Self::ExtraComma => "extra-comma",
            Self::MissingColon => "missing-colon",
            Self::ExtraColon => "extra-colon",
            Self::Separator => "separator",
            Self::MissingEnd => "missing-end",
            Self::MissingCloser => "missing-closer",
            Self::ExtraCloser => "extra-closer",
            Self::ExtraOpener => "extra-opener",
            Self::QuoteStyle => "quote-style",
            Self::MissingQuote => "missing-quote",
            Self::InnerQuote => "inner-quote",
            Self::ControlCharacter => "control-character",
            Self::Escape => "escape",
            Self::BareKey => "bare-key",
            Self::BareString => "bare-string",
            Self::Literal => "literal",
            Self::Number => "number",
            Self::Coerced => "coerced",
            Self::Truncated => "truncated",
        }
    }

    /// Returns the grade of such an edit, if nothing lowers it.
    pub(crate) fn grade(self) -> Grade {
        match self {
            Self::OtherDocument
            | Self::MissingColon
            | Self::ExtraColon
            | Self::Separator
            | Self::MissingCloser
            | Self::ExtraOpener
            | Self::MissingQuote
            | Self::InnerQuote
            | Self::BareString
            | Self::Number
            | Self::Coerced
            | Self::Truncated => Grade::Likely,
            _ => Grade::Certain,
        }
    }
}

/// Applies edits to a source.
///
/// The edits must be in order and lie within the source at character boundaries, like those of a repair. Other edits
/// are skipped.
pub fn replay(source: &str, edits: &[Edit]) -> String {
    let mut text = String::with_capacity(source.len());
    let mut from = 0;
    for edit in edits {
        let Some(kept) = source.get(from..edit.at.start) else { continue };
        text.push_str(kept);
        text.push_str(&edit.inserted);
        from = edit.at.end;
    }
    text.push_str(source.get(from..).unwrap_or_default());
    text
}
