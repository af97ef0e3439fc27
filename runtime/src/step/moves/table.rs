//! All moves of one artifact: for each state and byte, the effect of the byte.
//!
//! Cost: O(states · byte classes + edges) to derive; 12 bytes for each state, 4 for each move of a row.

use grammarc_artifacts::sections::network::{
    ByteEdge, NONE, StateRecord, arrival, rule_flags, state_flags,
};
use grammarc_artifacts::tables::{Joined, Tables};

use super::calls::{Call, Calls};
use super::classes::ByteClasses;
use super::rows::Rows;
use super::state::{COUNTED, Kind, LOOPS, Move, ROW, State};
use crate::position::state_ranges::StateRanges;
use crate::step::texts::is_plain;

/// Record of a state whose arrival does not change the register.
static NOTHING: StateRecord = StateRecord::NOTHING;

/// The moves of one artifact. The *index* of a state is its id minus the id of the artifact's first state.
#[derive(Debug)]
pub(crate) struct Moves {
    /// For each state, its move on a range of bytes and its flags.
    states: Vec<State>,
    /// Maps each byte to its byte class.
    classes: [u8; 256],
    /// Rows of moves, with one move for each byte class. States refer to them by the index of the first move.
    rows: Vec<Move>,
    /// Calls that moves refer to by index.
    calls: Vec<Call>,
    /// For each state whose arrival updates the register, its index and its record. Ascending by index.
    counted: Vec<(u32, StateRecord)>,
    /// Id of the artifact's first state.
    base: u32,
}

impl Moves {
    /// Derives the moves of `tables`, which are one half of `joined`. O(states x byte classes + edges).
    pub(crate) fn new(joined: &Joined<'_>, tables: &Tables<'_>) -> Self {
        let classes = ByteClasses::new(joined, tables);
        let calls = Calls::new(joined, tables, &classes);
        let mut rows = Rows { classes: &classes, moves: Vec::new() };
        let mut row = vec![Move::REFUSED; classes.ranges.len()];
        let distinct = StateRanges::of_rules(tables.rules, rule_flags::DISTINCT);
        let packed = StateRanges::of_rules(tables.rules, rule_flags::PACKED_STRINGS);
        let state = |index: usize| {
            let flags = flags(&tables.states[index]);
            let distinct = distinct.contains(tables.bases.states + index as u32);
            if packed.contains(tables.bases.states + index as u32) {
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

    /// Marks the states that go to themselves on every plain byte. O(states), since few states pass the test of one
    /// byte.
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

    /// Returns the moves of the state with this index.
    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        self.states[index as usize]
    }

    /// Returns the move of a state on a byte.
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

    /// Returns the state index and the register after an arrival at the state `index` with the register `count`. An
    /// arrival may update counters, and enter another state when a counter becomes zero. O(1) for a state without
    /// counters, otherwise O(log counted states).
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

    /// Returns the moves as slices, for devices.
    pub(crate) fn flat(&self) -> FlatMoves<'_> {
        let Self { states, classes, rows, calls, .. } = self;
        FlatMoves { states, rows, classes, calls }
    }

    /// Returns the states whose arrival updates the register, as index and record, ascending by index.
    pub(crate) fn counted(&self) -> &[(u32, StateRecord)] {
        &self.counted
    }

    /// Whether a move arrives at a state that updates a field of the register, or calls a rule that returns to such a
    /// state. A field holds one of several counters. O(log counted states).
    pub(crate) fn arrives_at_field(&self, next: Move) -> bool {
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

    /// Returns the call with this index.
    #[inline]
    pub(crate) fn call(&self, index: u32) -> Call {
        self.calls[index as usize]
    }
}

/// Returns the flags of a state's moves: those of its record, and [`COUNTED`] if an arrival updates the register.
fn flags(record: &StateRecord) -> u32 {
    let counted = if record.count_exit == NONE { 0 } else { COUNTED };
    record.flags & (ROW - 1) | counted
}

/// Borrowed slices of one artifact's [`Moves`].
pub(crate) struct FlatMoves<'m> {
    /// For each state, its move on a range of bytes and its flags.
    pub(crate) states: &'m [State],
    /// Rows of moves, with one move for each byte class.
    pub(crate) rows: &'m [Move],
    /// Maps each byte to its byte class.
    pub(crate) classes: &'m [u8; 256],
    /// Calls that moves refer to by index.
    pub(crate) calls: &'m [Call],
}

/// Returns the move of a byte edge: [`Kind::Go`] to a plain state, otherwise [`Kind::Arrive`].
fn go(tables: &Tables<'_>, edge: &ByteEdge) -> Move {
    let target = (edge.target - tables.bases.states) as usize;
    let record = &tables.states[target];
    let plain = record.count_exit == NONE && record.flags & state_flags::POP_ONLY == 0;
    Move::new(if plain { Kind::Go } else { Kind::Arrive }, target)
}

/// Writes the row of the state `index`: its move on each byte class. A class with an edge and a callee, or with several
/// callees, gets an open move.
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

    use super::super::classes::has;
    use super::*;
    use crate::testing::network::{Network, Shape};
    use crate::testing::{EDGE_TOKENS, Rng, grammar, vocabulary};

    /// Returns the first move of a state on a byte by the tables, and the number of edges and callees that read the
    /// byte.
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
        /// Compares the moves of every byte in every state of random networks with the tables.
        #[test]
        fn moves_are_those_of_the_tables(seed: u64, counts: bool) {
            let random = &mut Rng::new(seed);
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
