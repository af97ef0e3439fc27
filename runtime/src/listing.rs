//! Tokens that a position allows besides stored masks, with the buffers of the walks that find them.

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

    /// The tokens of a position, ascending, and stored masks beside those of `parts`.
    pub(crate) fn collect(
        &mut self,
        grammar: &Grammar,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        parts: &mut PartList,
    ) -> &[u32] {
        let Self { tokens, catalogue, below } = self;
        tokens.clear();
        match grammar.is_early() {
            true => early::collect(grammar, frames, limits, position, below, tokens),
            false => {
                catalogue.collect(grammar, frames, limits, position, (&mut *parts, tokens), below);
            }
        }
        parts.settle();
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    }
}
