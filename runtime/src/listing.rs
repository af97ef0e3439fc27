//! Tokens that a position allows besides stored masks, with the buffers of the walks that find them.

use crate::below::Below;
use crate::catalogue::CatalogueWalk;
use crate::early;
use crate::grammar::Grammar;
use crate::position::Configuration;
use crate::stack::Frames;
use crate::step::Limits;

/// A list of tokens, and what finds them.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    tokens: Vec<u32>,
    catalogue: CatalogueWalk,
    below: Below,
}

impl Listing {
    /// Whether a grammar has positions whose tokens are listed.
    #[inline]
    pub(crate) fn is_needed(grammar: &Grammar) -> bool {
        grammar.is_early() || !grammar.catalogues().is_empty()
    }

    /// The tokens, ascending, as they were last collected.
    pub(crate) fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Forgets the tokens.
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
    }

    /// Collects the tokens of a position, and ids of stored masks beside those of `parts`.
    pub(crate) fn collect(
        &mut self,
        grammar: &Grammar,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        parts: &mut Vec<u32>,
    ) {
        let Self { tokens, catalogue, below } = self;
        tokens.clear();
        match grammar.is_early() {
            true => early::collect(grammar, frames, limits, position, below, tokens),
            false => {
                catalogue.collect(grammar, frames, limits, position, (&mut *parts, tokens), below);
            }
        }
        parts.sort_unstable();
        parts.dedup();
        tokens.sort_unstable();
        tokens.dedup();
    }
}
