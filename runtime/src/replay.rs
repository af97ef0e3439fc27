//! The masks of an output that is known, one row for each of its tokens.
//!
//! A trainer needs the masks under which an output was sampled. They are not stored with the output: the artifact and the
//! tokens give the same bits again.
//!
//! Tests: `src/tests/drafts.rs`.

use crate::error::BatchError;
use crate::mask::union::check_rows;
use crate::matcher::Matcher;

impl Matcher {
    /// Accepts the tokens of an output in order, and writes to row `i` of a bitmask the mask that token `i` was drawn from.
    /// The bitmask is `[rows, row_words]`: one bit for each token of the vocabulary, 32 in a word. Returns the number of
    /// accepted tokens. The matcher stops at the first token that is not accepted.
    ///
    /// Rows after that of the last accepted or refused token are copies of it. No row is written if there are no tokens.
    /// The tokens can be rolled back within the matcher's window. O(rows x `row_words`).
    ///
    /// # Errors
    ///
    /// The bitmask is not a whole number of rows, or has fewer rows than there are tokens. Or its rows are too short for
    /// a mask. No row is written then, and the matcher does not move.
    pub fn replay(
        &mut self,
        tokens: &[u32],
        bitmask: &mut [u32],
        row_words: usize,
    ) -> Result<usize, BatchError> {
        check_rows(self.logit_width(), bitmask.len(), row_words, tokens.len())?;
        let mut rest = bitmask;
        for (accepted, &token) in tokens.iter().enumerate() {
            let (row, others) = rest.split_at_mut(row_words);
            self.mask().write(row);
            let is_last = accepted + 1 == tokens.len();
            let is_accepted = self.accept(token).is_ok();
            if is_last || !is_accepted {
                others.chunks_exact_mut(row_words).for_each(|other| other.copy_from_slice(row));
                return Ok(accepted + usize::from(is_accepted));
            }
            rest = others;
        }
        Ok(0)
    }
}
