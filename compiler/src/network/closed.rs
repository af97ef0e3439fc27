//! Bounded runs of letters that end in one of some: `[0-9]{0,63}[1-9]`, `[a-z0-9-]{0,61}[a-z0-9]`.
//!
//! The last letter may be one of those before it, so as a repetition and a letter more, each letter read would be both
//! of these, and the parse position would hold two configurations all the way. The last letter alone tells whether the
//! text that has been read may end. So there are two states where a repetition has one: the *open* one, behind a letter
//! that may not be the last, and the *closed* one, behind one that may. Otherwise it is as in
//! [`repeat`](super::repeat): a chain of rules for what one token can reach, and a loop before it that counts down.
//!
//! ```text
//! chain 1    last
//! chain n    open (chain n-1) | closed (chain n-1)? | other
//! loop       (open | closed){countdown} (chain L)
//! ```
//!
//! The loop ends behind any closed letter as well, and behind an `other`, with which a run can end and not go on. Letters
//! that must come before these are written out in front, and a run that must have many is not built in this way.

use smallvec::smallvec;

use super::build::{Builder, Failure};
use super::repeat::{MOST_LEAD, Synthetic, is_small, without_unreached};
use super::rule::{Arrival, Counted, Lowered};
use crate::automata::{Dfa, DfaState, Edge, Edges, Nfa, Symbol};
use crate::ir::thompson::{Closed, in_sequence};
use crate::ir::{ByteSet, Expr};

/// States of the rules: where they begin, behind an open and a closed letter, and the end.
const START: u32 = 0;
const OPEN: u32 = 1;
const CLOSED: u32 = 2;
const END: u32 = 3;
/// From a state behind a letter to the one that takes its place when the countdown is over.
const DONE: u32 = 3;

/// The letters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Letters {
    /// Bytes that more may come behind.
    pub(super) any: ByteSet,
    /// Bytes that may be the last.
    pub(super) last: ByteSet,
}

impl Letters {
    /// Both sets as words.
    pub(super) fn to_words(self) -> [u32; 16] {
        let (any, last) = (self.any.to_words(), self.last.to_words());
        std::array::from_fn(|at| if at < 8 { any[at] } else { last[at - 8] })
    }

    /// The edges of a state before a letter.
    fn edges(self) -> Edges {
        let Self { any, last } = self;
        let to = |set: ByteSet, target: u32| {
            let edge = move |(lo, hi)| Edge { lo: Symbol::from(lo), hi: Symbol::from(hi), target };
            set.ranges().map(edge).collect::<Vec<_>>()
        };
        let parts =
            [(any.minus(last), OPEN), (any.intersect(last), CLOSED), (last.minus(any), END)];
        let mut edges: Edges =
            parts.into_iter().flat_map(|(set, target)| to(set, target)).collect();
        edges.sort_unstable_by_key(|edge| edge.lo);
        edges
    }
}

impl Builder<'_> {
    /// Connects `from` to `to` by letters and a last one.
    pub(super) fn build_closed(
        &mut self,
        nfa: &mut Nfa,
        run: Closed,
        from: u32,
        to: u32,
    ) -> Result<(), Failure> {
        let Closed { any, min, max, last } = run;
        if min > MOST_LEAD.min(max) || is_small(max, 1) {
            return in_sequence(self, nfa, run, from, to);
        }
        let mut at = from;
        for _ in 0..min {
            let next = nfa.state();
            any.ranges().for_each(|(lo, hi)| nfa.edge(at, lo.into(), hi.into(), next));
            at = next;
        }
        let longest = self.most_repetitions(&Expr::Bytes(any.union(last)), 1);
        let most = (max - min).saturating_add(1);
        let letters = Letters { any, last };
        let start = match most.checked_sub(longest) {
            None | Some(0) => (Synthetic::Chained(letters, most), 0),
            Some(count) => (Synthetic::Looped(letters), count),
        };
        self.call_part(nfa, (start, longest), at, to)
    }
}

/// At most so many letters as a rule that goes on with the call `rest`, which one letter does not have.
pub(super) fn chained(letters: Letters, rest: Option<Symbol>) -> Dfa {
    let edges = match rest {
        Some(_) => letters.edges(),
        None => Letters { any: ByteSet::EMPTY, ..letters }.edges(),
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

/// The loop that counts down, before the call `rest`.
pub(super) fn looped(letters: Letters, rest: Symbol) -> (Dfa, Counted) {
    let edges = letters.edges();
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
        lowered: Lowered::ByOne,
    });
    let counted = Counted::new(arrivals.collect(), true);
    (Dfa { states }, counted)
}
