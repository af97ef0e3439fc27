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
    let (starts, sources) = sources(dfa);
    let into = |state: u32| {
        let state = state as usize;
        sources[starts[state] as usize..starts[state + 1] as usize].iter().copied()
    };
    let mut shortest = vec![u32::MAX; count];
    let accepting = |index: &usize| dfa.states[*index].accepting;
    let mut near: Vec<u32> = (0..count).filter(accepting).map(|index| index as u32).collect();
    near.iter().for_each(|&state| shortest[state as usize] = 0);
    let mut far = Vec::new();
    for distance in 0.. {
        while let Some(state) = near.pop() {
            for (source, weight) in into(state) {
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
    let mut open: Vec<usize> = dfa.states.iter().map(|state| state.edges.len()).collect();
    let mut ready: Vec<u32> =
        (0..count).filter(|&index| open[index] == 0).map(|index| index as u32).collect();
    let mut best = vec![0; count];
    while let Some(state) = ready.pop() {
        let own = best[state as usize];
        longest[state as usize] = Some(own);
        for (source, weight) in into(state) {
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

/// The source of each edge, and its weight in characters, by target: those into state `s` are
/// `sources[starts[s]..starts[s + 1]]`.
fn sources(dfa: &Dfa) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut starts = vec![0u32; dfa.states.len() + 1];
    for edge in dfa.states.iter().flat_map(|state| &state.edges) {
        starts[edge.target as usize + 1] += 1;
    }
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut sources = vec![(0, 0); starts.last().map_or(0, |&count| count as usize)];
    let mut fill = starts.clone();
    for (index, state) in dfa.states.iter().enumerate() {
        for edge in &state.edges {
            let place = &mut fill[edge.target as usize];
            sources[*place as usize] = (index as u32, u32::from(begins(edge)));
            *place += 1;
        }
    }
    (starts, sources)
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
