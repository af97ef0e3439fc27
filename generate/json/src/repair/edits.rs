//! Edits: the changes that a repair makes in a text, with their certainty.

use std::ops::Range;

/// One change of the source. The edits of a repair are in order and do not overlap, so that
/// [`replay`] applies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte range in the source that is replaced. Empty for an insertion.
    pub at: Range<usize>,
    /// The kind of fault that the edit repairs.
    pub kind: EditKind,
    /// The text that is removed from the source.
    pub removed: String,
    /// The text that replaces the removed text. Empty for a pure removal.
    pub inserted: String,
    /// How certain the edit is.
    pub grade: Grade,
}

/// How certain an edit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The source has only one meaning: it uses another notation, or has one separator, bracket or
    /// quote too many or too few.
    Certain,
    /// The edit gives the likeliest of several possible readings.
    Likely,
}

impl Grade {
    /// Returns the name of the grade: `certain` or `likely`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
        }
    }
}

/// The kind of fault that an edit repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EditKind {
    /// Text before or after the document, such as prose and fences, is removed.
    Outside,
    /// Another document before or after the chosen one is removed, with the text between them.
    OtherDocument,
    /// A byte order mark is removed.
    ByteOrderMark,
    /// White space that JSON does not allow is removed.
    Space,
    /// A comment is removed.
    Comment,
    /// A missing comma is inserted.
    MissingComma,
    /// A superfluous comma is removed.
    ExtraComma,
    /// A missing colon is inserted.
    MissingColon,
    /// A superfluous colon is removed.
    ExtraColon,
    /// A separator or bracket of another notation is replaced: `;` for a comma, `=` or `=>` for a
    /// colon, or a full-width character.
    Separator,
    /// A closing bracket that is missing at the end of the text is inserted.
    MissingEnd,
    /// A closing bracket that is missing before the end of the text is inserted.
    MissingCloser,
    /// A superfluous closing bracket is removed.
    ExtraCloser,
    /// A superfluous opening bracket is removed.
    ExtraOpener,
    /// Quotes of another style are replaced.
    QuoteStyle,
    /// A missing quote is inserted.
    MissingQuote,
    /// An unescaped quote within a string is escaped.
    InnerQuote,
    /// A control character within a string is escaped.
    ControlCharacter,
    /// An escape that JSON does not have is replaced.
    Escape,
    /// A key without quotes is quoted.
    BareKey,
    /// A string value without quotes is quoted.
    BareString,
    /// A literal of another language (`True`, `False`, `None` and similar words) is replaced.
    Literal,
    /// A number in a form that JSON does not allow is replaced.
    Number,
    /// A scalar is converted to another type. Only with the option `coerce`.
    Coerced,
    /// An incomplete item or member at the end of the text is removed or completed.
    Truncated,
}

impl EditKind {
    /// Returns the name of the kind, in lower case with hyphens.
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

    /// Returns how certain an edit of this kind is by default. A particular edit may be less
    /// certain.
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

/// Applies edits to a source and returns the new text.
///
/// The edits must be in order, and their ranges must be within the source at character boundaries,
/// as those of a repair are. An edit that violates this is skipped.
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
