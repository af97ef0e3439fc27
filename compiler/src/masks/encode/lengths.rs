//! Bounds on the lengths of the token lists in a mask record.
//!
//! The runtime copies 16 words of a bit row in the time in which it sets one token of a list. So sets with longer lists
//! become rows, or differences to rows.

/// The number of 32-bit words of a row that the runtime copies in the time in which it sets one token of a list.
const WORDS_A_TOKEN: usize = 16;

/// The limits on the lengths of token lists, for one vocabulary or grammar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    /// The number of 32-bit words of a bit row.
    pub(crate) row_words: usize,
    /// Whether the masks are those of a vocabulary, whose rows all grammars share.
    pub(crate) is_vocabulary: bool,
}

impl Lengths {
    /// Returns the most tokens of a set that is a list, however near a row is: one for each 16 words of a row.
    pub(crate) fn always_listed(self) -> usize {
        self.row_words / WORDS_A_TOKEN
    }

    /// Returns the most tokens of a list, which is also the most tokens in which a mask may differ from its row.
    pub(super) fn most_listed(self) -> usize {
        // A list of a grammar takes at most half the memory of a row.
        if self.is_vocabulary { self.always_listed() } else { self.row_words / 2 }
    }

    /// Returns the most tokens in which a set of `count` tokens may differ from its row.
    pub(crate) fn worth_differing(self, count: u32) -> usize {
        self.most_listed().min(count as usize / 2)
    }
}
