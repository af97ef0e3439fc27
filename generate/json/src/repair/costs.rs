//! The costs of readings: the less likely a reading, the higher its cost. A repair is the cheapest
//! path through the lattice of readings.
//!
//! A model that once writes single quotes usually writes them throughout. So each habit of a
//! document costs once ([`Styles`]), but each slip costs every time. Some readings split a text: a
//! quote next to a comma is read as part of a string, or a separator as part of a bare word. Such a
//! reading has a high cost, so it wins only if there is no other explanation.
//!
//! The numbers are ranks, not probabilities: only comparisons of sums matter. They are the same
//! with and without a schema.

/// A sum of costs.
pub(super) type Cost = u16;

/// Repair cost of the first use of a style, such as single quotes.
pub(super) const STYLE: Cost = 2;
/// Repair cost of the first white space that JSON does not allow.
pub(super) const SPACE: Cost = 1;
/// Repair cost of removing text before or after the document.
pub(super) const OUTSIDE: Cost = 1;
/// Additional repair cost of removing text that contains a container, that is data. It exceeds
/// [`MOST`], so no repair removes such text.
pub(super) const OUTSIDE_DATA: Cost = 60;
/// Additional repair cost of removing text with brackets that may belong to prose.
pub(super) const OUTSIDE_BRACKETS: Cost = 5;
/// Repair cost of removing superfluous closing brackets and commas after the document.
pub(super) const EXTRA_CLOSERS: Cost = 4;
/// Repair cost of removing a comment with quotes or opening brackets, added to [`STYLE`]. Such a
/// comment may really contain members of the document.
pub(super) const COMMENT_DATA: Cost = 4;
/// Repair cost of inserting a closing bracket where the indentation of the source shows that its
/// container has ended.
pub(super) const OUTDENTED: Cost = 1;
/// Repair cost of inserting a closing bracket as for [`OUTDENTED`], but directly before another
/// closing bracket.
pub(super) const OUTDENTED_CLOSER: Cost = 2;
/// Cost difference up to which two readings are equally good, if they differ only in where a
/// missing closing bracket is inserted.
pub(super) const CLOSER_MARGIN: Cost = 2;
/// Additional repair cost up to which a reading without undeclared keys is preferred to a cheaper
/// reading with such keys.
pub(super) const CLOSED_MARGIN: Cost = 4;
/// Repair cost of removing an incomplete item or member at the end of the text.
pub(super) const TAIL: Cost = 3;
/// Repair cost of a string that the end of the text leaves open.
pub(super) const OPEN_STRING: Cost = 3;
/// Repair cost of reading a repaired document as complete, although the text is known to be
/// truncated.
pub(super) const CUT_WHOLE: Cost = 4;
/// Repair cost of inserting a comma, a colon or a closing bracket.
pub(super) const INSERT: Cost = 4;
/// Repair cost of deleting a comma, a colon or a closing bracket.
pub(super) const DELETE: Cost = 4;
/// Repair cost of deleting an opening bracket.
pub(super) const DELETE_OPENER: Cost = 11;
/// Repair cost of a missing quote.
pub(super) const QUOTE: Cost = 4;
/// Additional repair cost of a missing closing quote, if a quote within the string may be the
/// closing one.
pub(super) const QUOTE_APART: Cost = 2;
/// Repair cost of each separator in a string whose opening quote is missing.
pub(super) const UNOPENED_SEPARATOR: Cost = 1;
/// Repair cost of each bracket in a string whose opening quote is missing.
pub(super) const UNOPENED_BRACKET: Cost = 4;
/// Repair cost of a string value without quotes.
pub(super) const BARE: Cost = 3;
/// Repair cost of each separator in a string value without quotes.
pub(super) const BARE_SEPARATOR: Cost = 6;
/// Repair cost of each unescaped quote within a string.
pub(super) const INNER: Cost = 2;
/// Repair cost of each unescaped quote within a string that looks like the end of the string or the
/// start of another.
pub(super) const INNER_DELIMITER: Cost = 9;
/// Repair cost of each further string with control characters or unknown escapes, after the first
/// one.
pub(super) const CHARACTERS_AGAIN: Cost = 1;
/// Repair cost of a number in a form that JSON does not allow.
pub(super) const NUMBER: Cost = 3;

/// Maximum cost of a repair. A more expensive repair is not found, so the text is rejected.
pub(super) const MOST: Cost = 16;

/// The styles (habits) that a document uses, as a set of bits.
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
    /// Closing brackets were inserted at the end of the text.
    pub(super) const ENDED: Self = Self(512);
    /// A closing brace was deleted. After that, no brace may be inserted, and no opening brace
    /// deleted: this would move members or merge two objects.
    pub(super) const LOST_BRACE: Self = Self(1024);
    /// A closing bracket (`]`) was deleted.
    pub(super) const LOST_BRACKET: Self = Self(2048);
    pub(super) const SEPARATORS: Self = Self(4096);
    pub(super) const TRIPLE: Self = Self(8192);
    /// Marks without a cost of their own, because the deletion that sets them has a cost.
    const FREE: u16 = Self::LOST_BRACE.0 | Self::LOST_BRACKET.0;

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, style: Self) -> bool {
        self.0 & style.0 != 0
    }

    /// Whether a closing bracket of the kind of `byte` was deleted.
    pub(super) fn has_lost(self, byte: u8) -> bool {
        self.0 & Self::lost(byte).0 != 0
    }

    /// Returns the mark for the deletion of a closing bracket of the kind of `byte`. Empty for any
    /// other byte.
    pub(super) fn lost(byte: u8) -> Self {
        match byte {
            b'{' | b'}' => Self::LOST_BRACE,
            b'[' | b']' => Self::LOST_BRACKET,
            _ => Self::NONE,
        }
    }

    /// Returns the cost of the styles `used`, if the document has already used the styles of
    /// `self`.
    pub(super) fn price(self, used: Self) -> Cost {
        let new = used.0 & !self.0 & !Self::FREE;
        let again = used.0 & self.0 & (Self::CONTROLS.0 | Self::ESCAPES.0);
        let first = new & !Self::SPACES.0;
        STYLE * first.count_ones() as Cost
            + SPACE * (new & Self::SPACES.0).count_ones() as Cost
            + CHARACTERS_AGAIN * again.count_ones() as Cost
    }
}
