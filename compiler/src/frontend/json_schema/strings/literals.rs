//! The minimal automaton of finitely many texts.
//!
//! J. Daciuk, S. Mihov, B. W. Watson, R. E. Watson, "Incremental construction of minimal acyclic finite-state
//! automata", Computational Linguistics 26(1), 2000: texts arrive in order, so the branch that the last one took is the
//! only one still open, and what closes is looked up among the states already there. Linear in the bytes of the texts.

use rustc_hash::FxHashMap;

use super::canonical;
use crate::automata::{Dfa, DfaState, Edge};

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
    numbers: FxHashMap<DfaState, u32>,
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
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = self.states.len() as u32;
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        number
    }
}
