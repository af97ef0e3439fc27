//! Classes of equal states by colours that are refined round by round.
//!
//! E. F. Moore, "Gedanken-experiments on sequential machines", Automata Studies, 1956. A state's colour is a hash of
//! whether it accepts and of its edges with the colours of their targets; the colours of round `k` tell what differs
//! within `k` symbols. A state whose colour no other state has is done with, and rules are nearly trees of different
//! words: after a few rounds only true duplicates are left. Where the work exceeds a multiple of the automaton's size,
//! as for long chains of one symbol, this gives up and the general method of [`minimize`](super::minimize) is used.
//!
//! Ranges are compared as they are, and never cut into the pieces that all ranges of the automaton have in common: for
//! the keys of an object that may have other keys, every byte but for the next of a key, that is the difference between
//! the number of edges and its square.
//!
//! Equal states have equal colours in every round, so states of different colours differ. That states of one colour are
//! equal is not left to the hash: the classes are checked to go on alike.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::{Dfa, DfaState};

/// Edges looked at, as a multiple of the automaton's, before giving up.
const EFFORT: usize = 24;

/// For each state of a trimmed automaton the number of its class, where it is easily found.
pub(super) fn classes(dfa: &Dfa) -> Option<Vec<u32>> {
    let count = dfa.states.len();
    let size = |state: u32| 1 + dfa.states[state as usize].edges.len();
    let mut open: Vec<u32> = (0..count as u32).collect();
    let mut effort = EFFORT * open.iter().map(|&state| size(state)).sum::<usize>();
    let mut colours: Vec<u64> = dfa.states.iter().map(|state| state.accepting.into()).collect();
    let mut fresh: Vec<u64> = Vec::with_capacity(count);
    let mut words = Vec::new();
    let (mut settled, mut before) = (0, 0);
    loop {
        effort = effort.checked_sub(open.iter().map(|&state| size(state)).sum())?;
        fresh.clear();
        fresh.extend(open.iter().map(|&state| {
            words.clear();
            describe(&dfa.states[state as usize], &colours, &mut words);
            let mut hasher = FxHasher::default();
            words.iter().for_each(|&word| hasher.write_u64(word));
            hasher.finish()
        }));
        let mut uses: FxHashMap<u64, u32> = FxHashMap::default();
        for (&state, &colour) in open.iter().zip(&fresh) {
            colours[state as usize] = colour;
            *uses.entry(colour).or_default() += 1;
        }
        let colour_count = settled + uses.len();
        if colour_count == before {
            break;
        }
        before = colour_count;
        let all = open.len();
        open.retain(|&state| uses[&colours[state as usize]] > 1);
        settled += all - open.len();
    }
    number(dfa, &colours)
}

/// The colours as numbers, where states of one colour go on alike.
fn number(dfa: &Dfa, colours: &[u64]) -> Option<Vec<u32>> {
    let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
    let mut first: Vec<usize> = Vec::new();
    let classes: Vec<u32> = (0..)
        .zip(colours)
        .map(|(state, &colour)| {
            *numbers.entry(colour).or_insert_with(|| {
                first.push(state);
                first.len() as u32 - 1
            })
        })
        .collect();
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    for (state, &class) in classes.iter().enumerate() {
        let representative = first[class as usize];
        if representative != state {
            expected.clear();
            found.clear();
            describe(&dfa.states[representative], &classes, &mut expected);
            describe(&dfa.states[state], &classes, &mut found);
            if expected != found {
                return None;
            }
        }
    }
    Some(classes)
}

/// Whether a state accepts, and its edges with the classes of their targets, neighbours of one class joined.
fn describe<T: Copy + Into<u64>>(state: &DfaState, classes: &[T], words: &mut Vec<u64>) {
    words.push(state.accepting.into());
    for edge in &state.edges {
        let class = classes[edge.target as usize].into();
        match words[..] {
            [_, .., hi, last] if last == class && hi + 1 == u64::from(edge.lo) => {
                let at = words.len() - 2;
                words[at] = edge.hi.into();
            }
            _ => words.extend([edge.lo.into(), edge.hi.into(), class]),
        }
    }
}
