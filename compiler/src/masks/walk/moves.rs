//! Transitions of a configuration by single bytes, as runs, and the bytes on which they differ from those of a shared
//! state.
//!
//! A state within a string has a dozen runs, so a comparison of two states takes some thirty steps.

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cursor::{Configuration, Cursor};
use crate::ir::ByteSet;
use crate::masks::shared::transitions::SharedTransitions;
use crate::network::lazy_dfa::{BOTTOM, Configurations};

/// The most configurations (state and stack frame) whose transitions are kept: some 4 MB. Beyond it, the transitions of
/// all are forgotten before the next search.
const MOST_MOVES: usize = 8192;

/// Initial capacity of the table of transitions, in configurations (state and stack frame): as many as a large schema
/// asks for.
const PLACES: usize = 128;

/// Initial capacity in byte runs of one configuration (state and stack frame). Most have fewer, such as those within a
/// key or within the rest of a string.
const MOST_RUNS: usize = 20;

/// The target of a byte that a configuration (state and stack frame) cannot consume.
pub(crate) const NOWHERE: Configuration = (NONE, BOTTOM);

/// A range of bytes that all lead from one configuration (state and stack frame) to the same other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteRun {
    /// First byte of the run of bytes.
    pub(crate) lo: u8,
    /// Last byte of the run of bytes, inclusive.
    pub(crate) hi: u8,
    /// The configuration (state and stack frame) to which all bytes of the run lead.
    pub(crate) to: Configuration,
}

impl ByteRun {
    /// Returns the number of bytes of this run, `lo` to `hi` inclusive.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.hi - self.lo) + 1
    }
}

/// Sets of bytes that describe the transitions of a configuration (state and stack frame), besides the runs of bytes
/// with their targets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveSets {
    /// The bytes of all runs: those that lead to a single known configuration (state and stack frame).
    on: ByteSet,
    /// The bytes after which a token may end.
    pub(crate) ends: ByteSet,
    /// The bytes after which the rule of the walk's first state may return.
    pub(crate) exits: ByteSet,
    /// The bytes whose transition is not described by the runs, for example because they lead to several configurations
    /// (state and stack frame).
    pub(crate) unclear: ByteSet,
    /// Bytes at which the transitions change: each such byte and the byte before it differ in the target or in one of
    /// the sets. All bytes between two turns have equal transitions.
    pub(crate) turns: ByteSet,
}

/// Transitions of a configuration (state and stack frame) by single bytes.
#[derive(Clone, Copy)]
pub(crate) struct Moves<'m> {
    /// The runs of bytes with a single known target, as long as possible, in ascending order.
    pub(crate) runs: &'m [ByteRun],
    /// Sets of bytes beside the runs, such as the bytes after which a token may end.
    pub(crate) sets: &'m MoveSets,
}

impl<'m> Moves<'m> {
    /// Returns the configuration (state and stack frame) to which a byte leads, or [`NOWHERE`].
    pub(crate) fn to(self, byte: u8) -> Configuration {
        let run = self.runs.iter().find(|run| run.hi >= byte);
        run.filter(|run| run.lo <= byte).map_or(NOWHERE, |run| run.to)
    }

    /// Returns the runs of bytes that lead to states of the vocabulary's rules, in ascending order of their bytes.
    /// `own` is the id of the first state of the grammar itself.
    pub(crate) fn to_shared(self, own: u32) -> impl DoubleEndedIterator<Item = ByteRun> + 'm {
        self.runs.iter().copied().filter(move |run| run.to.0 < own)
    }

    /// Returns the longest run of bytes that begins with an ASCII byte, since most tokens begin so. Without such a run,
    /// returns the longest run of all; `None` if there is no run.
    pub(crate) fn widest(self) -> Option<&'m ByteRun> {
        self.runs.iter().max_by_key(|run| (run.lo.is_ascii(), run.len()))
    }

    /// Returns the bytes on which these transitions may differ from those of a state of the vocabulary's rules over the
    /// stack frame `frame`. `known` has the transitions of that state. On all other bytes, targets, token ends and
    /// returns are equal.
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

    /// Returns the number of bytes on which only one of two states continues, or only one reaches a token end. The two
    /// are the configuration of these transitions, and the state of the vocabulary's rules with the transitions
    /// `known`.
    pub(crate) fn distinguishing_count(self, known: &SharedTransitions) -> usize {
        let MoveSets { on, ends, .. } = *self.sets;
        on.apart(known.on).union(ends.apart(known.ends)).len()
    }
}

/// The transitions of all configurations (state and stack frame) asked for so far, by index.
#[derive(Debug)]
pub(crate) struct MoveTable {
    /// Maps each configuration (state and stack frame) to the index of its transitions in `all`.
    numbers: FxHashMap<Configuration, u32>,
    /// For each configuration (state and stack frame), its sets of bytes and the exclusive end of its runs in `runs`.
    /// Configurations are in the order of the indexes of their transitions.
    all: Vec<(u32, MoveSets)>,
    /// The runs of bytes of all configurations (state and stack frame), one configuration after another.
    runs: Vec<ByteRun>,
    /// For each state of the grammar itself, by index from the first such state, the result of an edge to it. The local
    /// stack of the edge is empty. `None` if the result is not computed yet. The list is empty before the first
    /// request.
    arrived: Vec<Option<EdgeTarget>>,
}

impl Default for MoveTable {
    fn default() -> Self {
        Self::new()
    }
}

impl MoveTable {
    /// Returns an empty table, with capacity for the transitions of most grammars.
    fn new() -> Self {
        let all = Vec::with_capacity(PLACES);
        let runs = Vec::with_capacity(PLACES * MOST_RUNS / 2);
        Self { numbers: FxHashMap::default(), all, runs, arrived: Vec::new() }
    }

    /// Returns the transitions with the index `number`.
    #[inline]
    pub(crate) fn of(&self, number: u32) -> Moves<'_> {
        let number = number as usize;
        let from = number.checked_sub(1).map_or(0, |before| self.all[before].0);
        let (end, sets) = &self.all[number];
        Moves { runs: &self.runs[from as usize..*end as usize], sets }
    }

    /// Forgets the transitions of all configurations (state and stack frame) if there are [`MOST_MOVES`] or more.
    /// Indexes handed out before become invalid.
    pub(crate) fn tidy(&mut self) {
        if self.all.len() >= MOST_MOVES {
            let arrived = std::mem::take(&mut self.arrived);
            *self = Self { arrived, ..Self::new() };
        }
    }

    /// Returns the result of an edge to the state `target` over the local stack frame `frame`. Cached for states of the
    /// grammar with an empty local stack (no call still open).
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

    /// Returns the index of the transitions of a configuration (state and stack frame), and computes these at the first
    /// request. The index is valid until the next [`tidy`](Self::tidy).
    pub(crate) fn number(&mut self, cursor: &mut Cursor<'_>, place: Configuration) -> u32 {
        if let Some(&number) = self.numbers.get(&place) {
            return number;
        }
        let found = self.find(cursor, place.0, place.1);
        self.add(place, found)
    }

    /// Computes the transitions, by single bytes, of a state over a local stack frame (pushed during the walk).
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
            // A byte that also begins a call is in the set of unclear bytes.
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

    /// Adds the computed transitions of the configuration (state and stack frame) `place` to the table, and returns
    /// their index.
    fn add(&mut self, place: Configuration, FoundMoves { runs, sets }: FoundMoves) -> u32 {
        let number = self.all.len() as u32;
        self.runs.extend_from_slice(&runs);
        self.all.push((self.runs.len() as u32, sets));
        self.numbers.insert(place, number);
        number
    }
}

/// Transitions of one configuration (state and stack frame), while they are computed.
struct FoundMoves {
    /// Runs of bytes with one known target; unsorted until [`join`](Self::join).
    runs: SmallVec<[ByteRun; MOST_RUNS]>,
    /// Sets of bytes beside the runs, such as the bytes after which a token may end.
    sets: MoveSets,
}

impl FoundMoves {
    /// Adds the bytes `lo..=hi` to these transitions. They lead to the configuration `to` (state and stack frame).
    fn add(&mut self, lo: u8, hi: u8, to: Configuration) {
        self.sets.on = self.sets.on.union(ByteSet::range(lo, hi));
        self.runs.push(ByteRun { lo, hi, to });
    }

    /// Sorts the runs of bytes, merges neighbours with one target, and records the bytes at which a run or a set
    /// changes.
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

/// The result of an edge: the reached configuration (state and stack frame). If the target only returns, the return is
/// already made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeTarget {
    /// The configuration (state and stack frame) that the edge reaches. `None` if there are several or none.
    to: Option<Configuration>,
    /// Whether a token may end at the edge's target.
    ends: bool,
    /// Whether the rule in which the walk began may return at the edge's target.
    exits: bool,
}
