//! Masks along a speculated continuation: a row for the position, and one after each draft token that the grammar takes.

use std::sync::Arc;

use crate::batch::words_of;
use crate::error::BatchError;
use crate::grammar::Grammar;
use crate::listing::Listing;
use crate::mask::Mask;
use crate::matcher::{Matcher, advance, beside};
use crate::options::Settings;
use crate::sequence::{Scratch, Sequence};

impl Matcher {
    /// Fills a bitmask of `[rows, row_words]` for speculative decoding: row 0 with the mask of the position, and one row
    /// after each draft token, up to the first that is not allowed. The rows that are left get a copy of the last one, so
    /// no row allows what the grammar does not at that place. Returns how many drafts were allowed; the matcher does not
    /// move, however small its rollback window.
    ///
    /// After an end token a row holds the end tokens, as that of any finished sequence. O(rows x `row_words`).
    ///
    /// # Errors
    ///
    /// The bitmask is not a whole number of rows, has fewer than one more than there are drafts, or a row has no room for
    /// the mask. Then nothing was written.
    pub fn fill_drafts(
        &mut self,
        drafts: &[u32],
        bitmask: &mut [u32],
        row_words: usize,
    ) -> Result<usize, BatchError> {
        let len = bitmask.len();
        let rows = len.checked_div(row_words).unwrap_or(0);
        if rows * row_words != len {
            return Err(BatchError::Length { len, row_len: row_words });
        }
        if rows <= drafts.len() {
            return Err(BatchError::Row { row: drafts.len(), rows });
        }
        words_of(self, row_words).map_err(|source| BatchError::Buffer { row: 0, source })?;

        self.catch_up();
        let (grammar, settings) = (&self.grammar, &*self.settings);
        let sequence = Arc::make_mut(&mut self.sequence);
        let scratch = &mut self.scratch;
        sequence.load(scratch);
        let mut allowed = 0;
        let mut rest = bitmask;
        loop {
            let (row, others) = rest.split_at_mut(row_words);
            write(grammar, settings, (sequence, scratch, &mut self.listing), row);
            let draft = drafts.get(allowed);
            let taken = draft.map(|&draft| advance(grammar, settings, sequence, scratch, draft));
            if !matches!(taken, Some(Ok(()))) {
                others.chunks_exact_mut(row_words).for_each(|other| other.copy_from_slice(row));
                return Ok(allowed);
            }
            allowed += 1;
            rest = others;
        }
    }
}

/// Writes the mask of `scratch.position`.
fn write(
    grammar: &Grammar,
    settings: &Settings,
    (sequence, scratch, listing): (&mut Sequence, &mut Scratch, &mut Listing),
    row: &mut [u32],
) {
    grammar.chains().collect(&sequence.frames, &scratch.position, &mut scratch.parts);
    let ended = scratch.position.is_empty() || sequence.is_accepting(grammar, &scratch.position);
    let ends = if ended { &settings.end_tokens[..] } else { &[] };
    let listed = beside(grammar, settings, sequence, scratch, listing, ends);
    let Scratch { parts, excluded, .. } = scratch;
    Mask::new(grammar, parts, excluded, listed, ends, settings.width).write(row);
}
