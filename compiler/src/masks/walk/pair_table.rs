//! The bytes on which an own and a shared configuration differ, as *steps*.
//!
//! The transitions of both configurations change at *turns*: the bytes at which a target, the end of a token or the end
//! of the rule changes for either. Between two turns one byte represents all.
//!
//! Cost: O(turns) for each pair, some twenty; they are found once for each walker.

use std::ops::Range;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use rustc_hash::FxHashMap;

use super::cursor::{Configuration, Cursor};
use super::moves::{MoveTable, NOWHERE};
use crate::ir::ByteSet;
use crate::network::lazy_dfa::BOTTOM;

/// Bytes up to which the children of a node are found one by one.
pub(crate) const FEW: usize = 8;

/// Bytes that are looked ahead for where two part: few nodes are higher.
pub(crate) const AHEAD: usize = 24;

/// Lengths for which there is room at first.
const FIRST_ROOM: u8 = 4;

/// Steps that are remembered at once: some 30 MB.
const MOST_STEPS: usize = 1 << 20;

/// A shared state to take over from, and the frame that it is over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct SharedReference {
    pub(super) state: u32,
    pub(crate) frame: u32,
    /// The continuation over its frame when its rule is left, if that is one state, and whether a token may end and
    /// the rule of the walk be left there.
    pub(crate) after: Option<Continuation>,
}

/// A configuration that a walk goes on to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Continuation {
    pub(crate) to: Configuration,
    /// Whether a token may end there.
    pub(crate) ends: bool,
    /// Whether the rule of the walk can be left there.
    pub(crate) exits: bool,
}

/// Bytes on which an own state and a shared one part in one way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairEdge {
    pub(crate) lo: u8,
    pub(crate) hi: u8,
    pub(crate) on: PairMove,
}

impl PairEdge {
    pub(crate) fn bytes(&self) -> ByteSet {
        ByteSet::range(self.lo, self.hi)
    }
}

/// The move of a pair on these bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairMove {
    /// The shared state goes on alone.
    Lost,
    /// The own state is walked on from; where the shared one goes on as well, that is excluded.
    Alone { excluded: bool },
    /// Both go on.
    Both {
        to: Configuration,
        stored: u32,
        /// The two there, once they were met.
        next: u32,
        /// Whether a token may end in the one and not in the other.
        differ: bool,
        /// Whether a token may end in the own one.
        ends: bool,
        /// Whether the rule of the walk can be left in the own one.
        exits: bool,
        /// Whether the shared rule can be left in the shared one, and the rule of the walk with it.
        stored_exits: bool,
    },
}

/// A pair of configurations, and the bytes on which they differ.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) own: Configuration,
    pub(crate) steps: Range<u32>,
    /// Number of the bytes of the steps.
    pub(crate) bytes: usize,
    /// Their distinguishing bytes, as far as these were asked for.
    pub(crate) distinguishing: DistinguishingBytes,
}

/// The moves after the rule of a reference.
struct AfterReturn {
    /// Bytes that it goes on with.
    live: ByteSet,
    /// The number of the moves, if they are those of one configuration.
    moves: Option<u32>,
}

impl AfterReturn {
    /// Whether a byte leads to a continuation.
    fn leads(&self, all: &MoveTable, byte: u8, on: Continuation) -> bool {
        let Continuation { to, ends, exits } = on;
        self.moves.is_some_and(|moves| {
            let moves = all.of(moves);
            !moves.sets.unclear.contains(byte)
                && moves.to(byte) == to
                && moves.sets.ends.contains(byte) == ends
                && moves.sets.exits.contains(byte) == exits
        })
    }
}

/// An own place, a shared state, and the frame that the shared state is over.
type Key = (Configuration, u32, u32);

/// The pairs met so far.
#[derive(Debug, Default)]
pub(crate) struct PairTable {
    /// The moves of the own configurations.
    pub(crate) moves: MoveTable,
    ids: FxHashMap<Key, u32>,
    pub(crate) all: Vec<Pair>,
    pub(crate) steps: Vec<PairEdge>,
    pub(crate) distinguishing_table: DistinguishingTable,
}

impl PairTable {
    /// Forgets all pairs where they are too many.
    pub(crate) fn tidy(&mut self) {
        if self.steps.len() > MOST_STEPS {
            let moves = std::mem::take(&mut self.moves);
            *self = Self { moves, ..Self::default() };
        }
        self.moves.tidy();
    }
}

/// Whether the bytes that distinguish two states within some length do so within any greater length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stability {
    /// Not known: too many pairs follow, or they change for too long.
    No,
    /// Within any number.
    Always,
}

/// The successors of a pair: the [bits](crate::masks::trie::byte_bits::bits) of bytes on which one of the two does not
/// go on, and the range of the pairs that both go on to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSuccessors {
    pub(super) apart: u128,
    pub(super) first: u32,
    pub(super) end: u32,
}

/// Distinguishing bytes of a pair, as far as they were asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DistinguishingBytes {
    /// The number of where they go on together, [`NONE`] before that was asked.
    pub(super) ways: u32,
    /// Offset of the bytes, by length less one.
    pub(super) first: u32,
    pub(super) count: u8,
    /// How many there is room for.
    pub(super) room: u8,
    /// Whether the last of these holds for greater lengths as well, if that was computed.
    pub(super) steady: Option<Stability>,
}

impl Default for DistinguishingBytes {
    fn default() -> Self {
        Self { ways: NONE, first: 0, count: 0, room: 0, steady: None }
    }
}

/// Bytes on which two go on together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSuccessor {
    pub(super) bits: u128,
    pub(super) to: Configuration,
    pub(super) stored: u32,
    /// A step that goes there.
    pub(super) at: u32,
    /// The two there, once they were met.
    pub(super) next: u32,
}

/// Distinguishing bytes of pairs, and the pairs that they go on to.
#[derive(Debug, Default)]
pub(crate) struct DistinguishingTable {
    pub(super) all: Vec<u128>,
    pub(super) ways: Vec<PairSuccessors>,
    pub(super) on: Vec<PairSuccessor>,
}

impl DistinguishingTable {
    /// Adds the bytes that distinguish a pair within one byte more. All of them are moved to the end if there is no
    /// room.
    pub(super) fn add(&mut self, distinguishing: &mut DistinguishingBytes, bits: u128) {
        let DistinguishingBytes { first, count, room, .. } = distinguishing;
        if count == room {
            let known = *first as usize..*first as usize + usize::from(*count);
            *first = self.all.len() as u32;
            *room = (2 * *count).max(FIRST_ROOM);
            self.all.extend_from_within(known);
            self.all.resize(*first as usize + usize::from(*room), 0);
        }
        self.all[*first as usize + usize::from(*count)] = bits;
        *count += 1;
    }
}

impl PairTable {
    /// The pair that a step on which both go on leads to.
    pub(crate) fn next(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: u32,
        to: Configuration,
        stored: u32,
        reference: &SharedReference,
    ) -> u32 {
        if let PairMove::Both { next, .. } = self.steps[at as usize].on
            && next != NONE
        {
            return next;
        }
        let pair = self.pair(cursor, to, stored, reference);
        if let PairMove::Both { next, .. } = &mut self.steps[at as usize].on {
            *next = pair;
        }
        pair
    }

    /// The moves after the rule of a reference.
    fn returned(&mut self, cursor: &mut Cursor<'_>, reference: &SharedReference) -> AfterReturn {
        let (ret, parent) = cursor.sets.frame(reference.frame);
        let at = cursor.sets.after_returns(ret, parent).at;
        let live = cursor.live(&at);
        let place = cursor.sets.one(at).map(|(state, frame)| cursor.through(state, frame));
        AfterReturn { live, moves: place.map(|place| self.moves.number(cursor, place)) }
    }

    /// Whether a shared state has nearly the outgoing bytes of a configuration. An example is a chain of states of which
    /// only one may end the rule.
    fn is_like(&mut self, cursor: &mut Cursor<'_>, place: Configuration, stored: u32) -> bool {
        let shared = cursor.follow.network().shared;
        let moves = self.moves.number(cursor, place);
        self.moves.of(moves).distinguishing_count(cursor.facts.moves(shared, stored)) < FEW
    }

    /// Their number, by which they are found in the table.
    pub(crate) fn pair(
        &mut self,
        cursor: &mut Cursor<'_>,
        own: Configuration,
        stored: u32,
        reference: &SharedReference,
    ) -> u32 {
        let key = (own, stored, reference.frame);
        if let Some(&pair) = self.ids.get(&key) {
            return pair;
        }
        let network = cursor.follow.network();
        let known = cursor.facts.moves(network.shared, stored);
        let moves = self.moves.number(cursor, own);
        let is_final = |state: u32| network.state(state).flags & state_flags::FINAL != 0;
        let at_bottom = reference.frame == BOTTOM;
        let (ret, parent) = cursor.sets.frame(reference.frame);
        let leaves = !at_bottom && cursor.sets.after_returns(ret, parent).exits;
        let after = (!at_bottom && is_final(stored)).then(|| self.returned(cursor, reference));
        let returns = after.as_ref().map_or(ByteSet::EMPTY, |after| after.live);
        let from = self.steps.len() as u32;
        let mut bytes = 0;
        let sets = *self.moves.of(moves).sets;
        let mut run = 0;
        // The state after the rule of the reference may be another with each byte.
        let turns = [known.turns, returns, returns.next()];
        let turns = turns.into_iter().fold(sets.turns, ByteSet::union);
        let differing = self.moves.of(moves).differing(known, reference.frame).union(returns);
        for (byte, hi) in differing.ranges_between(turns) {
            let runs = self.moves.of(moves).runs;
            while runs.get(run).is_some_and(|run| run.hi < byte) {
                run += 1;
            }
            let to = runs.get(run).filter(|run| run.lo <= byte).map_or(NOWHERE, |run| run.to);
            let stored = known.to[usize::from(byte)];
            let calls = known.calls.contains(byte);
            let unclear = sets.unclear.contains(byte) || calls;
            let left = known.leave.contains(byte);
            let (ends, exits) = (sets.ends.contains(byte), sets.exits.contains(byte));
            // If both reach the reference's continuation, the reference's exit nodes already cover it.
            if left && ends && !unclear && reference.after == Some(Continuation { to, ends, exits })
            {
                continue;
            }
            let mut both = stored != NONE || left || calls;
            if let Some(after) = after.as_ref().filter(|_| returns.contains(byte)) {
                let on = Continuation { to, ends, exits };
                if !both && !unclear && after.leads(&self.moves, byte, on) {
                    continue;
                }
                both = true;
            }
            let on = if !unclear && to.0 == NONE {
                if !both {
                    continue;
                }
                PairMove::Lost
            } else if unclear
                || stored == NONE
                || left
                || returns.contains(byte)
                || to.0 < network.own.bases.states && !self.is_like(cursor, to, stored)
            {
                PairMove::Alone { excluded: both }
            } else {
                let differ = ends != known.ends.contains(byte);
                let stored_exits = is_final(stored);
                // The state after the rule of the reference is distinguished by its first bytes.
                match stored_exits && !at_bottom && (differ || leaves && !exits) {
                    true => PairMove::Alone { excluded: true },
                    false => {
                        let stored_exits = stored_exits && at_bottom;
                        PairMove::Both { to, stored, next: NONE, differ, ends, exits, stored_exits }
                    }
                }
            };
            bytes += usize::from(hi - byte) + 1;
            match self.steps[from as usize..].last_mut() {
                Some(last) if last.on == on && last.hi.checked_add(1) == Some(byte) => last.hi = hi,
                _ => self.steps.push(PairEdge { lo: byte, hi, on }),
            }
        }
        let pair = self.all.len() as u32;
        let steps = from..self.steps.len() as u32;
        self.all.push(Pair { own, steps, bytes, distinguishing: DistinguishingBytes::default() });
        self.ids.insert(key, pair);
        pair
    }
}
