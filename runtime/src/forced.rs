//! Forced continuations: what must come next, so that a host need not ask the model for it.

use std::sync::Arc;

use crate::mask::Mask;
use crate::matcher::{Matcher, advance, beside};
use crate::sequence::{Input, Scratch};

/// Longest run that one call reports. A grammar may force a run of any length (an exact count of a million, say),
/// and a host can ask again.
pub const MAX_FORCED_RUN: usize = 4096;

impl Matcher {
    /// Writes the longest run of tokens in which each is the only one allowed and the sequence may not end, up to
    /// [`MAX_FORCED_RUN`]. The buffer is emptied first; the matcher does not move.
    pub fn forced_tokens(&mut self, run: &mut Vec<u32>) {
        run.clear();
        self.catch_up();
        let (grammar, settings) = (&self.grammar, &*self.settings);
        let sequence = Arc::make_mut(&mut self.sequence);
        let scratch = &mut self.scratch;
        sequence.load(scratch);
        while run.len() < MAX_FORCED_RUN && !sequence.is_accepting(grammar, &scratch.position) {
            grammar.chains().collect(&sequence.frames, &scratch.position, &mut scratch.parts);
            let listing = &mut self.listing;
            let listed = beside(grammar, settings, sequence, scratch, listing, &[]);
            let Scratch { parts, excluded, .. } = &*scratch;
            let mask = Mask::new(grammar, parts, excluded, listed, &[], settings.width);
            let Some(token) = mask.only() else { break };
            let taken = advance(grammar, settings, sequence, scratch, token);
            if taken.is_err() {
                break;
            }
            run.push(token);
        }
    }

    /// Writes the longest run of bytes with which every continuation begins, up to [`MAX_FORCED_RUN`] and not past a
    /// place where the sequence may end. The buffer is emptied first; the matcher does not move.
    ///
    /// The run is one of the grammar's bytes: whether tokens meet in its end is the tokenizer's affair.
    pub fn forced_bytes(&mut self, run: &mut Vec<u8>) {
        run.clear();
        let (grammar, limits) = (&self.grammar, self.settings.limits);
        let sequence = Arc::make_mut(&mut self.sequence);
        let scratch = &mut self.scratch;
        sequence.load(scratch);
        while run.len() < MAX_FORCED_RUN && !sequence.is_accepting(grammar, &scratch.position) {
            let Ok(first) = sequence.first_bytes(grammar, limits, scratch) else { break };
            let Some(byte) = first.only() else { break };
            if sequence.advance(grammar, limits, scratch, Input::Byte(&[byte])) != Ok(true) {
                break;
            }
            run.push(byte);
        }
    }
}
