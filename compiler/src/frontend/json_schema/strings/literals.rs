//! The minimal automaton of finitely many texts.
//!
//! J. Daciuk, S. Mihov, B. W. Watson, R. E. Watson, "Incremental construction of minimal acyclic finite-state
//! automata", Computational Linguistics 26(1), 2000: texts arrive in order, so the branch that the last one took is the
//! only one still open, and what closes is looked up among the states already there. Linear in the bytes of the texts.

use super::canonical;
use crate::automata::{Dfa, DfaState, Edge};
use crate::sequences::Sequences;

/// The automaton of sorted texts without repetition, minimal and in canonical numbering.
pub(super) fn automaton<'a>(texts: impl IntoIterator<Item = &'a str>) -> Dfa {
    let mut closed = Closed::default();
    // One open state for every prefix of the last text.
    let mut open = vec![DfaState::default()];
    let mut last: &[u8] = &[];
    for text in texts {
        let text = text.as_bytes();
        let shared = text.iter().zip(last).take_while(|(a, b)| a == b).count();
        closed.close(&mut open, last, shared);
        open.resize_with(text.len() + 1, DfaState::default);
        open[text.len()].accepting = true;
        last = text;
    }
    closed.close(&mut open, last, 0);
    let root = closed.number(open.swap_remove(0));
    canonical::numbered(&closed.states, root)
}

#[derive(Default)]
struct Closed {
    states: Vec<DfaState>,
    /// What each does: whether it accepts, and its edges.
    seen: Sequences,
    words: Vec<u32>,
}

impl Closed {
    /// Closes the open states beyond a prefix of this length.
    fn close(&mut self, open: &mut Vec<DfaState>, last: &[u8], shared: usize) {
        while open.len() > shared + 1 {
            let Some(state) = open.pop() else { return };
            let target = self.number(state);
            let byte = u32::from(last[open.len() - 1]);
            let Some(parent) = open.last_mut() else { return };
            match parent.edges.last_mut() {
                Some(edge) if edge.target == target && edge.hi + 1 == byte => edge.hi = byte,
                _ => parent.edges.push(Edge { lo: byte, hi: byte, target }),
            }
        }
    }

    fn number(&mut self, state: DfaState) -> u32 {
        self.words.clear();
        self.words.push(state.accepting.into());
        self.words.extend(state.edges.iter().flat_map(|edge| [edge.lo, edge.hi, edge.target]));
        let number = self.seen.number(&self.words);
        if number as usize == self.states.len() {
            self.states.push(state);
        }
        number
    }
}
