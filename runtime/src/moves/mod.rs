//! Moves: the effect of a byte in a state, worked out when a token is first read.
//!
//! The tables of an artifact are made to be small: a byte's edge is searched among the edges of a state, and whether a
//! call may take a byte is asked of each callee. The moves answer both with one load. They are derived, so they are
//! no part of the format; an artifact of a usual schema takes a few kilobytes of them and some microseconds to make.
//!
//! Nine states of ten allow one byte, or one range of bytes with the same effect: such a state holds the range and the
//! move itself. Any other has, for the bytes out of its range, a row with one move for each *byte class*, a set of bytes
//! that no row tells apart. Classes keep a row at some fifty moves, and the class of a byte does not depend on the state,
//! so looking it up is not on the path from one state to the next.
//!
//! States share a row where they differ in one class. The states along a key that an object names are like this where it
//! allows other keys too: one byte goes on along the key, and all others do what they do in any key. So a token that
//! was not seen lately costs a cache miss for a state or a few, and not another two for each row.
//!
//! A state that goes to itself on every plain byte, as that within a string does, is marked: a plain token (see
//! [`texts`](crate::texts)) changes nothing there, and its bytes are not looked at.
//!
//! A move is definite where the tables leave one way to read the byte within the state's rule and its callees.
//! If there are several ways, in a [distinct](crate::distinct) rule and in a [catalogue](crate::catalogue), the move is
//! [`Move::OPEN`] and the machine of
//! [`step`](crate::step) decides.

use std::ops::RangeInclusive;

use bytemuck::{Pod, Zeroable};
use grammarc_artifacts::sections::network::{
    ByteEdge, CallEdge, NONE, StateRecord, arrival, rule_flags, state_flags,
};
use grammarc_artifacts::tables::{Joined, Tables};

use crate::state_ranges::StateRanges;
use crate::texts::is_plain;

mod classes;
mod rows;

use classes::{ByteClasses, has};
use rows::Rows;

/// Flag of a state beside those of the artifact: it has a row of moves.
const ROW: u32 = 16;
/// Flag of a state beside those of the artifact: arriving there lowers the register.
const COUNTED: u32 = 32;
/// Flag of a state beside those of the artifact: it goes to itself on every plain byte, and is not final.
const LOOPS: u32 = 64;
/// Flag of a state beside those of the artifact: it is not final, and the move on its range is a [`Kind::Go`].
const STEP: u32 = 128;

/// A state whose arrival changes nothing.
static NOTHING: StateRecord = StateRecord::NOTHING;

/// How many of the newest rows a new one is compared with, and of the newest calls.
const COMPARED: usize = 4;

/// The effect of a byte in a state, in 32 bits: a kind and an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Move(u32);

/// The kinds of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing: no edge and no callee takes the byte.
    Refused,
    /// It is read, and the state becomes the one with this index in the same tables.
    Go,
    /// As `Go`, to a state that counts or only returns.
    Arrive,
    /// A callee takes it: the call with this index.
    Call,
    /// There are several ways, or an index is too large to be stored.
    Open,
}

impl Move {
    const INDEX: u32 = (1 << 29) - 1;
    pub(crate) const REFUSED: Self = Self::new(Kind::Refused, 0);
    pub(crate) const OPEN: Self = Self::new(Kind::Open, 0);

    const fn new(kind: Kind, index: usize) -> Self {
        if index <= Self::INDEX as usize {
            Self((kind as u32) << 29 | index as u32)
        } else {
            Self((Kind::Open as u32) << 29)
        }
    }

    #[inline]
    pub(crate) fn is(self, kind: Kind) -> bool {
        self.0 >> 29 == kind as u32
    }

    #[inline]
    pub(crate) fn index(self) -> u32 {
        self.0 & Self::INDEX
    }
}

/// One state.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    /// Lowest byte, highest byte, and from bit 16 on the flags. The range of a state that reads nothing is empty.
    word: u32,
    /// The move on the bytes of the range.
    next: Move,
    /// The index of the first move of the state's row for other bytes, if it has one.
    row: u32,
}

impl State {
    /// A state that reads nothing.
    fn refusing(flags: u32) -> Self {
        Self { word: 1 | flags << 16, next: Move::REFUSED, row: 0 }
    }

    /// A state that makes one move on the bytes of a range, and allows no others where it has no row.
    fn on_range(flags: u32, range: RangeInclusive<u8>, next: Move) -> Self {
        let steps = flags & state_flags::FINAL == 0 && next.is(Kind::Go);
        let flags = flags | if steps { STEP } else { 0 };
        let word = u32::from(*range.start()) | u32::from(*range.end()) << 8 | flags << 16;
        Self { word, next, row: 0 }
    }

    /// The [flags](state_flags) of the state, and some that are for this module alone.
    #[inline]
    pub(crate) fn flags(self) -> u32 {
        self.word >> 16
    }

    /// Whether the state goes to itself on every plain byte, and nothing else takes one.
    #[inline]
    pub(crate) fn loops(self) -> bool {
        self.has(LOOPS)
    }

    /// The target of a byte in the range of the state, if that is a [`Kind::Go`] and nothing else takes the byte. The
    /// way of most bytes, and the shortest.
    #[inline]
    pub(crate) fn step(self, byte: u8) -> Option<u32> {
        let [lo, hi, ..] = self.word.to_le_bytes();
        (lo <= byte && byte <= hi && self.has(STEP)).then(|| self.next.index())
    }

    /// Whether the state has one of these flags.
    #[inline]
    pub(crate) fn has(self, flags: u32) -> bool {
        self.flags() & flags != 0
    }
}

/// The effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Call {
    /// First state of the callee.
    pub(crate) first_state: u32,
    /// State in which the caller goes on, or [`NONE`].
    pub(crate) ret: u32,
    /// Register of the callee's activation.
    pub(crate) count: u32,
}

/// The moves of one artifact's states, by index: the state's id less the tables' base.
#[derive(Debug)]
pub(crate) struct Moves {
    states: Vec<State>,
    classes: [u8; 256],
    rows: Vec<Move>,
    calls: Vec<Call>,
    /// Indices of the states whose arrival lowers the register, ascending, with their records.
    counted: Vec<(u32, StateRecord)>,
    /// Id of the first state.
    base: u32,
}

impl Moves {
    /// The moves of `tables`, which are one half of `joined`.
    pub(crate) fn new(joined: &Joined<'_>, tables: &Tables<'_>) -> Self {
        let classes = ByteClasses::new(joined, tables);
        let calls = Calls::new(joined, tables, &classes);
        let mut rows = Rows { classes: &classes, moves: Vec::new() };
        let mut row = vec![Move::REFUSED; classes.ranges.len()];
        let distinct = StateRanges::of_rules(tables.rules, rule_flags::DISTINCT);
        let catalogues = StateRanges::of_rules(tables.rules, rule_flags::CATALOGUE);
        let state = |index: usize| {
            let flags = flags(&tables.states[index]);
            let distinct = distinct.contains(tables.bases.states + index as u32);
            if catalogues.contains(tables.bases.states + index as u32) {
                return State::on_range(flags, 0..=u8::MAX, Move::OPEN);
            }
            match (tables.byte_edges_of(index), tables.call_edges_of(index)) {
                ([], []) => State::refusing(flags),
                ([edge], []) => {
                    let next = if distinct { Move::OPEN } else { go(tables, edge) };
                    State::on_range(flags, edge.lo()..=edge.hi(), next)
                }
                _ => {
                    row.fill(Move::REFUSED);
                    fill_row(tables, index, &classes, &calls, &mut row);
                    if distinct {
                        let taken = row.iter_mut().filter(|cell| **cell != Move::REFUSED);
                        taken.for_each(|cell| *cell = Move::OPEN);
                    }
                    rows.store(flags, &row)
                }
            }
        };
        let count = tables.state_count() as usize;
        let states = (0..count).map(state).collect();
        let rows = rows.moves;
        let counted = (0..).zip(&tables.states[..count]);
        let counted = counted.filter(|(_, record)| record.count_exit != NONE);
        let mut moves = Self {
            states,
            rows,
            classes: classes.of,
            calls: calls.distinct,
            counted: counted.map(|(index, record)| (index, *record)).collect(),
            base: tables.bases.states,
        };
        moves.mark_loops();
        moves
    }

    /// Marks the states that go to themselves on every plain byte.
    fn mark_loops(&mut self) {
        for index in 0..self.states.len() {
            let state = self.states[index];
            let itself = Move::new(Kind::Go, index);
            let stays = |byte| self.on(state, byte) == itself;
            let loops = !state.has(state_flags::FINAL)
                && itself.is(Kind::Go)
                && stays(b'a')
                && (0..=u8::MAX).filter(|&byte| is_plain(byte)).all(stays);
            if loops {
                self.states[index].word |= LOOPS << 16;
            }
        }
    }

    /// The state with this index.
    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        self.states[index as usize]
    }

    /// The effect of a byte in a state.
    #[inline]
    pub(crate) fn on(&self, state: State, byte: u8) -> Move {
        let [lo, hi, ..] = state.word.to_le_bytes();
        if lo <= byte && byte <= hi {
            state.next
        } else if state.has(ROW) {
            self.rows[state.row as usize + usize::from(self.classes[usize::from(byte)])]
        } else {
            Move::REFUSED
        }
    }

    /// Arrival at a state by a transition: counters are lowered or set, and at zero lead elsewhere.
    #[inline]
    pub(crate) fn enter(&self, index: u32, count: u32) -> (u32, u32) {
        if !self.state(index).has(COUNTED) {
            return (index, count);
        }
        let (state, count) = arrival(self.base + index, count, |state| {
            let at = self.counted.binary_search_by_key(&(state - self.base), |counted| counted.0);
            at.map_or(&NOTHING, |at| &self.counted[at].1)
        });
        (state - self.base, count)
    }

    /// All states, all rows, the class of each byte, and all calls.
    pub(crate) fn tables(&self) -> (&[State], &[Move], &[u8; 256], &[Call]) {
        (&self.states, &self.rows, &self.classes, &self.calls)
    }

    /// The states whose arrival lowers the register, ascending by index.
    pub(crate) fn counted(&self) -> &[(u32, StateRecord)] {
        &self.counted
    }

    /// Whether the move of this word arrives at a state, or calls a rule that returns to one, where a field of the register
    /// is lowered or set. O(log counted states).
    pub(crate) fn arrives_at_field(&self, word: u32) -> bool {
        let next = Move(word);
        let target = match () {
            () if next.is(Kind::Arrive) => Some(next.index()),
            () if next.is(Kind::Call) => self.call(next.index()).ret.checked_sub(self.base),
            () => None,
        };
        target.is_some_and(|index| {
            let found = self.counted.binary_search_by_key(&index, |counted| counted.0);
            found.is_ok_and(|at| self.counted[at].1.has_field())
        })
    }

    /// The state that the move of this word reads a byte into, as an index; none where it does something else.
    pub(crate) fn target(word: u32) -> Option<u32> {
        let next = Move(word);
        (next.is(Kind::Go) || next.is(Kind::Arrive)).then(|| next.index())
    }

    /// The call with this index.
    #[inline]
    pub(crate) fn call(&self, index: u32) -> Call {
        self.calls[index as usize]
    }
}

fn flags(record: &StateRecord) -> u32 {
    let counted = if record.count_exit == NONE { 0 } else { COUNTED };
    record.flags & (ROW - 1) | counted
}

/// The calls of some tables. Neighbouring states often make the same one, which is kept once, so that their rows are
/// alike.
#[derive(Default)]
struct Calls {
    distinct: Vec<Call>,
    /// By distinct call, where the classes of bytes that begin its callee end in the list of them.
    ends: Vec<usize>,
    begin: Vec<u8>,
    /// By call edge, an index.
    of_edge: Vec<usize>,
}

impl Calls {
    fn new(joined: &Joined<'_>, tables: &Tables<'_>, classes: &ByteClasses) -> Self {
        let mut calls = Self::default();
        for &CallEdge { callee, ret, count } in tables.call_edges {
            let rule = joined.rule(callee);
            let call = Call { first_state: rule.first_state, ret, count };
            let from = calls.distinct.len().saturating_sub(COMPARED);
            let known = calls.distinct[from..].iter().position(|&known| known == call);
            calls.of_edge.push(known.map_or(calls.distinct.len(), |at| from + at));
            if known.is_none() {
                calls.distinct.push(call);
                let begin = (0..=u8::MAX).zip(&classes.ranges);
                let begin = begin.filter(|(_, bytes)| has(&rule.first_bytes, *bytes.start()));
                calls.begin.extend(begin.map(|(class, _)| class));
                calls.ends.push(calls.begin.len());
            }
        }
        calls
    }

    /// The classes of bytes that begin the callee of a call.
    fn begin(&self, call: usize) -> &[u8] {
        let from = call.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.begin[from..self.ends[call]]
    }
}

/// The move of a byte edge.
fn go(tables: &Tables<'_>, edge: &ByteEdge) -> Move {
    let target = (edge.target - tables.bases.states) as usize;
    let record = &tables.states[target];
    let plain = record.count_exit == NONE && record.flags & state_flags::POP_ONLY == 0;
    Move::new(if plain { Kind::Go } else { Kind::Arrive }, target)
}

/// Writes the moves of a state by byte class.
fn fill_row(
    tables: &Tables<'_>,
    index: usize,
    classes: &ByteClasses,
    calls: &Calls,
    row: &mut [Move],
) {
    for edge in tables.byte_edges_of(index) {
        let [lo, hi] = [edge.lo(), edge.hi()].map(|byte| classes.of(byte));
        row[lo..=hi].fill(go(tables, edge));
    }
    let first = tables.states[index].call_edges as usize;
    for &call in &calls.of_edge[first..first + tables.call_edges_of(index).len()] {
        let begins = Move::new(Kind::Call, call);
        for &class in calls.begin(call) {
            let cell = &mut row[usize::from(class)];
            *cell = if *cell == Move::REFUSED { begins } else { Move::OPEN };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::network::{Network, Shape};
    use crate::testing::{EDGE_TOKENS, Random, grammar, vocabulary};

    /// The move of a byte in a state as the tables have it: the first of what takes it, and how many do.
    fn defined(joined: &Joined<'_>, tables: &Tables<'_>, index: usize, byte: u8) -> (Move, usize) {
        let edges = tables.byte_edges_of(index).iter();
        let edges = edges.filter(|edge| (edge.lo()..=edge.hi()).contains(&byte));
        let mut all: Vec<Move> = edges.map(|edge| go(tables, edge)).collect();
        let first = tables.states[index].call_edges as usize;
        let calls = Calls::new(joined, tables, &ByteClasses::new(joined, tables));
        for (at, edge) in tables.call_edges_of(index).iter().enumerate() {
            let callee = joined.rule(edge.callee);
            if has(&callee.first_bytes, byte) {
                let call = calls.of_edge[first + at];
                let expected =
                    Call { first_state: callee.first_state, ret: edge.ret, count: edge.count };
                assert_eq!(calls.distinct[call], expected);
                all.push(Move::new(Kind::Call, call));
            }
        }
        (all.first().copied().unwrap_or(Move::REFUSED), all.len())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Every byte in every state of both halves of random networks.
        #[test]
        fn moves_are_those_of_the_tables(seed: u64, counts: bool) {
            let random = &mut Random::new(seed);
            let tokens = if counts { &[] } else { EDGE_TOKENS };
            let network = Network::random(random, Shape { counts, tokens });
            let grammar = grammar(&network, &vocabulary(random), &[3]);
            let (joined, runner) = (grammar.tables(), grammar.runner());
            for (tables, moves) in [(&joined.shared, runner.shared), (&joined.own, runner.own)] {
                for index in 0..tables.state_count() {
                    let state = moves.state(index);
                    let record = &tables.states[index as usize];
                    prop_assert_eq!(state.flags() & (ROW - 1), record.flags);
                    let itself = (Move::new(Kind::Go, index as usize), 1);
                    let stays = |byte| defined(&joined, tables, index as usize, byte) == itself;
                    let loops = (0..=u8::MAX).filter(|&byte| is_plain(byte)).all(stays);
                    let is_final = state.has(state_flags::FINAL);
                    prop_assert_eq!(state.loops(), loops && !is_final);
                    for byte in 0..=u8::MAX {
                        let (first, ways) = defined(&joined, tables, index as usize, byte);
                        let expected = if ways > 1 { Move::OPEN } else { first };
                        prop_assert_eq!(moves.on(state, byte), expected);
                    }
                    for count in 0..4 {
                        let base = tables.bases.states;
                        let (state, left) = joined.arrival(base + index, count);
                        prop_assert_eq!(moves.enter(index, count), (state - base, left));
                    }
                }
            }
        }
    }

    #[test]
    fn an_index_that_does_not_fit_is_left_open() {
        let most = Move::INDEX as usize;
        assert!(Move::new(Kind::Call, most).is(Kind::Call));
        assert_eq!(Move::new(Kind::Call, most + 1), Move::OPEN);
    }
}
