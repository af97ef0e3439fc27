//! A matcher's sequence, advanced ahead of the matcher: for trial tokens, drafts and forced runs.

use crate::distinct::excluded::Exclusion;
use crate::error::{AcceptError, AcceptTextError, LimitError};
use crate::grammar::Grammar;
use crate::listed::UnstoredTokens;
use crate::mask::parts::PartList;
use crate::mask::union::Mask;
use crate::options::Settings;
use crate::step::input::Input;
use crate::step::sequence::{Scratch, Sequence};

/// The parts of the last computed mask, with the buffers of the walks that find some parts.
#[derive(Debug, Default)]
pub(crate) struct MaskBuffers {
    /// Stored masks whose union is the mask.
    pub(crate) parts: PartList,
    /// Ids of tokens that the stored masks have but that lead only to items equal to earlier ones, ascending.
    excluded: Vec<u32>,
    /// Tokens that are allowed but that no stored mask has.
    unstored: UnstoredTokens,
    exclusion: Exclusion,
}

impl MaskBuffers {
    /// Returns the mask made of these parts. `may_end` adds the end tokens. `has_unstored` states whether the unstored
    /// tokens were computed for this position. If `false`, they are left out.
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

/// A position that is advanced ahead of a matcher. The matcher's own position does not change before `commit`.
pub(crate) struct Lookahead<'m> {
    pub(crate) grammar: &'m Grammar,
    pub(crate) settings: &'m Settings,
    /// Sequence of the matcher. Its history ends with the matcher's position.
    pub(crate) sequence: &'m mut Sequence,
    /// Buffers of an advance. `scratch.position` is the position of the lookahead.
    pub(crate) scratch: &'m mut Scratch,
    pub(crate) masks: &'m mut MaskBuffers,
}

impl Lookahead<'_> {
    /// Whether the sequence may end at the position of the lookahead.
    pub(crate) fn is_accepting(&self) -> bool {
        self.sequence.is_accepting(self.grammar, &self.scratch.position)
    }

    /// Advances over an input, as [`Sequence::advance`] does. Returns `false`, without any change, if the input is not
    /// allowed.
    pub(crate) fn advance(&mut self, input: Input<'_>) -> Result<bool, LimitError> {
        self.sequence.advance(self.grammar, self.settings.limits, self.scratch, input)
    }

    /// Advances over a token. An end token that the grammar does not take leaves the position without configurations,
    /// which marks a finished sequence.
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

    /// Advances over bytes one by one. The position after each byte is allowed even if no token can continue from there.
    ///
    /// # Errors
    ///
    /// A byte is not allowed, or a limit was met. The position is then after the bytes before it.
    pub(crate) fn advance_bytes(&mut self, bytes: &[u8]) -> Result<(), AcceptTextError> {
        for (at, byte) in bytes.iter().enumerate() {
            if !self.advance(Input::Byte(std::array::from_ref(byte)))? {
                return Err(AcceptTextError::Refused { at });
            }
        }
        Ok(())
    }

    /// Moves the matcher to the position of the lookahead, as one accepted token.
    pub(crate) fn commit(&mut self) {
        self.sequence.history.push(&self.scratch.position);
        self.sequence.frames.items.accept();
    }

    /// Returns the mask of the lookahead's position.
    pub(crate) fn mask(&mut self) -> Mask<'_> {
        let Self { grammar, sequence, scratch, masks, .. } = self;
        grammar.chains().collect(&sequence.frames, &scratch.position, &mut masks.parts);
        let may_end = self.scratch.position.is_empty() || self.is_accepting();
        self.walk(may_end);
        self.masks.mask(self.grammar, self.settings, may_end, true)
    }

    /// Completes the parts of the position's mask by walks along the token trie. Adds unstored tokens, and stored masks
    /// that only a walk finds. Excludes tokens that reach only items equal to earlier ones, but no end tokens where the
    /// sequence may end.
    pub(crate) fn walk(&mut self, may_end: bool) {
        let (grammar, limits) = (self.grammar, self.settings.limits);
        let (frames, position) = (&mut self.sequence.frames, &self.scratch.position);
        let MaskBuffers { parts, unstored, .. } = &mut *self.masks;
        unstored.collect(grammar, frames, limits, position, parts);
        if !grammar.distinct().is_empty() {
            self.exclude_used_items(may_end);
        }
    }

    /// Excludes tokens that reach only items equal to earlier ones. If the sequence may end, its end tokens are not
    /// excluded. Kept apart from [`walk`](Self::walk), which has nothing to do in most grammars.
    #[inline(never)]
    fn exclude_used_items(&mut self, may_end: bool) {
        let (grammar, settings) = (self.grammar, self.settings);
        let (frames, limits) = (&mut self.sequence.frames, settings.limits);
        let position = &self.scratch.position;
        let MaskBuffers { parts, excluded, unstored, exclusion } = &mut *self.masks;
        let (ends, width) = (settings.ends(may_end), settings.width);
        let stored = Mask { grammar, parts, excluded: &[], unstored: &[], ends: &[], width };
        let mask = Mask { unstored: unstored.tokens(), ..stored };
        exclusion.collect(frames, limits, position, mask, excluded);
        excluded.retain(|token| ends.binary_search(token).is_err());
        if !unstored.tokens().is_empty() {
            unstored.exclude(excluded);
            excluded.retain(|&token| stored.contains(token));
        }
    }
}
