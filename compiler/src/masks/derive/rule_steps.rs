//! The transitions of a rule with registers, for one of its counters. The *near-bound counter* is the one under study.
//! All other counters are *far*: so many increments are left that no token reaches their bound.
//!
//! Entering a state may change several counters; only the change of the near-bound counter matters. That change is an
//! increment or a reset. At the last increment, the exit replaces the state. After a reset, many increments are left.
//!
//! Cost: O(states of the rule), times its byte classes.

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Tables;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::automata::ByteRows;
use crate::ir::ByteSet;
use crate::network::{CountDependent, Field, Network};

/// The effect of entering a state: the change of the near-bound counter (the one under study), and the state after all
/// register updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Arrived {
    /// The state after all register updates, as an index within the rule.
    pub(super) state: u32,
    /// The state that replaces `state` if the increment on entering was the last one, as an index within the rule.
    /// `None` if entering makes no increment of the near-bound counter (the one under study).
    pub(super) exit: Option<u32>,
    /// Whether entering the state resets the near-bound counter (the one under study), so that many increments are
    /// left.
    pub(super) is_set: bool,
}

/// The transitions of one rule. States are given by their indexes within the rule, from 0.
pub(super) struct RuleSteps<'a> {
    /// The tables of the grammar itself, without the vocabulary.
    own: Tables<'a>,
    /// The index, in the tables of the grammar, of the rule's first state.
    first: u32,
    /// For each state of the rule, the effect of entering it on the near-bound counter (the one under study).
    arrivals: Vec<Arrived>,
    /// The targets of each state of the rule by byte class, before register updates.
    rows: ByteRows,
    /// For each state of the rule, whether it is count-dependent: its mask changes when few increments are left.
    count_dependent: Vec<bool>,
}

impl<'a> RuleSteps<'a> {
    /// Builds the transitions of the rule that has the given count-dependent states. Their masks change near a
    /// counter's bound.
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
            // Where this counter is not in use, another one may use its bits of the register.
            arrival(own, first, state, |at| {
                is_count_dependent[at as usize].then_some(count_dependent.field)
            })
        });
        let arrivals = arrivals.collect();
        Self { own, first, arrivals, rows, count_dependent: is_count_dependent }
    }

    /// Returns the number of states of the rule.
    pub(super) fn len(&self) -> u32 {
        self.arrivals.len() as u32
    }

    /// Returns the number of byte classes of the rule: the bytes of a class have equal transitions.
    pub(super) fn classes(&self) -> usize {
        self.rows.classes()
    }

    /// Returns, for each state of the rule, whether it has a transition on one of `bytes`. O(states times byte
    /// classes).
    pub(super) fn goes_on_with(&self, bytes: ByteSet) -> Vec<bool> {
        let classes: BTreeSet<usize> = (0..=u8::MAX)
            .filter(|&byte| bytes.contains(byte))
            .map(|byte| self.class(byte))
            .collect();
        let goes = |state: u32| classes.iter().any(|&class| self.rows.on(state, class).is_some());
        (0..self.len()).map(goes).collect()
    }

    /// Returns the byte class, within this rule, of a byte.
    #[inline]
    pub(super) fn class(&self, byte: u8) -> usize {
        self.rows.class(byte)
    }

    /// Returns the index, within the rule, of a state given by its id.
    pub(super) fn number(&self, state: u32) -> u32 {
        state - self.own.bases.states - self.first
    }

    /// Returns the [flags](state_flags) of a state, given by its index within the rule.
    fn flags(&self, state: u32) -> u32 {
        self.own.states[(self.first + state) as usize].flags
    }

    /// Whether a state of the rule is final: the rule may return to its caller there.
    pub(super) fn is_final(&self, state: u32) -> bool {
        self.flags(state) & state_flags::FINAL != 0
    }

    /// Whether a state of the rule is count-dependent: its mask changes when the near-bound counter (the one under
    /// study) has few increments left.
    pub(super) fn is_count_dependent(&self, state: u32) -> bool {
        self.count_dependent[state as usize]
    }

    /// Returns the effect of entering a state of the rule on the near-bound counter (the one under study).
    pub(super) fn arrival(&self, state: u32) -> Arrived {
        self.arrivals[state as usize]
    }

    /// Returns a description, as 32-bit words, of the transitions reachable from the states `from`. States are numbered
    /// as they are reached, so rules with equal transitions have equal descriptions. O(reached states times byte
    /// classes).
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

    /// Returns the transition of a state of the rule on a byte class: the target, after its register updates. `None` if
    /// there is no transition.
    #[inline]
    pub(super) fn on(&self, state: u32, class: usize) -> Option<Arrived> {
        let target = self.rows.on(state, class)?;
        Some(self.arrivals[target as usize])
    }
}

/// Follows the register updates of a state. Returns the state after them, with their effect on the near-bound counter
/// (the one under study). `state` and the result are indexes within the rule, whose first state has the index `first`
/// in the tables. `field` returns the register bits of that counter at a state, or `None` if the counter is not in use
/// there.
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
