//! Bounds on the lengths of the token lists of a stored mask.
//!
//! At run time, setting one token of a list takes as long as copying 16 words of a bit row. So sets with longer lists
//! become rows, or differences to rows.

/// The run-time cost of setting one token of a list, in copied 32-bit words of a bit row (one bit per token).
const WORDS_A_TOKEN: usize = 16;

/// The limits on the lengths of token lists, in tokens, for one vocabulary or grammar. A longer list is stored as a bit
/// row (one bit per token).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    /// The number of 32-bit words of a bit row (one bit per token).
    pub(crate) row_words: usize,
    /// Whether the masks are those of a vocabulary, whose bit rows (one bit per token) all grammars share.
    pub(crate) is_vocabulary: bool,
}

impl Lengths {
    /// Returns the greatest number of tokens of a set that is always stored as a list, even if it hardly differs from a
    /// bit row. It is one token for each 16 words of a bit row (one bit per token).
    pub(crate) fn always_listed(self) -> usize {
        self.row_words / WORDS_A_TOKEN
    }

    /// Returns the greatest number of tokens of a list. A set may also differ from a bit row (one bit per token) in at
    /// most this many tokens.
    pub(super) fn most_listed(self) -> usize {
        // A list of a grammar takes at most half the memory of a row.
        if self.is_vocabulary { self.always_listed() } else { self.row_words / 2 }
    }

    /// Returns the greatest number of tokens in which a set of `count` tokens may differ from a bit row (one bit per
    /// token). With more, the difference is not worth storing.
    pub(crate) fn worth_differing(self, count: u32) -> usize {
        self.most_listed().min(count as usize / 2)
    }
}
