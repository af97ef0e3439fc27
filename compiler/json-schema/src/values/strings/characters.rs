//! Reads an automaton over UTF-8 bytes as an automaton over characters.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use grammarc_grammar::automata::Dfa;

/// Inclusive ranges of characters (Unicode scalar values), ascending, neither overlapping nor adjacent.
pub(super) type Ranges = SmallVec<[(char, char); 4]>;

/// The target states of an automaton state, each with the characters that lead to the target. Most states have one or
/// two.
pub(super) type Moves = SmallVec<[(u32, Ranges); 2]>;

/// A range of characters that lead to one automaton state.
#[derive(Clone, Copy)]
struct Run {
    /// Lowest character of the range, or lowest offset inside a character.
    lo: u32,
    /// Highest character of the range, inclusive.
    hi: u32,
    /// The automaton state that the characters lead to.
    target: u32,
}

/// Ranges of characters with their target states, ascending.
type Runs = SmallVec<[Run; 4]>;

/// Reads an automaton over UTF-8 bytes by whole characters.
pub(super) struct Characters<'a> {
    /// The automaton over UTF-8 bytes that is read.
    dfa: &'a Dfa,
    /// For each state inside a character, the values of the remaining continuation bytes, as offsets, and their
    /// targets.
    inside: FxHashMap<u32, Runs>,
}

impl<'a> Characters<'a> {
    pub(super) fn new(dfa: &'a Dfa) -> Self {
        Self { dfa, inside: FxHashMap::default() }
    }

    /// Returns the edges of a state between characters. Targets are ordered by their lowest character, each with its
    /// characters.
    pub(super) fn moves(&mut self, state: u32) -> Moves {
        let edges = &self.dfa.states[state as usize].edges;
        let mut runs = Runs::with_capacity(edges.len());
        for edge in edges {
            if edge.hi < 0x80 {
                push(&mut runs, edge.lo, edge.hi, edge.target);
                continue;
            }
            let (bits, mask) = match edge.lo {
                0..0xe0 => (6, 0x1f),
                0xe0..0xf0 => (12, 0x0f),
                _ => (18, 0x07),
            };
            self.extend(&mut runs, edge.lo & mask..=edge.hi & mask, bits, edge.target);
        }
        // Ranges with one target stay in their order.
        runs.sort_by_key(|run| run.target);
        let moves = runs.chunk_by(|a, b| a.target == b.target).map(|runs| {
            // The automaton accepts only UTF-8, which has no surrogates.
            let range = |run: &Run| char::from_u32(run.lo).zip(char::from_u32(run.hi));
            (runs[0].target, runs.iter().filter_map(range).collect())
        });
        let mut moves: Moves = moves.collect();
        moves.sort_unstable_by_key(|(_, ranges)| ranges.first().copied());
        moves
    }

    /// Returns the single character that a state between characters can read, with its target. Returns `None` if there
    /// are several or none.
    pub(super) fn only(&mut self, state: u32) -> Option<(char, u32)> {
        if let [edge] = self.dfa.states[state as usize].edges[..]
            && edge.hi < 0x80
        {
            let character = char::from_u32(edge.lo).filter(|_| edge.lo == edge.hi)?;
            return Some((character, edge.target));
        }
        match &self.moves(state)[..] {
            [(target, ranges)] => match ranges[..] {
                [(lo, hi)] if lo == hi => Some((lo, *target)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds the characters that begin with one of `bytes` (the payload bits of an edge), if `bits` more bits follow
    /// after the state `target`.
    fn extend(&mut self, runs: &mut Runs, bytes: RangeInclusive<u32>, bits: u32, target: u32) {
        let rests = self.rests(target, bits);
        if let [Run { lo: 0, hi: last, target: end }] = *rests
            && last + 1 == 1 << bits
        {
            let (lo, hi) = bytes.into_inner();
            push(runs, lo << bits, (hi << bits) + last, end);
            return;
        }
        let rests = Runs::from_slice(rests);
        for byte in bytes {
            for &Run { lo, hi, target } in &rests {
                push(runs, (byte << bits) + lo, (byte << bits) + hi, target);
            }
        }
    }

    /// Returns the offsets that the remaining bytes of a character may encode from a state, if `bits` bits follow.
    fn rests(&mut self, state: u32, bits: u32) -> &[Run] {
        if !self.inside.contains_key(&state) {
            let mut runs = Runs::new();
            let dfa = self.dfa;
            for edge in &dfa.states[state as usize].edges {
                let (lo, hi) = (edge.lo & 0x3f, edge.hi & 0x3f);
                if bits == 6 {
                    push(&mut runs, lo, hi, edge.target);
                } else {
                    self.extend(&mut runs, lo..=hi, bits - 6, edge.target);
                }
            }
            self.inside.insert(state, runs);
        }
        &self.inside[&state]
    }
}

/// Adds a range above all others. If it continues the last range with an equal target, that range is extended; the gap
/// of the surrogates is ignored.
fn push(runs: &mut Runs, lo: u32, hi: u32, target: u32) {
    match runs.last_mut() {
        Some(last)
            if last.target == target
                && (last.hi + 1 == lo || (last.hi, lo) == (0xd7ff, 0xe000)) =>
        {
            last.hi = hi;
        }
        _ => runs.push(Run { lo, hi, target }),
    }
}
