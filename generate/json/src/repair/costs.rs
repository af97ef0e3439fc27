//! The costs of readings: the less likely, the higher. A repair is the cheapest path through the lattice.
//!
//! A model that writes single quotes once writes them throughout. So the habits of a document cost once ([`Styles`]),
//! and slips cost each time. A reading that splits a text (a quote next to a comma as part of a string, a separator
//! inside a bare word) has a high cost, so it wins only if there is no other explanation.
//!
//! The numbers are ranks and not probabilities: only comparisons of sums matter. They are the same with a schema and
//! without.

/// A sum of costs.
pub(super) type Cost = u16;

/// The first use of a style.
pub(super) const STYLE: Cost = 2;
/// The first white space that JSON does not have.
pub(super) const SPACE: Cost = 1;
/// Text before or after the document.
pub(super) const OUTSIDE: Cost = 1;
/// Such text that contains a container: no reading drops data.
pub(super) const OUTSIDE_DATA: Cost = 60;
/// Such text with brackets that may be prose.
pub(super) const OUTSIDE_BRACKETS: Cost = 5;
/// Closers and commas after the document.
pub(super) const EXTRA_CLOSERS: Cost = 4;
/// A comment with data, beyond [`STYLE`]: quotes or openers in it may belong to members.
pub(super) const COMMENT_DATA: Cost = 4;
/// An inserted closer where the indentation of the source says that its container ended.
pub(super) const OUTDENTED: Cost = 1;
/// The same before another closer.
pub(super) const OUTDENTED_CLOSER: Cost = 2;
/// Extra cost up to which a reading with a missing closer elsewhere is equally good. Only for readings that differ in
/// the place of the closer.
pub(super) const CLOSER_MARGIN: Cost = 2;
/// Extra cost up to which a reading without undeclared keys is preferred.
pub(super) const CLOSED_MARGIN: Cost = 4;
/// An incomplete part at the end.
pub(super) const TAIL: Cost = 3;
/// An open string at the end.
pub(super) const OPEN_STRING: Cost = 3;
/// A complete document, with repairs, in a text that is known to be truncated.
pub(super) const CUT_WHOLE: Cost = 4;
/// An inserted comma, colon or closer.
pub(super) const INSERT: Cost = 4;
/// A deleted comma, colon or closer.
pub(super) const DELETE: Cost = 4;
/// A deleted opener.
pub(super) const DELETE_OPENER: Cost = 11;
/// A missing quote.
pub(super) const QUOTE: Cost = 4;
/// A missing closing quote, beyond [`QUOTE`], if a quote inside the string may be the closing one.
pub(super) const QUOTE_APART: Cost = 2;
/// A separator in a string without an opening quote.
pub(super) const UNOPENED_SEPARATOR: Cost = 1;
/// A bracket or a brace in such a string.
pub(super) const UNOPENED_BRACKET: Cost = 4;
/// A string without quotes.
pub(super) const BARE: Cost = 3;
/// A separator in such a string.
pub(super) const BARE_SEPARATOR: Cost = 6;
/// A quote inside a string.
pub(super) const INNER: Cost = 2;
/// A quote inside that looks like the string's end, or another's start.
pub(super) const INNER_DELIMITER: Cost = 9;
/// Control characters or unknown escapes in a string, after the first such string.
pub(super) const CHARACTERS_AGAIN: Cost = 1;
/// A number in a form that JSON does not have.
pub(super) const NUMBER: Cost = 3;

/// Maximum cost of a repair. A dearer one is not found.
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
    /// A closing brace was deleted. Inserting one later, or deleting an opening one, would move members or merge two
    /// objects.
    pub(super) const LOST_BRACE: Self = Self(1024);
    /// A closing bracket was deleted.
    pub(super) const LOST_BRACKET: Self = Self(2048);
    pub(super) const SEPARATORS: Self = Self(4096);
    pub(super) const TRIPLE: Self = Self(8192);
    /// Styles without a cost of their own: the deletion has one.
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

    /// Returns the mark of a deleted closer. Empty for any other byte.
    pub(super) fn lost(byte: u8) -> Self {
        match byte {
            b'{' | b'}' => Self::LOST_BRACE,
            b'[' | b']' => Self::LOST_BRACKET,
            _ => Self::NONE,
        }
    }

    /// Returns the cost of styles, given those that were used before.
    pub(super) fn price(self, used: Self) -> Cost {
        let new = used.0 & !self.0 & !Self::FREE;
        let again = used.0 & self.0 & (Self::CONTROLS.0 | Self::ESCAPES.0);
        let first = new & !Self::SPACES.0;
        STYLE * first.count_ones() as Cost
            + SPACE * (new & Self::SPACES.0).count_ones() as Cost
            + CHARACTERS_AGAIN * again.count_ones() as Cost
    }
}
