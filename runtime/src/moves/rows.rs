//! The rows of moves by byte class, each kept once for the states that are alike.

use std::ops::Range;

use super::classes::ByteClasses;
use super::{COMPARED, Move, ROW, State};

/// The rows of some tables.
pub(super) struct Rows<'c> {
    pub(super) classes: &'c ByteClasses,
    /// Row after row.
    pub(super) moves: Vec<Move>,
}

impl Rows<'_> {
    /// The state with a row of moves, which is kept where a range and the rows there are do not say it.
    pub(super) fn store(&mut self, flags: u32, row: &[Move]) -> State {
        let allowed = |next: &Move| *next != Move::REFUSED;
        let (from, to) = (row.iter().position(allowed), row.iter().rposition(allowed));
        let (Some(from), Some(to)) = (from, to) else {
            return State::refusing(flags);
        };
        if row[from..=to].iter().all(|next| *next == row[from]) {
            return State::on_range(flags, self.classes.bytes(&(from..to + 1)), row[from]);
        }
        let widest = self.widest(row);
        let (first, apart) = self.alike(row).unwrap_or_else(|| self.push(row, &widest));
        let apart = if apart.is_empty() { widest } else { apart };
        match u32::try_from(first) {
            Ok(first) => {
                let bytes = self.classes.bytes(&apart);
                State { row: first, ..State::on_range(flags | ROW, bytes, row[apart.start]) }
            }
            Err(_) => State::on_range(flags, 0..=u8::MAX, Move::OPEN),
        }
    }

    /// The newest rows, each with the index of its first move.
    fn newest(&self) -> impl Iterator<Item = (usize, &[Move])> {
        let len = self.classes.ranges.len();
        let rows = self.moves.chunks_exact(len).enumerate().map(move |(at, row)| (at * len, row));
        rows.rev().take(COMPARED)
    }

    /// A row that is this one but for some neighbouring classes with the same move, and those.
    fn alike(&self, row: &[Move]) -> Option<(usize, Range<usize>)> {
        self.newest().find_map(|(first, other)| {
            let mut apart = runs_apart(row, other);
            let only = apart.next().unwrap_or_default();
            apart.next().is_none().then_some((first, only))
        })
    }

    /// Keeps a row: as it is, or, where one of the newest differs in two places and at one of them has the move that is
    /// the usual one of this row, with that move there. So of states along several keys all but the first share a row.
    fn push(&mut self, row: &[Move], widest: &Range<usize>) -> (usize, Range<usize>) {
        let usual = row[widest.start];
        let exception = self.newest().find_map(|(_, other)| {
            let apart: Vec<Range<usize>> = runs_apart(row, other).take(3).collect();
            let is_usual =
                |run: &Range<usize>| other[run.clone()].iter().all(|&next| next == usual);
            if apart.len() == 2 { apart.into_iter().find(is_usual) } else { None }
        });
        let exception = exception.unwrap_or_default();
        let first = self.moves.len();
        self.moves.extend_from_slice(row);
        self.moves[first..][exception.clone()].fill(usual);
        (first, exception)
    }

    /// The neighbouring classes with the same move that have the most bytes, of those that allow any.
    fn widest(&self, row: &[Move]) -> Range<usize> {
        let runs = runs(row).filter(|run| row[run.start] != Move::REFUSED);
        runs.max_by_key(|run| self.classes.bytes(run).len()).unwrap_or_default()
    }
}

/// Neighbouring classes with the same move.
fn runs(row: &[Move]) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    row.chunk_by(|a, b| a == b).map(move |run| {
        let start = from;
        from += run.len();
        start..from
    })
}

/// The classes in which a row differs from another, as parts of it with the same move.
fn runs_apart(row: &[Move], other: &[Move]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let differs = |&at: &usize| row[at] != other[at];
        let from = (at..row.len()).find(differs)?;
        let like = |at: &usize| differs(at) && row[*at] == row[from];
        at = (from..row.len()).find(|at| !like(at)).unwrap_or(row.len());
        Some(from..at)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    fn go(target: usize) -> Move {
        Move::new(Kind::Go, target)
    }

    /// What the states say with the rows, by class; each class is one byte.
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
