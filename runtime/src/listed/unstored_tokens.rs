//! The list of tokens that a position allows but no stored mask has.

use super::packed_strings::{Found, PackedWalk};
use super::subtree_walk::{SubtreeWalk, Walked};
use super::unmasked;
use crate::grammar::Grammar;
use crate::mask::parts::PartList;
use crate::position::Configuration;
use crate::position::stack::Frames;
use crate::sort::sort_and_dedup;
use crate::step::machine::Limits;

/// The tokens that a position allows but no stored mask has, with the buffers of the walks that find them.
#[derive(Debug, Default)]
pub(crate) struct UnstoredTokens {
    tokens: Vec<u32>,
    packed: PackedWalk,
    subtree: SubtreeWalk,
}

impl UnstoredTokens {
    /// Whether a position may allow tokens that no stored mask has: its grammar is unmasked, or it is within a packed
    /// string set.
    #[inline]
    pub(crate) fn is_needed(grammar: &Grammar, position: &[Configuration]) -> bool {
        grammar.has_unstored() && Self::is_needed_at(grammar, position)
    }

    /// Whether a position may allow tokens that no stored mask has, in a grammar that has such positions.
    #[inline(never)]
    fn is_needed_at(grammar: &Grammar, position: &[Configuration]) -> bool {
        let packed = grammar.packed();
        grammar.is_early() || position.iter().any(|at| packed.contains(at.state))
    }

    /// Replaces the list with the tokens of a position. The list becomes empty if the position needs no walk. Adds to
    /// `parts` the stored masks that only a walk finds.
    pub(crate) fn collect(
        &mut self,
        grammar: &Grammar,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        parts: &mut PartList,
    ) {
        self.tokens.clear();
        if Self::is_needed(grammar, position) {
            self.walk(grammar, frames, limits, position, parts);
        }
    }

    /// Adds the tokens of a position, and to `parts` the stored masks that only a walk finds. Kept apart from
    /// [`collect`](Self::collect), which has nothing to do in most positions.
    #[inline(never)]
    fn walk(
        &mut self,
        grammar: &Grammar,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        parts: &mut PartList,
    ) {
        let Self { tokens, packed, subtree } = self;
        let mut walked = Walked { grammar, machine: grammar.lenient_machine(limits), frames };
        match grammar.is_early() {
            true => unmasked::collect(&mut walked, position, subtree, tokens),
            false => {
                let mut found = Found { parts: &mut *parts, tokens };
                packed.collect(&mut walked, position, subtree, &mut found);
            }
        }
        parts.sort();
        sort_and_dedup(tokens);
    }

    /// Returns the ids of the tokens in the list, ascending.
    pub(crate) fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Removes tokens from the list. The ids in `excluded` are ascending.
    pub(crate) fn exclude(&mut self, excluded: &[u32]) {
        self.tokens.retain(|token| excluded.binary_search(token).is_err());
    }
}
