//! Transitions of a grammar's own states, with tail calls of own rules looked through.
//!
//! A tail call goes on over the same stack, so what the called rule begins with is as good as the state's own edges.
//!
//! Cost: O(edges of the states that begin with such calls).

use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Joined;

use crate::budget::Budget;
use crate::network::follow::Follow;

/// Most tail calls that are looked through, one from the beginning of the other.
pub(crate) const DEEPEST: usize = 16;

/// The flags that let a token end on arrival at a state.
pub(crate) const ARRIVES: u32 = state_flags::RESTS | state_flags::POP_ONLY;

/// Flags of a state that say whether a token may end there and its rule be left.
pub(crate) const ENDS: u32 = state_flags::FINAL | state_flags::POP_ONLY | state_flags::RESTS;

/// Steps of a budget that it takes to look through the calls of a state, about.
const STEPS_THROUGH: usize = 1 << 9;

/// Transitions of an own state: byte edges in ascending order, and calls. The edges that a tail call of an own rule
/// begins with are among them, since they are taken with the same stack.
#[derive(Clone, Copy)]
pub(crate) struct OwnTransitions<'a> {
    pub(crate) edges: &'a [ByteEdge],
    pub(crate) calls: &'a [CallEdge],
}

/// [`OwnTransitions`] that stand in no table.
type OwnedTransitions = (Box<[ByteEdge]>, Box<[CallEdge]>);

/// The transitions of all own states.
#[derive(Debug, Default)]
pub(crate) struct OwnTransitionLists {
    base: u32,
    /// The transitions of states that begin with tail calls of own rules.
    through: Vec<OwnedTransitions>,
    /// By index of the state, which of those are its own, or [`NONE`].
    through_of: Vec<u32>,
}

impl OwnTransitionLists {
    /// The transitions of the own states of a network.
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

    /// The transitions of an own state.
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

    /// How many calls of own rules lie between a state and what they begin with, at most `most`.
    pub(crate) fn nesting(&self, network: Joined<'_>, index: u32, most: usize) -> usize {
        let calls = self.of(network, self.base + index).calls.iter();
        let first = calls.filter_map(|call| self.first_of(network, call.callee));
        let nested = first.map(|first| match most {
            0 => 0,
            most => 1 + self.nesting(network, first, most - 1),
        });
        nested.max().unwrap_or(0)
    }

    /// Index of the state that an own rule begins in.
    pub(crate) fn first_of(&self, network: Joined<'_>, rule: u32) -> Option<u32> {
        let is_own = rule >= network.own.bases.rules;
        is_own.then(|| network.rule(rule).first_state - self.base)
    }
}

/// Adds the transitions of an own state; says whether they are edges and calls alone.
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
