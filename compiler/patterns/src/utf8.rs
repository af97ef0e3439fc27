//! The byte sequences of well-formed UTF-8 (Unicode 17, table 3-7).

use grammarc_grammar::ir::ByteSet;

/// What is missing of a UTF-8 character: the range of its next byte, and the number of bytes after
/// that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rest {
    lo: u8,
    hi: u8,
    more: u8,
}

impl Rest {
    /// Returns the bytes that may come next in the character.
    pub fn bytes(self) -> ByteSet {
        ByteSet::range(self.lo, self.hi)
    }

    /// Returns what is missing after the next byte. `None` if the next byte is the last.
    pub fn next(self) -> Option<Self> {
        self.more.checked_sub(1).map(|more| Self { lo: 0x80, hi: 0xbf, more })
    }
}

/// Returns the first bytes of all multi-byte characters, in disjoint sets. Each set comes with what
/// is then missing.
pub fn leads() -> [(ByteSet, Rest); 7] {
    let range = ByteSet::range;
    let rest = |lo, hi, more| Rest { lo, hi, more };
    [
        (range(0xc2, 0xdf), rest(0x80, 0xbf, 0)),
        (range(0xe0, 0xe0), rest(0xa0, 0xbf, 1)),
        (range(0xe1, 0xec).union(range(0xee, 0xef)), rest(0x80, 0xbf, 1)),
        (range(0xed, 0xed), rest(0x80, 0x9f, 1)),
        (range(0xf0, 0xf0), rest(0x90, 0xbf, 2)),
        (range(0xf1, 0xf3), rest(0x80, 0xbf, 2)),
        (range(0xf4, 0xf4), rest(0x80, 0x8f, 2)),
    ]
}
