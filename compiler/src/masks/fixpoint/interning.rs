//! Token sets and exit classes by number, and the masks and classes that are made of them in the order of the states.
//!
//! States are walked and derived in the order that costs least, and so their sets and exits are numbered. When all are
//! known, masks and classes are given in the order of the states. The masks and classes of follow entries come after
//! these, in the order of the pairs. So neither a thread nor the way to find an outcome decides a number.

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

/// The sets, masks and classes so far.
pub(crate) struct Interning<'a> {
    pub(crate) classes: ExitClasses<'a>,
    pub(crate) pool: Pool<'a>,
    pub(super) limits: MaskLimits,
    /// Memory that the masks take.
    held: MemoryUse<'a>,
    inputs: Inputs<'a>,
    pub(super) representatives: &'a Representatives,
    /// By index of the state, its set and the number of its exits.
    found: Vec<(u32, u32)>,
    /// Nodes at which states leave their rules, by number.
    exits: Interner,
}

impl<'a> Interning<'a> {
    /// Returns an interner without sets. A state of `representatives` has the mask of another.
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

    /// Returns what the masks are computed of.
    pub(crate) fn inputs(&self) -> Inputs<'a> {
        self.inputs
    }

    /// The set of what was found at a state.
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

    /// The mask of a state or pair.
    pub(crate) fn mask(
        &mut self,
        encoder: &Encoder<'_>,
        state: u32,
        found: &Computed,
    ) -> Result<u32, MaskError> {
        let set = self.pool.set(encoder, found);
        self.mask_of(set, state)
    }

    fn mask_of(&mut self, set: u32, state: u32) -> Result<u32, MaskError> {
        let mask = self.pool.mask(set);
        let limit = self.limits.rows;
        if self.pool.rows() > limit {
            return Err(MaskError::Limit { what: "dense rows", limit, state });
        }
        self.hold(state)?;
        Ok(mask)
    }

    /// Takes the memory that sets and masks need from the budget.
    fn hold(&mut self, state: u32) -> Result<(), MaskError> {
        let spent = |_| MaskError::Spent { states: 0, total: self.found.len(), state };
        self.held.set(self.pool.bytes()).map_err(spent)
    }

    /// Records the set of a state and the nodes at which its rule is left, for it and the states that it represents.
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

    /// Records the set of a state and the number of its exits, for it and not for the states that it represents.
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

    fn note(&mut self, state: u32, set: u32, exits: u32) {
        self.found[(state - self.inputs.first_state()) as usize] = (set, exits);
    }

    /// The set of a state, and the number of the nodes at which its rule is left. All states have been added, but for
    /// those of packed sets.
    pub(crate) fn found(&self, state: u32) -> (u32, u32) {
        self.found[(state - self.inputs.first_state()) as usize]
    }

    /// Nodes by number.
    pub(crate) fn exits_of(&self, exits: u32) -> &[u32] {
        self.exits.get(exits)
    }

    /// The masks and classes of all states, in their order: none of states of packed sets that nobody asked for.
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
