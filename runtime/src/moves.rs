//! What a byte does in a state, worked out when an artifact is opened.
//!
//! The tables of an artifact are made to be small: a byte's edge is searched among the edges of a state, and whether a
//! call may take a byte is asked of each callee. The moves answer both with one load. They are derived, so they are
//! no part of the format; an artifact of a usual schema takes a few kilobytes of them and some microseconds to make.
//!
//! Nine states of ten allow one byte, or one range of bytes with the same effect: such a state holds the range and the
//! move itself. Any other has a row with one move for each *byte class*, a set of bytes that no row tells apart.
//! Classes keep a row at some fifty moves, and the class of a byte does not depend on the state, so looking it up is
//! not on the path from one state to the next.
//!
//! A move is definite where the tables leave one way to read the byte within the state's rule and its callees.
//! Where there are several the move is [`Move::OPEN`] and the machine of [`step`](crate::step) decides.

use std::ops::RangeInclusive;

use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, StateRecord, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

/// Flag of a state beside those of the artifact: it has a row of moves.
const ROW: u32 = 16;
/// Flag of a state beside those of the artifact: arriving there lowers the register.
const COUNTED: u32 = 32;

/// What a byte does in a state, in 32 bits: a kind and an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Lowest byte, highest byte, and from bit 16 on the flags. The range of a state that reads nothing is empty.
    word: u32,
    /// The move on the bytes of the range; where the state has a row, the index of its first move.
    next: Move,
}

impl State {
    /// A state that reads nothing.
    fn refusing(flags: u32) -> Self {
        Self { word: 1 | flags << 16, next: Move::REFUSED }
    }

    /// A state that makes one move on all bytes that it allows.
    fn on_range(flags: u32, range: RangeInclusive<u8>, next: Move) -> Self {
        let word = u32::from(*range.start()) | u32::from(*range.end()) << 8 | flags << 16;
        Self { word, next }
    }

    /// The [flags](state_flags) of the state, and some that are for this module alone.
    #[inline]
    pub(crate) fn flags(self) -> u32 {
        self.word >> 16
    }

    /// Whether the state has one of these flags.
    #[inline]
    pub(crate) fn has(self, flags: u32) -> bool {
        self.flags() & flags != 0
    }
}

/// What a call does.
#[derive(Clone, Copy, Debug)]
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
        let mut rows = Vec::new();
        let mut row = vec![Move::REFUSED; classes.ranges.len()];
        let state = |index: usize| {
            let flags = flags(&tables.states[index]);
            match (tables.byte_edges_of(index), tables.call_edges_of(index)) {
                ([], []) => State::refusing(flags),
                ([edge], []) => State::on_range(flags, edge.lo()..=edge.hi(), go(tables, edge)),
                _ => {
                    row.fill(Move::REFUSED);
                    fill_row(joined, tables, index, &classes, &mut row);
                    store(flags, &classes, &row, &mut rows)
                }
            }
        };
        let count = tables.state_count() as usize;
        let states = (0..count).map(state).collect();
        let counted = (0..).zip(&tables.states[..count]);
        let counted = counted.filter(|(_, record)| record.count_exit != NONE);
        Self {
            states,
            rows,
            classes: classes.of,
            calls: tables.call_edges.iter().map(|edge| call(joined, edge)).collect(),
            counted: counted.map(|(index, record)| (index, *record)).collect(),
            base: tables.bases.states,
        }
    }

    /// The state with this index.
    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        self.states[index as usize]
    }

    /// What a byte does in a state.
    #[inline]
    pub(crate) fn on(&self, State { word, next }: State, byte: u8) -> Move {
        if word >> 16 & ROW != 0 {
            self.rows[next.0 as usize + usize::from(self.classes[usize::from(byte)])]
        } else if (word & 0xff) as u8 <= byte && byte <= (word >> 8 & 0xff) as u8 {
            next
        } else {
            Move::REFUSED
        }
    }

    /// Arrival at a state by a transition: the register is lowered, and at zero leads elsewhere.
    #[inline]
    pub(crate) fn enter(&self, index: u32, count: u32) -> (u32, u32) {
        if !self.state(index).has(COUNTED) {
            return (index, count);
        }
        let Ok(at) = self.counted.binary_search_by_key(&index, |counted| counted.0) else {
            return (index, count);
        };
        let (state, count) = self.counted[at].1.arrival(self.base + index, count);
        (state - self.base, count)
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

fn call(joined: &Joined<'_>, edge: &CallEdge) -> Call {
    let first_state = joined.rule(edge.callee).first_state;
    Call { first_state, ret: edge.ret, count: edge.count }
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
    joined: &Joined<'_>,
    tables: &Tables<'_>,
    index: usize,
    classes: &ByteClasses,
    row: &mut [Move],
) {
    for edge in tables.byte_edges_of(index) {
        let [lo, hi] = [edge.lo(), edge.hi()].map(|byte| classes.of(byte));
        row[lo..=hi].fill(go(tables, edge));
    }
    let first = tables.states[index].call_edges as usize;
    for (at, edge) in tables.call_edges_of(index).iter().enumerate() {
        let callee = joined.rule(edge.callee);
        for (cell, range) in row.iter_mut().zip(&classes.ranges) {
            if has(&callee.first_bytes, *range.start()) {
                let free = *cell == Move::REFUSED;
                *cell = if free { Move::new(Kind::Call, first + at) } else { Move::OPEN };
            }
        }
    }
}

/// Keeps a row, as a range where one is enough.
fn store(flags: u32, classes: &ByteClasses, row: &[Move], rows: &mut Vec<Move>) -> State {
    let allowed = |next: &Move| *next != Move::REFUSED;
    let (from, to) = (row.iter().position(allowed), row.iter().rposition(allowed));
    let (Some(from), Some(to)) = (from, to) else {
        return State::refusing(flags);
    };
    if row[from..=to].iter().all(|next| *next == row[from]) {
        let range = *classes.ranges[from].start()..=*classes.ranges[to].end();
        return State::on_range(flags, range, row[from]);
    }
    let Ok(next) = u32::try_from(rows.len()) else {
        return State::on_range(flags, 0..=u8::MAX, Move::OPEN);
    };
    rows.extend_from_slice(row);
    State { word: (flags | ROW) << 16, next: Move(next) }
}

/// The byte classes of some tables: bytes between two places where some edge or some callee's first bytes begin or
/// end are of one class. They are numbered from 0 in the order of the bytes.
struct ByteClasses {
    of: [u8; 256],
    /// The bytes of each class.
    ranges: Vec<RangeInclusive<u8>>,
}

impl ByteClasses {
    fn new(joined: &Joined<'_>, tables: &Tables<'_>) -> Self {
        // Bit `b` says that a class begins with byte `b`.
        let mut begins = [0u32; 8];
        let mut begin = |byte: u8| begins[usize::from(byte / 32)] |= 1 << (byte % 32);
        for edge in tables.byte_edges {
            begin(edge.lo());
            edge.hi().checked_add(1).map(&mut begin);
        }
        for edge in tables.call_edges {
            let mut before = 0;
            for (word, bytes) in begins.iter_mut().zip(joined.rule(edge.callee).first_bytes) {
                *word |= bytes ^ (bytes << 1 | before >> 31);
                before = bytes;
            }
        }
        let (mut of, mut ranges) = ([0; 256], vec![0..=u8::MAX]);
        for byte in 1..=u8::MAX {
            let last = ranges.len() - 1;
            if has(&begins, byte) {
                ranges[last] = *ranges[last].start()..=byte - 1;
                ranges.push(byte..=u8::MAX);
            }
            of[usize::from(byte)] = (ranges.len() - 1) as u8;
        }
        Self { of, ranges }
    }

    fn of(&self, byte: u8) -> usize {
        usize::from(self.of[usize::from(byte)])
    }
}

fn has(bytes: &[u32; 8], byte: u8) -> bool {
    bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0
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
        for (at, edge) in tables.call_edges_of(index).iter().enumerate() {
            if has(&joined.rule(edge.callee).first_bytes, byte) {
                all.push(Move::new(Kind::Call, first + at));
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
                    for byte in 0..=u8::MAX {
                        let (first, ways) = defined(&joined, tables, index as usize, byte);
                        let expected = if ways > 1 { Move::OPEN } else { first };
                        prop_assert_eq!(moves.on(state, byte), expected);
                    }
                    for count in 0..4 {
                        let base = tables.bases.states;
                        let (state, left) = record.arrival(base + index, count);
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
