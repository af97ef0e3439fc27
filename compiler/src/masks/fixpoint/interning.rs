//! Numbers of masks and exit classes, given in the order of the states and never by a thread.

use grammarc_artifacts::sections::network::NONE;

use super::inputs::Inputs;
use crate::budget::{Budget, Held};
use crate::masks::encode::encoder::{Computed, Encoder};
use crate::masks::encode::exit_classes::ExitClasses;
use crate::masks::encode::lengths::Lengths;
use crate::masks::encode::pool::Pool;
use crate::masks::equivalence::representatives::Representatives;
use crate::masks::limits::{MaskError, MaskLimits};

/// The masks and classes so far.
pub(crate) struct Interning<'a> {
    pub(crate) classes: ExitClasses<'a>,
    pub(crate) pool: Pool<'a>,
    limits: MaskLimits,
    /// Memory that the masks take.
    held: Held<'a>,
    inputs: Inputs<'a>,
    doubles: &'a Representatives,
    /// By index of the state, its mask and its exit class.
    pub(crate) exits: Vec<(u32, u32)>,
}

impl<'a> Interning<'a> {
    /// None yet; a state of `doubles` has the mask of another.
    pub(crate) fn new(
        inputs: Inputs<'a>,
        doubles: &'a Representatives,
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
            doubles,
            exits: vec![(0, NONE); network.tables.states.len() - 1],
        }
    }

    /// The mask of a state or pair.
    pub(crate) fn intern(
        &mut self,
        encoder: &Encoder<'_>,
        state: u32,
        found: &Computed,
    ) -> Result<u32, MaskError> {
        let mask = self.pool.intern(encoder, found);
        let limit = self.limits.rows;
        if self.pool.rows() > limit {
            return Err(MaskError::Limit { what: "dense rows", limit, state });
        }
        let spent = |_| MaskError::Spent { states: 0, total: self.exits.len(), state };
        self.held.set(self.pool.bytes()).map_err(spent)?;
        Ok(mask)
    }

    /// The mask of a state, which is noted with its exit class.
    pub(crate) fn add(
        &mut self,
        encoder: &Encoder<'_>,
        state: u32,
        found: &Computed,
    ) -> Result<u32, MaskError> {
        let mask = self.intern(encoder, state, found)?;
        self.note(state, mask, &found.outcome.exits);
        Ok(mask)
    }

    /// Notes the mask of a state and the nodes at which its rule is left, for it and its doubles.
    fn note(&mut self, state: u32, mask: u32, nodes: &[u32]) {
        let class = self.classes.intern(nodes);
        self.exits[(state - self.inputs.first_state()) as usize] = (mask, class);
        let is_left = nodes.first() == Some(&0);
        for &double in self.doubles.of(state) {
            let class = match self.inputs.follow.is_final(double) && !is_left {
                true => self.classes.intern(&[&[0], nodes].concat()),
                false => class,
            };
            self.exits[(double - self.inputs.first_state()) as usize] = (mask, class);
        }
    }
}
