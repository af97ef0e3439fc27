//! A matcher's sequence, advanced ahead of the matcher: for tokens, drafts and forced runs that are tried.

use crate::distinct::excluded::Walk;
use crate::error::{AcceptError, LimitError};
use crate::grammar::Grammar;
use crate::listed::UnstoredTokens;
use crate::mask::parts::PartList;
use crate::mask::union::Mask;
use crate::options::Settings;
use crate::step::input::Input;
use crate::step::sequence::{Scratch, Sequence};

/// The parts of the last mask, with the buffers of the walks that find some of them.
#[derive(Debug, Default)]
pub(crate) struct MaskBuffers {
    /// The stored masks.
    pub(crate) parts: PartList,
    /// Tokens of the stored masks that lead to no new item, ascending.
    excluded: Vec<u32>,
    /// Tokens that no stored mask has.
    unstored: UnstoredTokens,
    walk: Walk,
}

impl MaskBuffers {
    /// The mask of the parts. `has_unstored` says whether walks looked for unstored and excluded tokens of this position.
    #[inline]
    pub(crate) fn mask<'m>(
        &'m self,
        grammar: &'m Grammar,
        settings: &'m Settings,
        may_end: bool,
        has_unstored: bool,
    ) -> Mask<'m> {
        Mask {
            grammar,
            parts: &self.parts,
            excluded: &self.excluded,
            unstored: if has_unstored { self.unstored.tokens() } else { &[] },
            ends: settings.ends(may_end),
            width: settings.width,
        }
    }
}

/// A position that is advanced ahead of a matcher. The matcher's own position does not change.
pub(crate) struct Lookahead<'m> {
    pub(crate) grammar: &'m Grammar,
    pub(crate) settings: &'m Settings,
    /// The sequence. Its history ends with the matcher's position.
    pub(crate) sequence: &'m mut Sequence,
    /// The buffers of an advance, with the position.
    pub(crate) scratch: &'m mut Scratch,
    pub(crate) masks: &'m mut MaskBuffers,
}

impl Lookahead<'_> {
    /// Whether the sequence may end at the position.
    pub(crate) fn is_accepting(&self) -> bool {
        self.sequence.is_accepting(self.grammar, &self.scratch.position)
    }

    /// Advances over an input. The result is that of [`Sequence::advance`].
    pub(crate) fn advance(&mut self, input: Input<'_>) -> Result<bool, LimitError> {
        self.sequence.advance(self.grammar, self.settings.limits, self.scratch, input)
    }

    /// Advances over a token. An end token that the grammar does not take leaves the position without configurations.
    ///
    /// # Errors
    ///
    /// The token is not allowed, or a limit was met. The position does not change.
    pub(crate) fn advance_token(&mut self, token: u32) -> Result<(), AcceptError> {
        let width = self.settings.width;
        if token >= width {
            return Err(AcceptError::OutOfRange { token, width });
        }
        if self.scratch.position.is_empty() {
            return Err(AcceptError::Finished { token });
        }
        let text = self.grammar.vocabulary().text(token);
        if self.advance(Input::Token(token, &text))? {
            return Ok(());
        }
        let ends = self.settings.end_tokens.binary_search(&token).is_ok();
        if ends && self.is_accepting() {
            self.scratch.position.clear();
            return Ok(());
        }
        Err(AcceptError::Refused { token })
    }

    /// Makes the position the matcher's.
    pub(crate) fn commit(&mut self) {
        self.sequence.history.push(&self.scratch.position);
        self.sequence.frames.items.accept();
    }

    /// The mask of the position.
    pub(crate) fn mask(&mut self) -> Mask<'_> {
        let Self { grammar, sequence, scratch, masks, .. } = self;
        grammar.chains().collect(&sequence.frames, &scratch.position, &mut masks.parts);
        let may_end = self.scratch.position.is_empty() || self.is_accepting();
        self.walk(may_end);
        self.masks.mask(self.grammar, self.settings, may_end, true)
    }

    /// Completes the parts of the position's mask by walks. Adds unstored tokens and stored masks that only a walk finds.
    /// Excludes tokens that reach no new item. End tokens are not excluded if the sequence may end.
    pub(crate) fn walk(&mut self, may_end: bool) {
        let (grammar, settings) = (self.grammar, self.settings);
        let (frames, limits) = (&mut self.sequence.frames, settings.limits);
        let position = &self.scratch.position;
        let MaskBuffers { parts, excluded, unstored, walk } = &mut *self.masks;
        unstored.collect(grammar, frames, limits, position, parts);
        if grammar.distinct().is_empty() {
            return;
        }
        let (ends, width) = (settings.ends(may_end), settings.width);
        let tokens = unstored.tokens();
        let mask = Mask { grammar, parts, excluded: &[], unstored: tokens, ends: &[], width };
        walk.collect(frames, limits, position, mask, excluded);
        excluded.retain(|token| ends.binary_search(token).is_err());
        unstored.exclude(excluded);
    }
}
