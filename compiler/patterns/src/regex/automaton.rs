//! Converts an HIR of regex-syntax to an automaton, through the dense DFA of regex-automata.
//!
//! A dense DFA reports a match one byte late, and has a symbol for the end of the text. A state of the result accepts
//! if the end of the text leads to a match. With [`MatchKind::All`] no match hides another, so the order of
//! alternatives and greediness do not matter. Dead states are then removed, and states that differ only in the late
//! report are merged.
//!
//! The result is not minimal in general; the network minimizes the rule that contains it. Cost: exponential in the
//! pattern in the worst case, so the size is limited.

use regex_automata::Anchored;
use regex_automata::MatchKind;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_syntax::hir::Hir;
use rustc_hash::FxHashMap;

use super::PatternError;
use grammarc_grammar::automata::{Dfa, DfaState, Edge};

/// Builds the automaton of the texts that the HIR matches as a whole. [`Dfa::never`] if there are none.
///
/// `limit` is in bytes. It applies separately to the Thompson automaton, the subset construction and the dense DFA.
/// Beyond it, or for a Unicode word boundary, returns an error without a place.
pub(super) fn build(hir: &Hir, limit: usize) -> Result<Dfa, PatternError> {
    if hir.properties().look_set().contains_word_unicode() {
        return Err(PatternError::UnicodeWordBoundary { span: 0..0 });
    }
    let too_large = || PatternError::TooLarge { limit, span: 0..0 };
    let config = thompson::Config::new()
        .utf8(true)
        .nfa_size_limit(Some(limit))
        .which_captures(WhichCaptures::None);
    // Dense DFAs support everything except Unicode word boundaries, which are excluded above. So only the limit can
    // fail.
    let nfa =
        thompson::Compiler::new().configure(config).build_from_hir(hir).map_err(|_| too_large())?;
    let config = dense::Config::new()
        .match_kind(MatchKind::All)
        .start_kind(StartKind::Anchored)
        .accelerate(false)
        .determinize_size_limit(Some(limit))
        .dfa_size_limit(Some(limit));
    let dense =
        dense::Builder::new().configure(config).build_from_nfa(&nfa).map_err(|_| too_large())?;
    let start = dense
        .start_state(&start::Config::new().anchored(Anchored::Yes))
        .map_err(|_| too_large())?;
    Ok(merged(trimmed(converted(&dense, start))))
}

/// Converts the states of a dense DFA that are reachable from `start`, in the order in which they are reached.
fn converted(dense: &dense::DFA<Vec<u32>>, start: StateID) -> Dfa {
    let ranges = ranges_of_classes(dense);
    let mut numbers = FxHashMap::default();
    let mut queue = vec![start];
    numbers.insert(start, 0u32);
    let mut states = Vec::new();
    while let Some(&state) = queue.get(states.len()) {
        let mut converted = DfaState::default();
        for &(lo, hi) in &ranges {
            let target = dense.next_state(state, lo);
            if dense.is_dead_state(target) {
                continue;
            }
            let target = *numbers.entry(target).or_insert_with(|| {
                queue.push(target);
                queue.len() as u32 - 1
            });
            converted.add(Edge { lo: lo.into(), hi: hi.into(), target });
        }
        converted.accepting = dense.is_match_state(dense.next_eoi_state(state));
        states.push(converted);
    }
    Dfa { states }
}

/// Returns the maximal ranges of bytes that all states treat alike, both ends inclusive, in ascending order.
fn ranges_of_classes(dense: &dense::DFA<Vec<u32>>) -> Vec<(u8, u8)> {
    let classes = dense.byte_classes();
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for byte in 0..=u8::MAX {
        match ranges.last_mut() {
            Some((_, hi)) if classes.get(*hi) == classes.get(byte) => *hi = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    ranges
}

/// Removes dead states: those that reach no accepting state.
fn trimmed(dfa: Dfa) -> Dfa {
    let mut sources = vec![Vec::new(); dfa.states.len()];
    for (number, state) in dfa.states.iter().enumerate() {
        state.edges.iter().for_each(|edge| sources[edge.target as usize].push(number));
    }
    let mut live = vec![false; dfa.states.len()];
    let mut agenda: Vec<usize> =
        (0..dfa.states.len()).filter(|&number| dfa.states[number].accepting).collect();
    while let Some(number) = agenda.pop() {
        if !std::mem::replace(&mut live[number], true) {
            agenda.append(&mut sources[number]);
        }
    }
    if !live[0] {
        return Dfa::never();
    }
    let mut numbers = vec![None; dfa.states.len()];
    for (next, number) in numbers.iter_mut().zip(live).filter(|(_, live)| *live).enumerate() {
        *number.0 = Some(next as u32);
    }
    renumbered(dfa, &numbers)
}

/// Merges states that agree on acceptance and on edges. Repeats while a round removes more than one in 16 states.
fn merged(mut dfa: Dfa) -> Dfa {
    loop {
        let before = dfa.states.len();
        let mut kept: FxHashMap<&DfaState, u32> = FxHashMap::default();
        let numbers: Vec<Option<u32>> = dfa
            .states
            .iter()
            .map(|state| {
                let next = kept.len() as u32;
                Some(*kept.entry(state).or_insert(next))
            })
            .collect();
        dfa = renumbered(dfa, &numbers);
        // Each round preserves the language. A chain of states merges by one state in each round, which is not worth
        // the time.
        if dfa.states.len() + before / 16 >= before {
            return dfa;
        }
    }
}

/// Renumbers the states of an automaton by `numbers`. New numbers must first appear in ascending order. States of the
/// same number are merged into the first of them. States without a number are removed, with the edges to them.
fn renumbered(dfa: Dfa, numbers: &[Option<u32>]) -> Dfa {
    let mut states: Vec<DfaState> = Vec::new();
    for (state, &number) in dfa.states.into_iter().zip(numbers) {
        if number == Some(states.len() as u32) {
            let mut renumbered = DfaState { accepting: state.accepting, ..DfaState::default() };
            for edge in state.edges {
                if let Some(target) = numbers[edge.target as usize] {
                    renumbered.add(Edge { target, ..edge });
                }
            }
            states.push(renumbered);
        }
    }
    Dfa { states }
}
