//! Assigns indexes to token sets and lists of exits, and then ids to masks and exit classes. An exit class is a set of
//! exits, the trie nodes at which a rule returns.
//!
//! States are walked and derived in the cheapest order. Their token sets and exits get indexes in that order. When all
//! are known, masks and classes get ids in the order of the states. The masks and classes of return states come after
//! these, in the order of the pairs. So no id depends on which thread found an outcome, or how.

use grammarc_artifacts::sections::network::NONE;

use super::inputs::Inputs;
use crate::budget::{Budget, MemoryUse};
use crate::interner::Interner;
use crate::masks::encode::encoder::{Computed, Encoder};
use crate::masks::encode::exit_classes::ExitClasses;
use crate::masks::encode::lengths::Lengths;
use crate::masks::encode::pool::Pool;
use crate::masks::equivalence::representatives::Representatives;
use crate::masks::limits::{MaskError, MaskLimits};

/// The token sets, masks and sets of exits (nodes where a rule returns) of a grammar that are found so far.
pub(crate) struct Interning<'a> {
    /// The sets of exits (nodes where a rule returns), with their ids.
    pub(crate) classes: ExitClasses<'a>,
    /// The token sets by index, and the masks that are made of them.
    pub(crate) pool: Pool<'a>,
    /// The limits on the numbers of dense rows and of pairs.
    pub(super) limits: MaskLimits,
    /// The memory of token sets and masks, counted on the budget.
    held: MemoryUse<'a>,
    /// The automata whose masks are computed, and the vocabulary.
    inputs: Inputs<'a>,
    /// The states that take their outcome (consumed tokens and exit nodes) from other states, and these other states.
    pub(super) representatives: &'a Representatives,
    /// For each state of the grammar, the index of its token set in `pool` and of its exits (nodes where the rule
    /// returns) in `exits`. Both are [`NONE`] until they are added.
    found: Vec<(u32, u32)>,
    /// Interned lists of exits (nodes where a rule returns), by index.
    exits: Interner,
}

impl<'a> Interning<'a> {
    /// Returns an interner without token sets. A state of `representatives` gets the token set of the state that it is
    /// equivalent to.
    pub(crate) fn new(
        inputs: Inputs<'a>,
        representatives: &'a Representatives,
        lengths: Lengths,
        limits: MaskLimits,
        budget: &'a Budget,
    ) -> Self {
        let Inputs { network, shared, facts, .. } = inputs;
        Self {
            classes: ExitClasses::new(shared, facts),
            pool: Pool::new(shared, facts, network.tables.clone(), lengths),
            limits,
            held: budget.hold(),
            inputs,
            representatives,
            found: vec![(NONE, NONE); network.tables.states.len() - 1],
            exits: Interner::default(),
        }
    }

    /// Returns the automata whose masks are computed, with the vocabulary.
    pub(crate) fn inputs(&self) -> Inputs<'a> {
        self.inputs
    }

    /// Returns the index of the token set of a computed outcome (tokens and exits), and adds the set if it is new. An
    /// error names `state`.
    ///
    /// # Errors
    ///
    /// [`MaskError`] if the memory of the budget is spent.
    pub(crate) fn set(
        &mut self,
        encoder: &Encoder<'_>,
        state: u32,
        found: &Computed,
    ) -> Result<u32, MaskError> {
        let set = self.pool.set(encoder, found);
        self.hold(state)?;
        Ok(set)
    }

    /// Returns the id of the mask of a computed outcome (tokens and exits), and makes the mask if it is new. An error
    /// names `state`.
    ///
    /// # Errors
    ///
    /// [`MaskError`] if the number of rows exceeds its limit, or the memory of the budget is spent.
    pub(crate) fn mask(
        &mut self,
        encoder: &Encoder<'_>,
        state: u32,
        found: &Computed,
    ) -> Result<u32, MaskError> {
        let set = self.pool.set(encoder, found);
        self.mask_of(set, state)
    }

    /// Returns the id of the mask of a token set, given by the set's index in `pool`. An error names `state`.
    fn mask_of(&mut self, set: u32, state: u32) -> Result<u32, MaskError> {
        let mask = self.pool.mask(set);
        let limit = self.limits.rows;
        if self.pool.rows() > limit {
            return Err(MaskError::Limit { what: "dense rows", limit, state });
        }
        self.hold(state)?;
        Ok(mask)
    }

    /// Counts the memory of token sets and masks on the budget. An error names `state`.
    fn hold(&mut self, state: u32) -> Result<(), MaskError> {
        let spent = |_| MaskError::Spent { states: 0, total: self.found.len(), state };
        self.held.set(self.pool.bytes()).map_err(spent)
    }

    /// Records the token set and the exits (nodes where the rule returns) of a state, and of all states that take
    /// theirs from it. Returns the index of the token set.
    ///
    /// # Errors
    ///
    /// [`MaskError`] if the memory of the budget is spent.
    pub(crate) fn add(
        &mut self,
        encoder: &Encoder<'_>,
        state: u32,
        found: &Computed,
    ) -> Result<u32, MaskError> {
        let (set, exits) = self.add_alone(encoder, state, found)?;
        let nodes = &found.outcome.exits[..];
        let is_left = nodes.first() == Some(&0);
        for &represented in self.representatives.of(state) {
            let exits = match self.inputs.follow.is_final(represented) && !is_left {
                true => self.exits.number(&[&[0], nodes].concat()),
                false => exits,
            };
            self.note(represented, set, exits);
        }
        Ok(set)
    }

    /// Records the token set and the exits (nodes where the rule returns) of a single state. States that take theirs
    /// from it are not recorded. Returns the indexes of the token set and of the exits.
    ///
    /// # Errors
    ///
    /// [`MaskError`] if the memory of the budget is spent.
    pub(crate) fn add_alone(
        &mut self,
        encoder: &Encoder<'_>,
        state: u32,
        found: &Computed,
    ) -> Result<(u32, u32), MaskError> {
        let set = self.set(encoder, state, found)?;
        let exits = self.exits.number(&found.outcome.exits);
        self.note(state, set, exits);
        Ok((set, exits))
    }

    /// Records, for a state, the index of its token set and the index of its exits (nodes where the rule returns).
    fn note(&mut self, state: u32, set: u32, exits: u32) {
        self.found[(state - self.inputs.first_state()) as usize] = (set, exits);
    }

    /// Returns the index of a state's token set and the index of its exits (nodes where the rule returns). Both are
    /// [`NONE`] for a state that was not added. Most states of packed string sets (finite sets of strings) are not.
    pub(crate) fn found(&self, state: u32) -> (u32, u32) {
        self.found[(state - self.inputs.first_state()) as usize]
    }

    /// Returns the exits (nodes where a rule returns) with the index `exits`, ascending.
    pub(crate) fn exits_of(&self, exits: u32) -> &[u32] {
        self.exits.get(exits)
    }

    /// Returns, for each state of the grammar in order, the ids of its mask and of its set of exits (nodes where the
    /// rule returns). Both are [`NONE`] for a state that was not added, as for most states of packed string sets
    /// (finite sets of strings).
    ///
    /// # Errors
    ///
    /// [`MaskError`] if the number of rows exceeds its limit, or the memory of the budget is spent.
    pub(crate) fn masks(&mut self) -> Result<Vec<(u32, u32)>, MaskError> {
        let mut classes = vec![None; self.exits.len()];
        let mut masks = Vec::with_capacity(self.found.len());
        for index in 0..self.found.len() {
            let (set, exits) = self.found[index];
            let state = self.inputs.first_state() + index as u32;
            if set == NONE {
                masks.push((NONE, NONE));
                continue;
            }
            let class = classes[exits as usize]
                .get_or_insert_with(|| self.classes.intern(self.exits.get(exits)));
            let class = *class;
            masks.push((self.mask_of(set, state)?, class));
        }
        Ok(masks)
    }
}
