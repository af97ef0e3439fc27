//! Edits: what a repair did to the text, in the order of the text, and how sure each of them is.

use std::ops::Range;

/// One change of the source. The edits of a repair do not overlap and are in order, so that [`replay`] makes its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The part of the source that is replaced, in bytes; empty where something is inserted.
    pub at: Range<usize>,
    /// The fault that was mended.
    pub kind: EditKind,
    /// The part of the source that is left out.
    pub removed: String,
    /// The text in its place.
    pub inserted: String,
    /// How sure it is that this was meant.
    pub grade: Grade,
}

/// How sure an edit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The source says what was meant, in another notation or with a mark too many or too few.
    Certain,
    /// The likeliest reading of several that are conceivable.
    Likely,
}

impl Grade {
    /// Its name: `certain`, `likely`.
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
    /// Another document before or after the one that was taken, with the text between them.
    OtherDocument,
    /// A byte order mark.
    ByteOrderMark,
    /// White space that JSON does not have.
    Space,
    /// A comment.
    Comment,
    /// A comma that is missing.
    MissingComma,
    /// A comma too many.
    ExtraComma,
    /// A colon that is missing.
    MissingColon,
    /// A colon too many.
    ExtraColon,
    /// A mark of another notation: `;` for a comma, `=` or `=>` for a colon, full-width separators and brackets.
    Separator,
    /// A closer that is missing at the end of the text.
    MissingEnd,
    /// A closer that is missing before the end.
    MissingCloser,
    /// A closer too many.
    ExtraCloser,
    /// An opener too many.
    ExtraOpener,
    /// Quotes of another style.
    QuoteStyle,
    /// A quote that is missing.
    MissingQuote,
    /// A quote in a string that is not escaped.
    InnerQuote,
    /// A control character in a string.
    ControlCharacter,
    /// An escape that JSON does not have.
    Escape,
    /// A key without quotes.
    BareKey,
    /// A string without quotes.
    BareString,
    /// `True`, `False`, `None` and the like.
    Literal,
    /// A number in a form that JSON does not have.
    Number,
    /// A scalar of another type, under the option `coerce`.
    Coerced,
    /// A part at the end of the text that is not whole.
    Truncated,
}

impl EditKind {
    /// Its name, in lower case with hyphens.
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

    /// How sure an edit of the kind is, where nothing makes it less sure.
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

/// The text that edits make of a source.
///
/// The edits must be in order and lie within the source at the borders of characters, as those of a repair do: what
/// does not is left out.
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
