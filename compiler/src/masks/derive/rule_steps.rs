//! The transitions of a rule with registers, while many increments are left in every counter but one.
//!
//! An arrival may change several counters. For the *near-bound counter* at hand its change matters: an increment, which
//! at the last one replaces the state by the exit, or a reset to many increments. All other counters stay far.
//!
//! Cost: O(states of the rule times its byte classes).

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Tables;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::automata::ByteRows;
use crate::ir::ByteSet;
use crate::network::{CountDependent, Field, Network};

/// An arrival with many increments left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Arrived {
    /// The state of the activation after it.
    pub(super) state: u32,
    /// The exit of its increment, if it makes one.
    pub(super) exit: Option<u32>,
    /// Whether the counter is set: then many increments are left.
    pub(super) is_set: bool,
}

/// The transitions of one rule. States are numbers within it.
pub(super) struct RuleSteps<'a> {
    own: Tables<'a>,
    /// The index of the rule's first state.
    first: u32,
    arrivals: Vec<Arrived>,
    rows: ByteRows,
    /// By state, whether the near-bound counter is far there.
    count_dependent: Vec<bool>,
}

impl<'a> RuleSteps<'a> {
    /// Returns the transitions of the rule of count-dependent states.
    pub(super) fn new(network: &'a Network, count_dependent: &CountDependent) -> Self {
        let own = network.tables.as_tables();
        let rule = &own.rules[network.rule_of(count_dependent.states[0][0])];
        let (first, states) = (rule.first_state - own.bases.states, rule.state_count);
        let rows = ByteRows::new(states as usize, |state| {
            let edges = own.byte_edges_of(first as usize + state).iter();
            edges.map(move |edge| (edge.lo(), edge.hi(), edge.target - own.bases.states - first))
        });
        let mut is_count_dependent = vec![false; states as usize];
        for state in count_dependent.all() {
            is_count_dependent[(state - rule.first_state) as usize] = true;
        }
        let arrivals = (0..states).map(|state| {
            // Another counter may use the field where this one is not far.
            arrival(own, first, state, |at| {
                is_count_dependent[at as usize].then_some(count_dependent.field)
            })
        });
        let arrivals = arrivals.collect();
        Self { own, first, arrivals, rows, count_dependent: is_count_dependent }
    }

    /// Returns the number of states.
    pub(super) fn len(&self) -> u32 {
        self.arrivals.len() as u32
    }

    /// Returns the number of byte classes.
    pub(super) fn classes(&self) -> usize {
        self.rows.classes()
    }

    /// Returns for each state whether it continues with one of some bytes. O(states times classes).
    pub(super) fn goes_on_with(&self, bytes: ByteSet) -> Vec<bool> {
        let classes: BTreeSet<usize> = (0..=u8::MAX)
            .filter(|&byte| bytes.contains(byte))
            .map(|byte| self.class(byte))
            .collect();
        let goes = |state: u32| classes.iter().any(|&class| self.rows.on(state, class).is_some());
        (0..self.len()).map(goes).collect()
    }

    /// Returns the class of a byte.
    #[inline]
    pub(super) fn class(&self, byte: u8) -> usize {
        self.rows.class(byte)
    }

    /// Returns the number of a state of the rule.
    pub(super) fn number(&self, state: u32) -> u32 {
        state - self.own.bases.states - self.first
    }

    fn flags(&self, state: u32) -> u32 {
        self.own.states[(self.first + state) as usize].flags
    }

    /// Whether the rule may be left at a state.
    pub(super) fn is_final(&self, state: u32) -> bool {
        self.flags(state) & state_flags::FINAL != 0
    }

    /// Whether the near-bound counter is far at a state.
    pub(super) fn is_count_dependent(&self, state: u32) -> bool {
        self.count_dependent[state as usize]
    }

    /// Returns the arrival at a state.
    pub(super) fn arrival(&self, state: u32) -> Arrived {
        self.arrivals[state as usize]
    }

    /// Returns the transitions from some states on, with states numbered in the order in which they are reached: equal
    /// for rules with equal transitions. O(reached states times classes).
    pub(super) fn signature(&self, from: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut order: IndexSet<u32, FxBuildHasher> = from.collect();
        let mut signature = vec![order.len() as u32];
        signature.extend((0..=u8::MAX).map(|byte| self.class(byte) as u32));
        let mut at = 0;
        while let Some(&state) = order.get_index(at) {
            at += 1;
            signature.push(
                u32::from(self.is_final(state)) | u32::from(self.is_count_dependent(state)) << 1,
            );
            for class in 0..self.classes() {
                let Some(arrived) = self.on(state, class) else {
                    signature.push(NONE);
                    continue;
                };
                let exit = arrived.exit.map(|exit| self.arrival(exit).state);
                let mut number = |state: u32| order.insert_full(state).0 as u32;
                let numbers = [number(arrived.state), exit.map_or(NONE, number)];
                signature.extend(numbers);
                signature.push(u32::from(arrived.is_set));
            }
        }
        signature
    }

    /// Returns the arrival on a byte class.
    #[inline]
    pub(super) fn on(&self, state: u32, class: usize) -> Option<Arrived> {
        let target = self.rows.on(state, class)?;
        Some(self.arrivals[target as usize])
    }
}

/// Returns the arrival at a state of the rule that begins at a state, given the field of the near-bound counter at each
/// state.
fn arrival(
    own: Tables<'_>,
    first: u32,
    mut state: u32,
    field: impl Fn(u32) -> Option<Field>,
) -> Arrived {
    let (mut exit, mut is_set) = (None, false);
    loop {
        let record = &own.states[(first + state) as usize];
        if record.count_exit == NONE {
            return Arrived { state, exit, is_set };
        }
        let shift = record.flags >> state_flags::SHIFT & 31;
        if field(state).is_some_and(|field| shift == u32::from(field.shift)) {
            match record.exit() {
                Some(to) => exit = Some(to - own.bases.states - first),
                None => is_set = true,
            }
        }
        if record.flags & state_flags::THEN == 0 {
            return Arrived { state, exit, is_set };
        }
        state += 1;
    }
}
