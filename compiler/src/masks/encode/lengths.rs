//! Bounds on the lists of a mask record.
//!
//! A row costs the runtime as much as one token in sixteen words: longer lists are rows, or differences to rows.

/// Words of a row that are copied in the time of setting one token of a list.
const WORDS_A_TOKEN: usize = 16;

/// How long lists may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    /// u32 words of a row.
    pub(crate) row_words: usize,
    /// Whether other grammars share the rows.
    pub(crate) is_vocabulary: bool,
}

impl Lengths {
    /// Most tokens of a set that has no row, whatever the rows.
    pub(crate) fn always_listed(self) -> usize {
        self.row_words / WORDS_A_TOKEN
    }

    /// The most tokens of a list, and the most in which a mask differs from its row.
    pub(super) fn most_listed(self) -> usize {
        // Half the room of a row.
        if self.is_vocabulary { self.always_listed() } else { self.row_words / 2 }
    }

    /// Most tokens in which a set of `count` tokens differs from its row.
    pub(crate) fn worth_differing(self, count: u32) -> usize {
        self.most_listed().min(count as usize / 2)
    }
}
