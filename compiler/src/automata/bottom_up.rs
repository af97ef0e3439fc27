//! Minimisation from the end: states are equal where they accept alike and go on alike, and what they go on to is
//! settled before them.
//!
//! D. Revuz, "Minimisation of acyclic deterministic automata in linear time", TCS 92(1), 1992. On a cycle nothing is
//! settled before anything else, but rules are nearly trees: their few cyclic states are told from all other states,
//! and from each other, by what they do with the next few symbols. Where that is so, each of them is a class by itself
//! and the rest is as without cycles: were two other states equal and not found so, their ways on would lead, symbol by
//! symbol, to two equal states one of which is on a cycle. Where it is not so, this gives up, and the general method of
//! [`minimize`](super::minimize) is used.
//!
//! Ranges are compared as they are and never cut into the pieces that all ranges of the automaton have in common: for
//! the keys of an object that may have other keys, every state but for the next character of a key, that is the
//! difference between the number of edges and its square.
//!
//! Cost: O(edges) expected.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::{Dfa, DfaState};
use crate::graph::components_by;

/// How many symbols a cyclic state is given to differ from all others.
const ROUNDS: usize = 12;

/// For each state of a trimmed automaton the number of its class, where cyclic states are easily told apart.
pub(super) fn classes(dfa: &Dfa) -> Option<Vec<u32>> {
    let count = dfa.states.len();
    let successor = |state: usize, edge: usize| dfa.states[state].edges[edge].target as usize;
    let component = components_by(count, |state| dfa.states[state].edges.len(), successor);
    let mut members = vec![0u32; count];
    component.iter().for_each(|&id| members[id as usize] += 1);
    let cyclic: Vec<bool> = (0..count)
        .map(|state| {
            let own = || dfa.states[state].edges.iter().any(|edge| edge.target as usize == state);
            members[component[state] as usize] > 1 || own()
        })
        .collect();
    if cyclic.contains(&true) && !are_told_apart(dfa, &cyclic) {
        return None;
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_key(|&state| component[state as usize]);
    let mut classes = vec![u32::MAX; count];
    // Cyclic states first: the states behind them lead into them.
    let mut next = 0;
    for (class, _) in classes.iter_mut().zip(&cyclic).filter(|(_, cyclic)| **cyclic) {
        *class = next;
        next += 1;
    }
    let mut seen: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
    let mut words = Vec::new();
    for state in order.into_iter().map(|state| state as usize).filter(|&state| !cyclic[state]) {
        words.clear();
        describe(&dfa.states[state], &classes, &mut words);
        classes[state] = match seen.get(&words[..]) {
            Some(&class) => class,
            None => {
                seen.insert(words[..].into(), next);
                next += 1;
                next - 1
            }
        };
    }
    Some(classes)
}

/// Whether every cyclic state differs from all other states in what it does with a few symbols.
fn are_told_apart(dfa: &Dfa, cyclic: &[bool]) -> bool {
    // Equal states have equal colours in every round, so what differs in colour is not equal.
    let mut colours: Vec<u32> = dfa.states.iter().map(|state| u32::from(state.accepting)).collect();
    let mut words = Vec::new();
    for _ in 0..ROUNDS {
        let of = |state: &DfaState, words: &mut Vec<u32>| {
            words.clear();
            describe(state, &colours, words);
            let mut hasher = FxHasher::default();
            words.iter().for_each(|&word| hasher.write_u32(word));
            let hash = hasher.finish();
            (hash ^ hash >> 32) as u32
        };
        let new: Vec<u32> = dfa.states.iter().map(|state| of(state, &mut words)).collect();
        colours = new;
        let mut uses: FxHashMap<u32, u32> = FxHashMap::default();
        colours.iter().for_each(|&colour| *uses.entry(colour).or_default() += 1);
        if colours.iter().zip(cyclic).all(|(colour, &cyclic)| !cyclic || uses[colour] == 1) {
            return true;
        }
    }
    false
}

/// Whether a state accepts, and its edges with the classes of their targets, neighbours of one class joined.
fn describe(state: &DfaState, classes: &[u32], words: &mut Vec<u32>) {
    words.push(u32::from(state.accepting));
    for edge in &state.edges {
        let class = classes[edge.target as usize];
        match words[..] {
            [.., hi, last] if words.len() > 1 && last == class && hi + 1 == edge.lo => {
                let at = words.len() - 2;
                words[at] = edge.hi;
            }
            _ => words.extend([edge.lo, edge.hi, class]),
        }
    }
}
