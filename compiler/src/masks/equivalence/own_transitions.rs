//! Transitions of a grammar's states. Tail calls of the grammar's rules are replaced by the callee's first transitions.
//!
//! A tail call continues over the same stack. So the first transitions of the called rule count as transitions of the
//! state itself.
//!
//! Cost: O(edges of the states that begin with such calls).

use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Joined;

use crate::budget::Budget;
use crate::network::follow::Follow;

/// The most nested tail calls (calls as a last step) that are replaced by the callee's first transitions. A state with
/// deeper ones keeps its own edges and calls.
pub(crate) const DEEPEST: usize = 16;

/// The flags of a state of which at least one is set if a token may end on arrival at the state.
pub(crate) const ARRIVES: u32 = state_flags::RESTS | state_flags::POP_ONLY;

/// The flags of a state that say whether a token may end there, and whether the rule may return.
pub(crate) const ENDS: u32 = state_flags::FINAL | state_flags::POP_ONLY | state_flags::RESTS;

/// Steps of the budget that are charged for replacing the tail calls of one state: an estimate.
const STEPS_THROUGH: usize = 1 << 9;

/// Transitions of a state of the grammar. Tail calls of the grammar's rules are replaced by the first transitions of
/// those rules, since they keep the stack.
#[derive(Clone, Copy)]
pub(crate) struct OwnTransitions<'a> {
    /// Byte edges, in ascending order of their bytes.
    pub(crate) edges: &'a [ByteEdge],
    /// Calls of the state that are not replaced by the callee's first transitions.
    pub(crate) calls: &'a [CallEdge],
}

/// Byte edges and calls of a state whose tail calls are replaced by the callee's first transitions.
type OwnedTransitions = (Box<[ByteEdge]>, Box<[CallEdge]>);

/// The transitions of all states of a grammar, with tail calls replaced by the callee's first transitions.
#[derive(Debug, Default)]
pub(crate) struct OwnTransitionLists {
    /// Id of the first state of the grammar itself. States with lower ids belong to the vocabulary.
    base: u32,
    /// The transitions of those states that begin with tail calls (calls as a last step) of the grammar's rules.
    through: Vec<OwnedTransitions>,
    /// For each state of the grammar itself, by index from the first such state, the index of its transitions in
    /// `through`. [`NONE`] if they are the same as in the tables of the grammar.
    through_of: Vec<u32>,
}

impl OwnTransitionLists {
    /// Replaces the tail calls of all states of the grammar by the first transitions of the callees. States keep their
    /// own edges and calls if two transitions share a byte, or once the budget is spent.
    pub(crate) fn new(follow: &Follow<'_>, budget: &Budget) -> Self {
        let own = follow.network().own;
        let is_own = |call: &&CallEdge| call.ret == NONE && call.callee >= own.bases.rules;
        let begin = (0..own.state_count())
            .filter(|&index| own.call_edges_of(index as usize).iter().any(|call| is_own(&call)))
            .map(|index| own.bases.states + index);
        let (mut moves, mut of) = (Vec::new(), vec![NONE; own.state_count() as usize]);
        for state in begin {
            let (mut edges, mut calls) = (Vec::new(), Vec::new());
            if budget.spend(STEPS_THROUGH).is_err() {
                break;
            }
            if !follow.first(state).1 && gather(follow, state, DEEPEST, &mut edges, &mut calls) {
                edges.sort_unstable_by_key(|edge: &ByteEdge| edge.lo());
                of[(state - own.bases.states) as usize] = moves.len() as u32;
                moves.push((edges.into(), calls.into()));
            }
        }
        Self { base: own.bases.states, through: moves, through_of: of }
    }

    /// Returns the transitions of a state of the grammar. Tail calls of the grammar's rules are replaced by the
    /// callee's first transitions.
    pub(crate) fn of<'a>(&'a self, network: Joined<'a>, state: u32) -> OwnTransitions<'a> {
        let index = (state - self.base) as usize;
        let through = self.through_of.get(index).filter(|&&at| at != NONE);
        if let Some(&at) = through {
            let (edges, calls) = &self.through[at as usize];
            return OwnTransitions { edges, calls };
        }
        OwnTransitions {
            edges: network.own.byte_edges_of(index),
            calls: network.own.call_edges_of(index),
        }
    }

    /// Returns how many calls of the grammar's rules are nested at the beginning of a state, given by its index among
    /// the grammar's states. Counts up to `most`.
    pub(crate) fn nesting(&self, network: Joined<'_>, index: u32, most: usize) -> usize {
        let calls = self.of(network, self.base + index).calls.iter();
        let first = calls.filter_map(|call| self.first_of(network, call.callee));
        let nested = first.map(|first| match most {
            0 => 0,
            most => 1 + self.nesting(network, first, most - 1),
        });
        nested.max().unwrap_or(0)
    }

    /// Returns the index, among the grammar's states, of the first state of a rule. `None` for a rule of the
    /// vocabulary.
    pub(crate) fn first_of(&self, network: Joined<'_>, rule: u32) -> Option<u32> {
        let is_own = rule >= network.own.bases.rules;
        is_own.then(|| network.rule(rule).first_state - self.base)
    }
}

/// Appends to `edges` and `calls` the transitions of a state of the grammar. Up to `depth` nested tail calls are
/// replaced by the callee's first transitions. Returns false if that is not possible: calls are nested too deep, or
/// transitions share a byte.
fn gather(
    follow: &Follow<'_>,
    state: u32,
    depth: usize,
    edges: &mut Vec<ByteEdge>,
    calls: &mut Vec<CallEdge>,
) -> bool {
    let network = follow.network();
    let own = network.own;
    let index = (state - own.bases.states) as usize;
    edges.extend(own.byte_edges_of(index));
    own.call_edges_of(index).iter().all(|call| {
        if call.ret != NONE || call.callee < own.bases.rules {
            calls.push(*call);
            return true;
        }
        let first = network.rule(call.callee).first_state;
        depth > 0 && !follow.first(first).1 && gather(follow, first, depth - 1, edges, calls)
    })
}
