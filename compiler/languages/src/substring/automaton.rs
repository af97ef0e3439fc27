//! Builds the suffix automaton of a sequence of chunks, over bytes.
//!
//! A part is a run of consecutive chunks. States are classes of parts with the same end positions in the text. There
//! are fewer than twice as many states as chunks, and fewer than three times as many transitions. One pass over the
//! chunks builds them (Blumer et al. 1985). Every state accepts: each path from the start is a part. Transitions on
//! chunks are then expanded to bytes. A prefix that several transitions of a state share is stored once, and so is a
//! suffix of a chunk to one state. The result is deterministic unless, after the same part, one chunk is a prefix of
//! another. Then it is determinized.
//!
//! Cost: O(length of the text · logarithm of the number of distinct chunks). For words, determinization stays linear:
//! the chunk after a word and a longer word differ in their first byte.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use grammarc_grammar::automata::{Dfa, DfaState, Edge, Nfa, StateBudget, StateLimit, determinize};

/// Steps of the budget that one chunk costs: an estimate of its share of the work.
const STEPS_A_CHUNK: usize = 1 << 3;

/// Builds the automaton of all contiguous parts of a text in chunks, the empty part included.
///
/// # Errors
///
/// The automaton exceeds the allowed states, or the budget is spent.
pub(super) fn parts(chunks: &[&str], allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    // An empty chunk adds no boundary.
    let chunks: Vec<&str> = chunks.iter().copied().filter(|chunk| !chunk.is_empty()).collect();
    let mut names = chunks.clone();
    names.sort_unstable();
    names.dedup();
    let mut automaton = Automaton::default();
    for chunk in &chunks {
        let name = names.binary_search(chunk).expect("it is one of them");
        automaton.push(name as u32);
        allowed.spend(STEPS_A_CHUNK)?;
    }
    automaton.to_byte_dfa(&names, allowed)
}

/// The transitions of a state: chunk index and target state, sorted by chunk.
type Transitions = SmallVec<[(u32, u32); 2]>;

struct State {
    /// The length of the longest part of the state's class, in chunks.
    length: u32,
    /// The suffix link: the state of the longest suffix that is in another class. `None` for the start.
    link: Option<u32>,
    next: Transitions,
}

struct Automaton {
    states: Vec<State>,
    /// The state of the whole text read so far.
    last: u32,
}

impl Default for Automaton {
    fn default() -> Self {
        let start = State { length: 0, link: None, next: Transitions::new() };
        Self { states: vec![start], last: 0 }
    }
}

impl Automaton {
    fn state(&mut self, state: State) -> u32 {
        self.states.push(state);
        (self.states.len() - 1) as u32
    }

    fn transition(&mut self, from: u32, chunk: u32) -> Result<&mut u32, usize> {
        let next = &mut self.states[from as usize].next;
        next.binary_search_by_key(&chunk, |&(chunk, _)| chunk).map(|at| &mut next[at].1)
    }

    fn push(&mut self, chunk: u32) {
        let length = self.states[self.last as usize].length + 1;
        let new = self.state(State { length, link: Some(0), next: Transitions::new() });
        let mut from = Some(std::mem::replace(&mut self.last, new));
        while let Some(at) = from {
            let to = match self.transition(at, chunk) {
                Ok(to) => *to,
                Err(place) => {
                    let state = &mut self.states[at as usize];
                    state.next.insert(place, (chunk, new));
                    from = state.link;
                    continue;
                }
            };
            let length = self.states[at as usize].length + 1;
            let link = if self.states[to as usize].length == length {
                to
            } else {
                self.split(at, chunk, to, length)
            };
            self.states[new as usize].link = Some(link);
            return;
        }
    }

    /// Splits the class of a state: its parts of at most `length` chunks get a state of their own, which is returned.
    /// These parts also end at the current position.
    fn split(&mut self, from: u32, chunk: u32, class: u32, length: u32) -> u32 {
        let State { link, next, .. } = &self.states[class as usize];
        let (link, next) = (*link, next.clone());
        let own = self.state(State { length, link, next });
        self.states[class as usize].link = Some(own);
        let mut from = Some(from);
        while let Some(at) = from {
            match self.transition(at, chunk) {
                Ok(to) if *to == class => *to = own,
                _ => break,
            }
            from = self.states[at as usize].link;
        }
        own
    }

    fn to_byte_dfa(&self, names: &[&str], allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
        let mut dfa = Dfa { states: Vec::with_capacity(self.states.len()) };
        dfa.states.resize(self.states.len(), DfaState { accepting: true, ..DfaState::default() });
        // States within a chunk where a shorter chunk ends, each with the target of that chunk.
        let mut ends: Vec<(u32, u32)> = Vec::new();
        // The rest of a chunk to one target is stored once: maps chunk, target and depth in bytes to its state.
        let mut within: FxHashMap<(u32, u32, usize), u32> = FxHashMap::default();
        let mut open = Vec::new();
        for (at, state) in self.states.iter().enumerate() {
            open.push((at as u32, 0, &*state.next));
            while let Some((at, depth, mut next)) = open.pop() {
                let byte = |chunk: u32| names[chunk as usize].as_bytes()[depth];
                while let Some(&(first, target)) = next.first() {
                    let alike = next.partition_point(|&(chunk, _)| byte(chunk) == byte(first));
                    let (group, rest) = next.split_at(alike);
                    next = rest;
                    // Of the chunks with the same bytes so far, the shortest comes first.
                    let is_end = names[first as usize].len() == depth + 1;
                    let new = dfa.states.len() as u32;
                    let to = match group.len() {
                        1 if is_end => target,
                        1 => *within.entry((first, target, depth)).or_insert(new),
                        _ => new,
                    };
                    let symbol = byte(first).into();
                    dfa.states[at as usize].edges.push(Edge { lo: symbol, hi: symbol, target: to });
                    if to != new {
                        continue;
                    }
                    dfa.states.push(DfaState::default());
                    if is_end {
                        ends.push((to, target));
                    }
                    open.push((to, depth + 1, &group[usize::from(is_end)..]));
                }
            }
            allowed.spend(state.next.len())?;
            if dfa.states.len() > allowed.states {
                return Err(allowed.error());
            }
        }
        if ends.is_empty() {
            return Ok(dfa);
        }
        let mut nfa = Nfa::with_capacity(dfa.states.len());
        let (from, to) = (nfa.start, nfa.end);
        let first = nfa.len() as u32;
        nfa.embed(&dfa, from, to);
        ends.iter().for_each(|&(at, target)| nfa.empty(first + at, first + target));
        determinize(&nfa, allowed)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_text_has_few_states() {
        let text = "abracadabra alakazam hocus pocus ".repeat(50);
        let chunks: Vec<&str> = text.split_inclusive(|_: char| true).collect();
        let dfa = parts(&chunks, StateBudget::of(usize::MAX)).expect("there is no limit");
        assert!(dfa.states.len() < 2 * chunks.len(), "{}", dfa.states.len());
        let error = parts(&chunks, StateBudget::of(100)).expect_err("too many");
        assert_eq!(error, StateLimit { limit: 100 });
    }

    proptest! {
        #[test]
        fn the_language_is_that_of_the_parts(
            chunks in prop::collection::vec("[ab]{0,3}|é|[aé]b", 0..8),
            texts in prop::collection::vec("[abé]{0,8}", 8),
        ) {
            let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
            let dfa = parts(&chunks, StateBudget::of(usize::MAX)).expect("there is no limit");
            let all = 0..=chunks.len();
            let all = all.clone().flat_map(|from| all.clone().map(move |to| (from, to)));
            let all: BTreeSet<String> =
                all.filter(|(from, to)| from <= to).map(|(from, to)| chunks[from..to].concat()).collect();
            for part in &all {
                prop_assert!(dfa.accepts(part.as_bytes()), "{part:?}");
            }
            for text in texts {
                prop_assert_eq!(dfa.accepts(text.as_bytes()), all.contains(&text), "{:?}", text);
            }
        }
    }
}
