//! The shortest way to end a sequence, by the artifact's tables and the matcher.
//!
//! From the tables comes a lower bound on the bytes that each state is away from the end of its rule, exact but for
//! countdowns, which it takes for run out. A best-first search with that bound (A*) then finds the bytes, moving by
//! tokens of one byte, so that every step is one that the masks allow. Positions are known again by their exported
//! bytes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Joined;
use grammarc_runtime::{Grammar, Matcher};

/// Positions that one search looks at; real schemas need as many as the completion has bytes, or a few times that.
const POSITIONS: usize = 50_000;
/// Bytes of an exported position before its frames, and of a frame or configuration: the layout of
/// `grammarc_runtime::export`.
const HEADER: usize = 32;
const RECORD: usize = 12;
const FAR: u32 = u32::MAX / 4;

/// Completions for one grammar.
pub(crate) struct Completion<'g> {
    grammar: &'g Grammar,
    /// Fewest bytes from each state to the end of its rule, or less.
    distance: Vec<u32>,
}

impl<'g> Completion<'g> {
    pub(crate) fn new(grammar: &'g Grammar) -> Self {
        let joined = grammar.artifact().joined();
        let states = joined.own.bases.states + joined.own.state_count();
        let mut distance = vec![FAR; states as usize];
        let mut moved = true;
        while moved {
            moved = false;
            for state in 0..states {
                let less = improved(&joined, &distance, state);
                if less < distance[state as usize] {
                    distance[state as usize] = less;
                    moved = true;
                }
            }
        }
        Self { grammar, distance }
    }

    /// Bytes that certainly remain at a position, or fewer.
    fn remaining(&self, position: &[u8]) -> u32 {
        let number = |at: usize| {
            let bytes = position[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes) as usize
        };
        let (frames, configurations) = (number(24), number(28));
        let mut below = vec![0];
        for frame in 0..frames {
            let at = HEADER + RECORD * frame;
            below.push(self.distance[number(at)] + below[number(at + 8)]);
        }
        let ends = (frames..frames + configurations).map(|configuration| {
            let at = HEADER + RECORD * configuration;
            self.distance[number(at)] + below[number(at + 8)]
        });
        ends.min().unwrap_or_default()
    }

    /// The fewest bytes that complete a sequence, as tokens of one byte; `None` where the search gives up.
    pub(crate) fn of(&self, start: &Matcher) -> Option<Vec<u32>> {
        let vocabulary = self.grammar.vocabulary();
        let mut known = HashSet::new();
        let mut open = BinaryHeap::new();
        let mut reached = vec![(start.fork(), None, 0)];
        known.insert(start.export());
        open.push(Reverse((self.remaining(&start.export()), 0)));
        while let Some(Reverse((_, at))) = open.pop() {
            let mut matcher = reached[at].0.fork();
            if matcher.is_accepting() {
                return Some(path(&reached, at));
            }
            if reached.len() > POSITIONS {
                return None;
            }
            let depth = reached[at].2 + 1;
            let single = |token: &u32| vocabulary.token_bytes(*token).len() == 1;
            let tokens: Vec<u32> = matcher.mask().iter().filter(single).collect();
            for token in tokens {
                let mut next = matcher.fork();
                if next.accept(token).is_err() {
                    return None;
                }
                let position = next.export();
                let bound = depth + self.remaining(&position);
                if known.insert(position) {
                    // Of equal bounds the deeper first: that goes straight to an end instead of in breadth.
                    open.push(Reverse((bound, reached.len())));
                    reached.push((next, Some((at, token)), depth));
                }
            }
        }
        None
    }
}

/// The bound of a state by those of its successors.
fn improved(joined: &Joined<'_>, distance: &[u32], state: u32) -> u32 {
    let (tables, index) = joined.locate(state);
    // Arriving at a counted state may be arriving where its countdown leads.
    let arrival = |target: u32| {
        let exit = joined.state(target).count_exit;
        let out = if exit == NONE { FAR } else { distance[exit as usize] };
        distance[target as usize].min(out)
    };
    let mut least = FAR;
    if tables.states[index].flags & grammarc_artifacts::sections::network::state_flags::FINAL != 0 {
        least = 0;
    }
    for edge in tables.byte_edges_of(index) {
        least = least.min(1 + arrival(edge.target));
    }
    for edge in tables.call_edges_of(index) {
        let callee = distance[joined.rule(edge.callee).first_state as usize];
        let after = if edge.ret == NONE { 0 } else { arrival(edge.ret) };
        least = least.min(callee + after);
    }
    for edge in tables.token_edges_of(index) {
        least = least.min(arrival(edge.target));
    }
    least.min(FAR)
}

/// The tokens that lead to a position.
fn path(reached: &[(Matcher, Option<(usize, u32)>, u32)], mut at: usize) -> Vec<u32> {
    let mut tokens = Vec::new();
    while let Some((before, token)) = reached[at].1 {
        tokens.push(token);
        at = before;
    }
    tokens.reverse();
    tokens
}
