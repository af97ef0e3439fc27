//! Bounded runs of bytes with a tail: `[0-9]{0,63}[1-9]`, `[a-z0-9-]{0,61}[a-z0-9]`.
//!
//! The last byte may also be one of those before it. As a repetition followed by one more byte, the parse position
//! would hold two configurations after each byte. The last byte read alone decides whether the run may end. So there
//! are two states where a repetition has one: *open* after a byte that may not be the last, and *closed* after one that
//! may. The rest is as for a [repetition](super): a loop counts down, and a chain follows for the states that one
//! token can reach.
//!
//! ```text
//! chain 1    last
//! chain n    open (chain n-1) | closed (chain n-1)? | other
//! loop       (open | closed){countdown} (chain L)
//! ```
//!
//! The loop may also end after any closed byte, and after an `other`: a byte with which a run can end and not continue.
//! The required bytes are unrolled before these rules, and a run with many of them is not built in this way.

use smallvec::smallvec;

use super::rule::TailBytes;
use crate::automata::{Dfa, DfaState, Edge, Edges, Symbol};
use crate::ir::ByteSet;
use crate::network::minimal::without_unreached;
use crate::network::rule::{Arrival, Counted, RegisterUpdate};

/// States of the rules: the initial state, those after an open and after a closed byte, and the end.
const START: u32 = 0;
const OPEN: u32 = 1;
const CLOSED: u32 = 2;
const END: u32 = 3;
/// Distance from a state after a byte to the one that replaces it when the countdown ends.
const DONE: u32 = 3;

/// Returns the edges of a state before a byte.
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

/// Builds a bounded run before the call `rest`, which a run of one byte does not have.
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

/// Builds the loop that counts down, before the call `rest`.
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
