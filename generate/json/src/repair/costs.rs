//! The cost of a reading: the less likely, the more. A repair is the cheapest way through the text.
//!
//! A model that writes single quotes once writes them throughout, so what is a habit of a whole document is paid once
//! ([`Styles`]); what is a slip is paid each time. A reading that would take a text apart (a quote beside a comma as part of
//! a string, a separator inside a bare word) is dear, so that it wins only where nothing else explains the text.
//!
//! The numbers are ranks and no probabilities: what matters is which of two sums is less. They are the same with a schema and
//! without.

/// A sum of costs.
pub(super) type Cost = u16;

/// A style, the first time.
pub(super) const STYLE: Cost = 2;
/// White space that JSON does not have, the first time.
pub(super) const SPACE: Cost = 1;
/// Text outside the document, before or behind it.
pub(super) const OUTSIDE: Cost = 1;
/// The same with a container in it: no reading of a text leaves data out.
pub(super) const OUTSIDE_DATA: Cost = 60;
/// The same with brackets in it that may be of prose.
pub(super) const OUTSIDE_BRACKETS: Cost = 5;
/// Closers and commas behind the document.
pub(super) const EXTRA_CLOSERS: Cost = 4;
/// Beyond [`STYLE`], a comment with data in it: one with quotes or openers may be of members.
pub(super) const COMMENT_DATA: Cost = 4;
/// A closer that is inserted where the layout of the source says that its container ended.
pub(super) const OUTDENTED: Cost = 1;
/// The same before another closer.
pub(super) const OUTDENTED_CLOSER: Cost = 2;
/// How much more than the best a reading may cost that puts a missing closer elsewhere, to be as good where only the place
/// of the closer tells them apart.
pub(super) const CLOSER_MARGIN: Cost = 2;
/// How much more a reading may cost that takes no key for one that the schema does not name.
pub(super) const CLOSED_MARGIN: Cost = 4;
/// A part at the end that is not whole.
pub(super) const TAIL: Cost = 3;
/// A string that is open at the end.
pub(super) const OPEN_STRING: Cost = 3;
/// A document that ends, with repairs, in a text that is known to be cut.
pub(super) const CUT_WHOLE: Cost = 4;
/// A comma, a colon or a closer that is inserted.
pub(super) const INSERT: Cost = 4;
/// A comma, a colon or a closer that is deleted.
pub(super) const DELETE: Cost = 4;
/// An opener that is deleted.
pub(super) const DELETE_OPENER: Cost = 11;
/// A quote that is missing.
pub(super) const QUOTE: Cost = 4;
/// Beyond [`QUOTE`], a closing quote that is missing where one inside the string might be it.
pub(super) const QUOTE_APART: Cost = 2;
/// A separator in a string whose opening quote is missing.
pub(super) const UNOPENED_SEPARATOR: Cost = 1;
/// A bracket or a brace in one.
pub(super) const UNOPENED_BRACKET: Cost = 4;
/// A string without quotes.
pub(super) const BARE: Cost = 3;
/// A separator in it.
pub(super) const BARE_SEPARATOR: Cost = 6;
/// A quote inside a string.
pub(super) const INNER: Cost = 2;
/// The same where it looks like the string's end, or another's begin.
pub(super) const INNER_DELIMITER: Cost = 9;
/// Control characters or unknown escapes in a string, after the first such string.
pub(super) const CHARACTERS_AGAIN: Cost = 1;
/// A number in a form that JSON does not have.
pub(super) const NUMBER: Cost = 3;

/// The dearest repair.
pub(super) const MOST: Cost = 16;

/// Habits of a document, a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Styles(pub(super) u16);

impl Styles {
    pub(super) const NONE: Self = Self(0);
    pub(super) const SINGLE: Self = Self(1);
    pub(super) const CURLY: Self = Self(2);
    pub(super) const BACK: Self = Self(4);
    pub(super) const BARE_KEYS: Self = Self(8);
    pub(super) const LITERALS: Self = Self(16);
    pub(super) const COMMENTS: Self = Self(32);
    pub(super) const CONTROLS: Self = Self(64);
    pub(super) const ESCAPES: Self = Self(128);
    pub(super) const SPACES: Self = Self(256);
    /// Closers were inserted at the end.
    pub(super) const ENDED: Self = Self(512);
    /// A closing brace was deleted. One that is then inserted, or an opening one that is deleted, would move members or
    /// merge two objects.
    pub(super) const LOST_BRACE: Self = Self(1024);
    /// The same of brackets.
    pub(super) const LOST_BRACKET: Self = Self(2048);
    pub(super) const SEPARATORS: Self = Self(4096);
    pub(super) const TRIPLE: Self = Self(8192);
    /// Styles that cost nothing: the deletion costs.
    const FREE: u16 = Self::LOST_BRACE.0 | Self::LOST_BRACKET.0;

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, style: Self) -> bool {
        self.0 & style.0 != 0
    }

    /// Whether a closer of this kind was deleted.
    pub(super) fn has_lost(self, byte: u8) -> bool {
        self.0 & Self::lost(byte).0 != 0
    }

    /// The mark of a deleted closer; nothing for any other byte.
    pub(super) fn lost(byte: u8) -> Self {
        match byte {
            b'{' | b'}' => Self::LOST_BRACE,
            b'[' | b']' => Self::LOST_BRACKET,
            _ => Self::NONE,
        }
    }

    /// The cost of styles where these were used before.
    pub(super) fn price(self, used: Self) -> Cost {
        let new = used.0 & !self.0 & !Self::FREE;
        let again = used.0 & self.0 & (Self::CONTROLS.0 | Self::ESCAPES.0);
        let first = new & !Self::SPACES.0;
        STYLE * first.count_ones() as Cost
            + SPACE * (new & Self::SPACES.0).count_ones() as Cost
            + CHARACTERS_AGAIN * again.count_ones() as Cost
    }
}
