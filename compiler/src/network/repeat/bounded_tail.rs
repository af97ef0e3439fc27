//! Bounded tails: bounded runs of bytes whose last byte comes from a set of its own, such as
//! `[0-9]{0,63}[1-9]` and `[a-z0-9-]{0,61}[a-z0-9]`.
//!
//! The last byte may also be one of the bytes before it. As a repetition followed by one more byte,
//! a parse position would hold two parses after each byte. Whether the run may end depends only on
//! the last byte read. So there are two states where a repetition has one. The state is *open*
//! after a byte that may not be the last, and *closed* after a byte that may be the last. The rest
//! is as for a [repetition](super): a loop counts down, and a chain follows for the states that one
//! token can reach.
//!
//! ```text
//! chain 1    last
//! chain n    open (chain n-1) | closed (chain n-1)? | other
//! loop       (open | closed){countdown} (chain L)
//! ```
//!
//! The loop may also end after any byte that leads to closed, and after an `other`: a byte that can
//! be the last but nothing else. The required bytes are unrolled before these rules. A run with
//! many required bytes is not built in this way.

use smallvec::smallvec;

use super::rule::TailBytes;
use crate::automata::{Dfa, DfaState, Edge, Edges, Symbol};
use crate::ir::ByteSet;
use crate::network::minimal::without_unreached;
use crate::network::rule::{Arrival, Counted, RegisterUpdate};

/// The initial state, before the first byte.
const START: u32 = 0;
/// The state after a byte that may not be the last byte of the run.
const OPEN: u32 = 1;
/// The state after a byte that may be the last byte of the run.
const CLOSED: u32 = 2;
/// The final state, after a byte that can only be the last, or after the call of the next rule.
const END: u32 = 3;
/// The distance from the open or closed state of a loop to the state that replaces it when the
/// countdown ends.
const DONE: u32 = 3;

/// Returns the edges on the next byte of a run, sorted: to the open state, the closed state and the
/// end.
fn edges_of(TailBytes { any, last }: TailBytes) -> Edges {
    let to = |set: ByteSet, target: u32| {
        let edge = move |(lo, hi)| Edge { lo: Symbol::from(lo), hi: Symbol::from(hi), target };
        set.ranges().map(edge).collect::<Vec<_>>()
    };
    let parts = [(any.minus(last), OPEN), (any.intersect(last), CLOSED), (last.minus(any), END)];
    let mut edges: Edges = parts.into_iter().flat_map(|(set, target)| to(set, target)).collect();
    edges.sort_unstable_by_key(|edge| edge.lo);
    edges
}

/// Builds a chain rule: one byte and then the call `rest`. Without `rest`, the rule accepts one
/// byte of the set `last`.
pub(in crate::network) fn chain(bytes: TailBytes, rest: Option<Symbol>) -> Dfa {
    let edges = match rest {
        Some(_) => edges_of(bytes),
        None => edges_of(TailBytes { any: ByteSet::EMPTY, ..bytes }),
    };
    let call: Edges =
        rest.map(|rest| Edge { lo: rest, hi: rest, target: END }).into_iter().collect();
    let states = vec![
        DfaState { edges, accepting: false },
        DfaState { edges: call.clone(), accepting: false },
        DfaState { edges: call, accepting: true },
        DfaState { edges: Edges::new(), accepting: true },
    ];
    Dfa { states: without_unreached(states, &[]).0 }
}

/// Builds the loop rule: bytes that are counted down, and then the call `rest` when the countdown
/// ends. Returns the automaton with its register updates.
pub(in crate::network) fn counted_loop(bytes: TailBytes, rest: Symbol) -> (Dfa, Counted) {
    let edges = edges_of(bytes);
    let call: Edges = smallvec![Edge { lo: rest, hi: rest, target: END }];
    let states = vec![
        DfaState { edges: edges.clone(), accepting: false },
        DfaState { edges: edges.clone(), accepting: false },
        DfaState { edges, accepting: true },
        DfaState { edges: Edges::new(), accepting: true },
        DfaState { edges: call.clone(), accepting: false },
        DfaState { edges: call, accepting: true },
    ];
    let begin = &states[START as usize].edges;
    let is_reached = |&head: &u32| begin.iter().any(|edge| edge.target == head);
    let heads: Vec<u32> = [OPEN, CLOSED].into_iter().filter(is_reached).collect();
    let exits: Vec<u32> = heads.iter().map(|head| head + DONE).collect();
    let (states, numbers) = without_unreached(states, &exits);
    let arrivals = heads.iter().map(|&head| Arrival {
        state: numbers[head as usize],
        exit: numbers[(head + DONE) as usize],
        update: RegisterUpdate::Decrement,
    });
    let counted = Counted::new(arrivals.collect(), true);
    (Dfa { states }, counted)
}
