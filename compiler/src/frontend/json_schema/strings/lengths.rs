//! Lengths in characters of the texts of an automaton.
//!
//! A byte that is no continuation byte begins a character, so lengths are weights on edges, and no automaton over
//! characters is ever built.

use rustc_hash::FxHashMap;

use crate::automata::{Dfa, Edge};

/// Whether an edge begins a character. No edge of an automaton over UTF-8 has bytes of both kinds.
pub(super) fn begins(edge: &Edge) -> bool {
    !(0x80..0xc0).contains(&edge.lo)
}

/// The shortest and the longest rest, in characters that begin in it, of every state of a trimmed automaton; no longest
/// where there is a loop.
pub(super) fn of_states(dfa: &Dfa) -> Vec<(u32, Option<u32>)> {
    let count = dfa.states.len();
    let mut sources: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
    let mut open: Vec<usize> = Vec::with_capacity(count);
    for (index, state) in dfa.states.iter().enumerate() {
        open.push(state.edges.len());
        for edge in &state.edges {
            sources[edge.target as usize].push((index as u32, u32::from(begins(edge))));
        }
    }
    let mut shortest = vec![u32::MAX; count];
    let accepting = |index: &usize| dfa.states[*index].accepting;
    let mut near: Vec<u32> = (0..count).filter(accepting).map(|index| index as u32).collect();
    near.iter().for_each(|&state| shortest[state as usize] = 0);
    let mut far = Vec::new();
    for distance in 0.. {
        while let Some(state) = near.pop() {
            for &(source, weight) in &sources[state as usize] {
                if shortest[source as usize] > distance + weight {
                    shortest[source as usize] = distance + weight;
                    if weight == 0 { near.push(source) } else { far.push(source) }
                }
            }
        }
        far.retain(|&state| shortest[state as usize] == distance + 1);
        if far.is_empty() {
            break;
        }
        std::mem::swap(&mut near, &mut far);
    }
    // Against the edges from the states without any; a state on or before a loop is never reached.
    let mut longest: Vec<Option<u32>> = vec![None; count];
    let mut ready: Vec<u32> =
        (0..count).filter(|&index| open[index] == 0).map(|index| index as u32).collect();
    let mut best = vec![0; count];
    while let Some(state) = ready.pop() {
        let own = best[state as usize];
        longest[state as usize] = Some(own);
        for &(source, weight) in &sources[state as usize] {
            let source = source as usize;
            best[source] = best[source].max(own + weight);
            open[source] -= 1;
            if open[source] == 0 {
                ready.push(source as u32);
            }
        }
    }
    shortest.into_iter().zip(longest).collect()
}

/// Layers after which a search for a length gives up and says that there is one.
const MAX_LAYERS: u32 = 1 << 20;

/// Whether some text has a length from `min` to `max`. Exact, but for automata whose lengths have a period of more than
/// a million.
///
/// Layer by layer: the states between characters that so many characters lead to. The layers repeat sooner or later,
/// nearly always soon.
pub(super) fn some_between(dfa: &Dfa, min: u32, max: u32) -> bool {
    let next = between_characters(dfa);
    let mut layer = vec![0u32];
    let mut seen: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let mut accepted: Vec<bool> = Vec::new();
    for length in 0..=max.min(MAX_LAYERS) {
        if layer.is_empty() {
            return false;
        }
        if let Some(&before) = seen.get(&layer) {
            let period = length - before;
            return accepted[before as usize..].iter().zip(before..).any(|(&accepts, known)| {
                let rounds = min.saturating_sub(known).div_ceil(period);
                let shifted = u64::from(known) + u64::from(rounds) * u64::from(period);
                accepts && shifted <= u64::from(max)
            });
        }
        let accepts = layer.iter().any(|&state| dfa.states[state as usize].accepting);
        if accepts && length >= min {
            return true;
        }
        accepted.push(accepts);
        let mut after: Vec<u32> =
            layer.iter().flat_map(|&state| next[state as usize].iter().copied()).collect();
        after.sort_unstable();
        after.dedup();
        seen.insert(std::mem::replace(&mut layer, after), length);
    }
    max > MAX_LAYERS
}

/// For each state, those that one more character, or the rest of the one begun, leads to.
fn between_characters(dfa: &Dfa) -> Vec<Vec<u32>> {
    let inside = |state: u32| dfa.states[state as usize].edges.iter().any(|edge| !begins(edge));
    let mut next = vec![Vec::new(); dfa.states.len()];
    for (index, targets) in next.iter_mut().enumerate() {
        if inside(index as u32) {
            continue;
        }
        let mut stack = vec![index as u32];
        let mut met = Vec::new();
        while let Some(state) = stack.pop() {
            for edge in &dfa.states[state as usize].edges {
                if met.contains(&edge.target) {
                    continue;
                }
                met.push(edge.target);
                if inside(edge.target) {
                    stack.push(edge.target);
                } else {
                    targets.push(edge.target);
                }
            }
        }
    }
    next
}
