//! Lengths, in characters, of the texts that an automaton over bytes accepts.
//!
//! A byte that is no UTF-8 continuation byte begins a character, so edges have weight 1 or 0. No automaton over
//! characters is built.

use rustc_hash::FxHashMap;

use grammarc_grammar::automata::{Dfa, Edge};
use grammarc_grammar::graph::Lists;

/// Returns whether an edge of an automaton over UTF-8 begins a character. No edge of an automaton over UTF-8 has both
/// first bytes and continuation bytes.
pub(super) fn begins(edge: &Edge) -> bool {
    !(0x80..0xc0).contains(&edge.lo)
}

/// Returns for every state of a trimmed automaton the lengths of its shortest and its longest continuation. Lengths
/// count the characters that begin in the continuation. The longest length is `None` if there is a loop.
pub(super) fn of_states(dfa: &Dfa) -> Vec<(u32, Option<u32>)> {
    let count = dfa.states.len();
    let sources = sources(dfa);
    // Returns the edges into a state: the source of each, and its weight in characters.
    let into = |state: u32| {
        sources.of(state as usize).iter().map(|&edge| ((edge >> 1) as usize, edge & 1))
    };
    let rests = dfa.states.iter().map(|state| Rest { open: state.edges.len(), ..Rest::UNKNOWN });
    let mut rests: Vec<Rest> = rests.collect();
    let accepting = |index: &usize| dfa.states[*index].accepting;
    let mut near: Vec<u32> = (0..count).filter(accepting).map(|index| index as u32).collect();
    near.iter().for_each(|&state| rests[state as usize].shortest = 0);
    let mut far = Vec::new();
    for distance in 0.. {
        while let Some(state) = near.pop() {
            for (source, weight) in into(state) {
                let shortest = &mut rests[source].shortest;
                if *shortest > distance + weight {
                    *shortest = distance + weight;
                    if weight == 0 { near.push(source as u32) } else { far.push(source as u32) }
                }
            }
        }
        far.retain(|&state| rests[state as usize].shortest == distance + 1);
        if far.is_empty() {
            break;
        }
        std::mem::swap(&mut near, &mut far);
    }
    // Walks backward from the states without edges. A state on or before a loop is never reached.
    let mut ready = near;
    ready.extend((0..count).filter(|&index| rests[index].open == 0).map(|index| index as u32));
    while let Some(state) = ready.pop() {
        let own = rests[state as usize].best;
        rests[state as usize].longest = Some(own);
        for (source, weight) in into(state) {
            let rest = &mut rests[source];
            rest.best = rest.best.max(own + weight);
            rest.open -= 1;
            if rest.open == 0 {
                ready.push(source as u32);
            }
        }
    }
    rests.into_iter().map(|rest| (rest.shortest, rest.longest)).collect()
}

/// The lengths, in characters, of the continuations of a state.
#[derive(Clone, Copy)]
struct Rest {
    /// Length in characters of the shortest continuation; `u32::MAX` while unknown.
    shortest: u32,
    /// Length in characters of the longest continuation; `None` while unknown, and for states before a loop.
    longest: Option<u32>,
    /// Number of edges to states whose longest continuation is unknown.
    open: usize,
    /// Length in characters of the longest continuation through the edges that are not counted in `open`.
    best: u32,
}

impl Rest {
    /// The lengths of a state's continuations before the search: all unknown.
    const UNKNOWN: Self = Self { shortest: u32::MAX, longest: None, open: 0, best: 0 };
}

/// Returns for each state the sources of its incoming edges. Each source is encoded as twice its number, plus 1 if the
/// edge begins a character.
fn sources(dfa: &Dfa) -> Lists {
    let edges = dfa.states.iter().enumerate().flat_map(|(index, state)| {
        let source = (index as u32) << 1;
        state.edges.iter().map(move |edge| (edge.target, source | u32::from(begins(edge))))
    });
    Lists::of_pairs(dfa.states.len(), edges)
}

/// Most lengths, in characters, that a search for a text tests. If the reached states have not repeated up to this
/// length, the search assumes that a text exists.
const MAX_LAYERS: u32 = 1 << 20;

/// Returns whether some text has a length from `min` to `max` characters (inclusive). The result is exact, except that
/// it may be wrongly `true` for automata whose lengths have a period of more than a million.
///
/// The search goes layer by layer: layer `n` has the states that are reached after `n` characters. Layers repeat
/// eventually, nearly always soon.
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

/// Returns for each state between characters the states that are reached after one more character.
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
