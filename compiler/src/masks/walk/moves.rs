//! Transitions of a configuration by single bytes, as runs, and the bytes on which it differs from a shared state.
//!
//! A state within a string has a dozen runs, so holding two states against each other is some thirty steps.

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cursor::{Configuration, Cursor};
use crate::ir::ByteSet;
use crate::masks::shared::transitions::SharedTransitions;
use crate::network::lazy_dfa::{BOTTOM, Configurations};

/// States whose moves are remembered at once: some 4 MB.
const MOST_MOVES: usize = 8192;

/// Places that a large schema asks for.
const PLACES: usize = 128;

/// The runs of most states: those of a state in a key, and those of the rest of a string.
const MOST_RUNS: usize = 20;

/// Nowhere.
pub(crate) const NOWHERE: Configuration = (NONE, BOTTOM);

/// Bytes `lo..=hi` that lead to one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteRun {
    pub(crate) lo: u8,
    pub(crate) hi: u8,
    pub(crate) to: Configuration,
}

impl ByteRun {
    /// Number of its bytes.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.hi - self.lo) + 1
    }
}

/// Sets of bytes of a configuration, besides its runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveSets {
    /// The bytes of the runs.
    on: ByteSet,
    /// Bytes after which a token may end.
    pub(crate) ends: ByteSet,
    /// Bytes after which the rule can be left.
    pub(crate) exits: ByteSet,
    /// Bytes for which this is unknown.
    pub(crate) unclear: ByteSet,
    /// Bytes from which on something of this is another.
    pub(crate) turns: ByteSet,
}

/// Transitions of a configuration by single bytes.
#[derive(Clone, Copy)]
pub(crate) struct Moves<'m> {
    /// Maximal runs that lead somewhere, in ascending order.
    pub(crate) runs: &'m [ByteRun],
    pub(crate) sets: &'m MoveSets,
}

impl<'m> Moves<'m> {
    /// The target of a byte.
    pub(crate) fn to(self, byte: u8) -> Configuration {
        let run = self.runs.iter().find(|run| run.hi >= byte);
        run.filter(|run| run.lo <= byte).map_or(NOWHERE, |run| run.to)
    }

    /// The runs that lead to shared states: their numbers are below the first own one.
    pub(crate) fn to_shared(self, own: u32) -> impl DoubleEndedIterator<Item = ByteRun> + 'm {
        self.runs.iter().copied().filter(move |run| run.to.0 < own)
    }

    /// The longest run of ASCII bytes, since most tokens begin with one; the longest, where there is none.
    pub(crate) fn widest(self) -> Option<&'m ByteRun> {
        self.runs.iter().max_by_key(|run| (run.lo.is_ascii(), run.len()))
    }

    /// Bytes on which this and a shared state over `frame`, whose moves are `known`, may part.
    pub(crate) fn differing(self, known: &SharedTransitions, frame: u32) -> ByteSet {
        let mut same = ByteSet::EMPTY;
        let mut rest = known.runs.iter().peekable();
        for run in self.runs.iter().filter(|run| run.to.1 == frame) {
            while let Some(&&(lo, hi, to)) = rest.peek() {
                if hi >= run.lo && to == run.to.0 {
                    same = same.union(ByteSet::range(run.lo.max(lo), run.hi.min(hi)));
                }
                if hi > run.hi {
                    break;
                }
                rest.next();
            }
        }
        let MoveSets { on, ends, unclear, .. } = *self.sets;
        let [more, less] = [ends.minus(known.ends), known.ends.minus(ends)];
        let sets = [more, less, unclear, known.calls, known.leave];
        sets.into_iter().fold(on.union(known.on).minus(same), ByteSet::union)
    }

    /// Bytes on which one of this and a shared state goes on or may end and the other does not.
    pub(crate) fn distinguishing_count(self, known: &SharedTransitions) -> usize {
        let MoveSets { on, ends, .. } = *self.sets;
        on.apart(known.on).union(ends.apart(known.ends)).len()
    }
}

/// The moves of the places that were asked for, by number, all in two lists.
#[derive(Debug)]
pub(crate) struct MoveTable {
    numbers: FxHashMap<Configuration, u32>,
    /// By number, where its runs end, and its sets.
    all: Vec<(u32, MoveSets)>,
    runs: Vec<ByteRun>,
    /// By index of the own state, the target of an edge to it with nothing on the stack.
    arrived: Vec<Option<EdgeTarget>>,
}

impl Default for MoveTable {
    fn default() -> Self {
        Self::new()
    }
}

impl MoveTable {
    /// None yet, with room for those of most grammars.
    fn new() -> Self {
        let all = Vec::with_capacity(PLACES);
        let runs = Vec::with_capacity(PLACES * MOST_RUNS / 2);
        Self { numbers: FxHashMap::default(), all, runs, arrived: Vec::new() }
    }

    /// The moves of a number.
    #[inline]
    pub(crate) fn of(&self, number: u32) -> Moves<'_> {
        let number = number as usize;
        let from = number.checked_sub(1).map_or(0, |before| self.all[before].0);
        let (end, sets) = &self.all[number];
        Moves { runs: &self.runs[from as usize..*end as usize], sets }
    }

    /// Forgets all move sets if they are too many, and with them the meaning of their numbers.
    pub(crate) fn tidy(&mut self) {
        if self.all.len() >= MOST_MOVES {
            let arrived = std::mem::take(&mut self.arrived);
            *self = Self { arrived, ..Self::new() };
        }
    }

    /// The target of an edge to an own state over a frame. With nothing on the stack it is found once.
    fn arrived(&mut self, cursor: &mut Cursor<'_>, target: u32, frame: u32) -> EdgeTarget {
        let index = target.checked_sub(cursor.follow.network().own.bases.states);
        let index = index.filter(|_| frame == BOTTOM).map(|index| index as usize);
        if let Some(Some(arrived)) = index.and_then(|index| self.arrived.get(index)) {
            return *arrived;
        }
        let reached = cursor.sets.after_returns(target, frame);
        let to = match reached.at {
            Configurations::One(target, over) => {
                let (target, over) = cursor.through(target, over);
                Some((cursor.representative(target), over))
            }
            _ => None,
        };
        let arrived = EdgeTarget { to, ends: reached.ends, exits: reached.exits };
        if let Some(index) = index {
            if self.arrived.is_empty() {
                self.arrived.resize(cursor.follow.network().own.state_count() as usize, None);
            }
            self.arrived[index] = Some(arrived);
        }
        arrived
    }

    /// The number of the moves of a configuration. Kept for a while.
    pub(crate) fn number(&mut self, cursor: &mut Cursor<'_>, place: Configuration) -> u32 {
        if let Some(&number) = self.numbers.get(&place) {
            return number;
        }
        let found = self.find(cursor, place.0, place.1);
        self.add(place, found)
    }

    fn find(&mut self, cursor: &mut Cursor<'_>, state: u32, frame: u32) -> FoundMoves {
        let network = cursor.follow.network();
        let (tables, index) = network.locate(state);
        let own = network.own.bases.states;
        let (edges, calls) = (tables.byte_edges_of(index), tables.call_edges_of(index));
        let none = ByteSet::EMPTY;
        let sets = MoveSets { on: none, ends: none, exits: none, unclear: none, turns: none };
        let mut moves = FoundMoves { runs: SmallVec::new(), sets };
        let mut seen = ByteSet::EMPTY;
        for edge in edges {
            let bytes = ByteSet::range(edge.lo(), edge.hi());
            seen = seen.union(bytes);
            let EdgeTarget { to, ends, exits } = self.arrived(cursor, edge.target, frame);
            let Some(to) = to else {
                moves.sets.unclear = moves.sets.unclear.union(bytes);
                continue;
            };
            // A byte that a call begins with as well is in the set of unclear bytes.
            moves.add(edge.lo(), edge.hi(), to);
            if ends {
                moves.sets.ends = moves.sets.ends.union(bytes);
            }
            if exits {
                moves.sets.exits = moves.sets.exits.union(bytes);
            }
        }
        for call in calls {
            let callee = network.rule(call.callee);
            let bytes = ByteSet::from_words(callee.first_bytes);
            let twice = seen.intersect(bytes);
            let over = if call.ret == NONE { frame } else { cursor.sets.push(call.ret, frame) };
            let (first, over) = cursor.through(callee.first_state, over);
            seen = seen.union(bytes);
            moves.sets.unclear = moves.sets.unclear.union(twice);
            if first >= own || !cursor.sets.frame_rests(over) {
                moves.sets.unclear = moves.sets.unclear.union(bytes);
                continue;
            }
            let known = cursor.facts.moves(network.shared, first);
            moves.sets.unclear =
                moves.sets.unclear.union(known.calls.union(known.leave).intersect(bytes));
            let once = bytes.minus(twice);
            moves.sets.ends = moves.sets.ends.union(known.ends.intersect(once));
            if known.on.minus(once).is_empty() {
                moves.sets.on = moves.sets.on.union(known.on);
                let runs =
                    known.runs.iter().map(|&(lo, hi, to)| ByteRun { lo, hi, to: (to, over) });
                moves.runs.extend(runs);
                continue;
            }
            for &(lo, hi, to) in &known.runs {
                let within = ByteSet::range(lo, hi).intersect(once);
                within.ranges().for_each(|(lo, hi)| moves.add(lo, hi, (to, over)));
            }
        }
        if cursor.follow.is_final(state) && frame != BOTTOM {
            let (ret, parent) = cursor.sets.frame(frame);
            moves.sets.unclear =
                moves.sets.unclear.union(cursor.live(&Configurations::One(ret, parent)));
        }
        moves.join();
        moves
    }

    fn add(&mut self, place: Configuration, FoundMoves { runs, sets }: FoundMoves) -> u32 {
        let number = self.all.len() as u32;
        self.runs.extend_from_slice(&runs);
        self.all.push((self.runs.len() as u32, sets));
        self.numbers.insert(place, number);
        number
    }
}

/// Moves that are put together.
struct FoundMoves {
    runs: SmallVec<[ByteRun; MOST_RUNS]>,
    sets: MoveSets,
}

impl FoundMoves {
    fn add(&mut self, lo: u8, hi: u8, to: Configuration) {
        self.sets.on = self.sets.on.union(ByteSet::range(lo, hi));
        self.runs.push(ByteRun { lo, hi, to });
    }

    /// Sorts runs that were added, and records the bytes at which runs or other facts change.
    fn join(&mut self) {
        if !self.runs.is_sorted_by_key(|run| run.lo) {
            self.runs.sort_unstable_by_key(|run| run.lo);
        }
        self.runs.dedup_by(|next, last| {
            let joins = last.to == next.to && last.hi.checked_add(1) == Some(next.lo);
            if joins {
                last.hi = next.hi;
            }
            joins
        });
        let runs = self.runs.iter().map(|run| ByteSet::range(run.lo, run.hi));
        let MoveSets { ends, exits, unclear, .. } = self.sets;
        self.sets.turns = ByteSet::turns_of([ends, exits, unclear].into_iter().chain(runs));
    }
}

/// Target of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeTarget {
    /// The configuration, unless there are several or none.
    to: Option<Configuration>,
    /// Whether a token may end there.
    ends: bool,
    /// Whether the rule can be left there.
    exits: bool,
}
