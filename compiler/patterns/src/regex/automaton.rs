//! HIR to automaton, by way of regex-automata's dense DFA.
//!
//! A dense DFA reports a match one byte late and ends the text with a symbol of its own. The language that we take of
//! it is that of whole texts: a state accepts if the end of the text leads from it to a match. With every match kept
//! ([`MatchKind::All`]) no thread is cut short by a preferred one, so the order of alternatives and greediness do not
//! matter. Then states that no match can be reached from go, and states that differ only in the late report merge.
//!
//! The result is not minimal in general; the network minimises the rule that it becomes part of. Cost: exponential in
//! the pattern at worst, which is what the limit is for.

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

/// The automaton of the texts that the HIR matches from end to end. [`Dfa::never`] where there are none.
///
/// `limit` is the most bytes that each of the Thompson automaton, the subset construction and the dense DFA may use.
pub(super) fn build(hir: &Hir, limit: usize) -> Result<Dfa, PatternError> {
    if hir.properties().look_set().contains_word_unicode() {
        return Err(PatternError::UnicodeWordBoundary { span: 0..0 });
    }
    let too_large = || PatternError::TooLarge { limit, span: 0..0 };
    let config = thompson::Config::new()
        .utf8(true)
        .nfa_size_limit(Some(limit))
        .which_captures(WhichCaptures::None);
    // Unicode word boundaries, the one thing a dense DFA cannot do, are gone; what can still fail is the limit.
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

/// The states that can be reached, in the order they are met.
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

/// The runs of bytes that no state tells apart, in ascending order.
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

/// The automaton without the states that reach no accepting one.
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

/// The automaton with states merged that accept alike and have the same edges, over and over while that gains much.
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
        // Each round is sound on its own; a chain of states merges one link a round, which is not worth the time.
        if dfa.states.len() + before / 16 >= before {
            return dfa;
        }
    }
}

/// The automaton with new numbers for its states. New numbers appear in ascending order; of several states with the
/// same number the first stands for all, and states without one go, with the edges to them.
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
