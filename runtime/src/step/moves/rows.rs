//! Rows of moves: one move for each byte class. States with similar rows share one.
//!
//! Cost: a row is compared with the [`COMPARED`] newest ones.

use std::ops::Range;

use super::classes::ByteClasses;
use super::state::{Move, ROW, State};

/// Number of the newest rows that a row is compared with. An equal row further back is stored twice.
const COMPARED: usize = 4;

/// The rows of one artifact, while they are built.
pub(super) struct Rows<'c> {
    pub(super) classes: &'c ByteClasses,
    /// Moves of all rows, row by row. A row has one move for each byte class.
    pub(super) moves: Vec<Move>,
}

impl Rows<'_> {
    /// Returns a state that has the moves of `row`. If all allowed bytes are one range with one move, the state holds
    /// them itself. Otherwise it refers to a stored row: an equal or similar one, or `row` itself.
    pub(super) fn store(&mut self, flags: u32, row: &[Move]) -> State {
        let allowed = |next: &Move| *next != Move::REFUSED;
        let (from, to) = (row.iter().position(allowed), row.iter().rposition(allowed));
        let (Some(from), Some(to)) = (from, to) else {
            return State::refusing(flags);
        };
        if row[from..=to].iter().all(|next| *next == row[from]) {
            return State::on_range(flags, self.classes.bytes(&(from..to + 1)), row[from]);
        }
        let (first, apart) = self.keep(row);
        match u32::try_from(first) {
            Ok(first) => {
                let bytes = self.classes.bytes(&apart);
                State { row: first, ..State::on_range(flags | ROW, bytes, row[apart.start]) }
            }
            Err(_) => State::on_range(flags, 0..=u8::MAX, Move::OPEN),
        }
    }

    /// Returns the stored rows from the newest on, at most [`COMPARED`]. Each comes with the index of its first move.
    fn newest(&self) -> impl Iterator<Item = (usize, &[Move])> {
        let len = self.classes.ranges.len();
        let rows = self.moves.chunks_exact(len).enumerate().map(move |(at, row)| (at * len, row));
        rows.rev().take(COMPARED)
    }

    /// Finds or stores a row for a state. Returns the index of the row's first move, and a range of byte classes. The
    /// state itself holds the move on that range, so the stored row may differ there.
    ///
    /// - A stored row that is equal is shared. The range is the run of classes with one move that has the most bytes.
    /// - A stored row that differs in one class is shared. The range is that class.
    /// - Otherwise the row is stored. If another row differs in two classes, the row's most frequent move replaces the
    ///   move of one of these classes, which becomes the range. So of the states along several keys, all but the first
    ///   share a row.
    fn keep(&mut self, row: &[Move]) -> (usize, Range<usize>) {
        let differs = |(a, b): &(&Move, &Move)| a != b;
        let mut near = None;
        for (first, other) in self.newest() {
            let differences = row.iter().zip(other).map(|pair| u32::from(differs(&pair)));
            match differences.sum::<u32>() {
                0 => return (first, self.widest(row)),
                1 => {
                    let class = row.iter().zip(other).take_while(|pair| !differs(pair)).count();
                    return (first, class..class + 1);
                }
                2 => near = near.or(Some(first)),
                _ => {}
            }
        }
        let widest = self.widest(row);
        let usual = row[widest.start];
        let exception = near.and_then(|first| {
            let mut pairs = row.iter().zip(&self.moves[first..]);
            pairs.position(|(a, b)| a != b && *b == usual)
        });
        let first = self.moves.len();
        self.moves.extend_from_slice(row);
        let Some(class) = exception else { return (first, widest) };
        self.moves[first + class] = usual;
        (first, class..class + 1)
    }

    /// Returns the run of byte classes with the same allowed move that has the most bytes. Empty if no byte is allowed.
    fn widest(&self, row: &[Move]) -> Range<usize> {
        let runs = runs(row).filter(|run| row[run.start] != Move::REFUSED);
        runs.max_by_key(|run| self.classes.bytes(run).len()).unwrap_or_default()
    }
}

/// Returns the maximal runs of neighbouring byte classes with the same move.
fn runs(row: &[Move]) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    row.chunk_by(|a, b| a == b).map(move |run| {
        let start = from;
        from += run.len();
        start..from
    })
}

#[cfg(test)]
mod tests {
    use super::super::state::Kind;
    use super::*;

    fn go(target: usize) -> Move {
        Move::new(Kind::Go, target)
    }

    /// Returns the move of a state on a class, for classes of one byte each.
    fn said(rows: &Rows<'_>, state: State, class: usize) -> Move {
        let [lo, hi, ..] = state.word.to_le_bytes();
        match class {
            class if (usize::from(lo)..=usize::from(hi)).contains(&class) => state.next,
            class if state.has(ROW) => rows.moves[state.row as usize + class],
            _ => Move::REFUSED,
        }
    }

    #[test]
    fn states_along_keys_share_a_row() {
        let classes = ByteClasses::of_each_byte();
        let mut rows = Rows { classes: &classes, moves: Vec::new() };
        let mut any_key = vec![Move::REFUSED; 256];
        any_key[32..127].fill(go(1));
        any_key[34] = go(2);
        for (at, &byte) in b"duration".iter().enumerate() {
            let mut row = any_key.clone();
            row[usize::from(byte)] = go(10 + at);
            let state = rows.store(0, &row);
            assert!((0..256).all(|class| said(&rows, state, class) == row[class]));
        }
        let state = rows.store(0, &any_key);
        assert!((0..256).all(|class| said(&rows, state, class) == any_key[class]));
        assert_eq!(rows.moves.len(), 2 * 256, "that of the first state, and that of all others");
    }
}
