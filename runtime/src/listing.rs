//! Tokens that a position allows besides stored masks, with the buffers of the walks that find them. As in stored masks, items that
//! must differ may be equal.

use crate::below::Below;
use crate::catalogue::CatalogueWalk;
use crate::early;
use crate::grammar::Grammar;
use crate::parts::PartList;
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
    /// Whether a position has tokens that are listed: it is one of an early grammar, or within a catalogue.
    #[inline]
    pub(crate) fn is_needed(grammar: &Grammar, position: &[Configuration]) -> bool {
        grammar.has_listed() && Self::is_listed(grammar, position)
    }

    #[inline(never)]
    fn is_listed(grammar: &Grammar, position: &[Configuration]) -> bool {
        let catalogues = grammar.catalogues();
        grammar.is_early() || position.iter().any(|at| catalogues.contains(at.state))
    }

    /// Collects the tokens of a position, which are none where they are not needed, and stored masks beside those of `parts`.
    pub(crate) fn collect(
        &mut self,
        grammar: &Grammar,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        parts: &mut PartList,
    ) {
        let Self { tokens, catalogue, below } = self;
        tokens.clear();
        if !Self::is_needed(grammar, position) {
            return;
        }
        match grammar.is_early() {
            true => early::collect(grammar, frames, limits, position, below, tokens),
            false => {
                catalogue.collect(grammar, frames, limits, position, (&mut *parts, tokens), below);
            }
        }
        parts.settle();
        tokens.sort_unstable();
        tokens.dedup();
    }

    /// The tokens that were collected last, ascending.
    pub(crate) fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Takes tokens out, which are ascending.
    pub(crate) fn exclude(&mut self, excluded: &[u32]) {
        self.tokens.retain(|token| excluded.binary_search(token).is_err());
    }
}
