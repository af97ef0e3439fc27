//! The bytes on which a configuration of the grammar and a state of the vocabulary have different transitions, as
//! *steps*.
//!
//! The transitions of both change at *turns*. At these bytes, a target, the end of a token or the end of the rule
//! changes for either. One byte represents all bytes between two turns.
//!
//! Cost: O(turns) for each pair, some twenty; they are found once for each walker.

use std::ops::Range;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use rustc_hash::FxHashMap;

use super::cursor::{Configuration, Cursor};
use super::moves::{MoveTable, NOWHERE};
use crate::ir::ByteSet;
use crate::network::lazy_dfa::BOTTOM;

/// Number of bytes from which on all children of a trie node are scanned. With fewer bytes, the child on each byte is
/// looked up.
pub(crate) const FEW: usize = 8;

/// The greatest string length, in bytes, for which distinguishing bytes (one in each distinguishing string) are
/// computed, one length after another. Few nodes of a token trie are higher. For longer strings, every byte counts as
/// distinguishing.
pub(crate) const AHEAD: usize = 24;

/// Initial capacity of a pair's table of distinguishing bytes (one in each distinguishing string), in string lengths.
/// The capacity doubles when it is used up.
const FIRST_ROOM: u8 = 4;

/// The most byte ranges with different transitions that are kept for all pairs of states together: some 30 MB. Beyond
/// it, all pairs are forgotten before the next search.
const MOST_STEPS: usize = 1 << 20;

/// A state of the vocabulary's rules whose stored outcome (consumed tokens and exit nodes) is taken over, with the
/// stack frame below it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct SharedReference {
    /// Id of the state of the vocabulary's rules whose stored outcome (consumed tokens and exit nodes) is taken over.
    pub(super) state: u32,
    /// The local stack frame (pushed during the walk) to which the rule of `state` returns.
    pub(crate) frame: u32,
    /// The configuration (state and stack frame) at which the walk continues after the rule of `state` has returned to
    /// `frame`. `None` if there is no single one, or if no call is open.
    pub(crate) after: Option<Continuation>,
}

/// The configuration (state and stack frame) at which a walk continues after a callee has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Continuation {
    /// The configuration (state and stack frame) at which the walk continues.
    pub(crate) to: Configuration,
    /// Whether a token may end at the configuration (state and stack frame) `to`.
    pub(crate) ends: bool,
    /// Whether the rule in which the walk began may return at the configuration (state and stack frame) `to`.
    pub(crate) exits: bool,
}

/// A range of bytes on which the transitions of two states differ in the same way. The two are a configuration (state
/// and stack frame) of the grammar and a state of the vocabulary's rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairEdge {
    /// First byte of the range on which the transitions of the two states differ.
    pub(crate) lo: u8,
    /// Last byte, inclusive, of the range on which the transitions of the two states differ.
    pub(crate) hi: u8,
    /// How the transitions of the configuration (state and stack frame) and of the state of the vocabulary's rules
    /// differ on the bytes.
    pub(crate) on: PairMove,
}

impl PairEdge {
    /// Returns the set of all bytes of this range, `lo` to `hi` inclusive.
    pub(crate) fn bytes(&self) -> ByteSet {
        ByteSet::range(self.lo, self.hi)
    }
}

/// How the transitions of a grammar's configuration (state and stack frame) and of a state of the vocabulary's rules
/// differ on one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairMove {
    /// Only the state of the vocabulary's rules continues, so its tokens below the byte are not taken over.
    Lost,
    /// The grammar's configuration (state and stack frame) is walked alone. `excluded` says whether the state of the
    /// vocabulary's rules continues too, so that its tokens below the byte are excluded.
    Alone { excluded: bool },
    /// Both the grammar's configuration (state and stack frame) and the state of the vocabulary's rules continue. Their
    /// targets are the next pair.
    Both {
        /// The target of the grammar's configuration (state and stack frame) on the byte.
        to: Configuration,
        /// The target of the state of the vocabulary's rules on the byte.
        stored: u32,
        /// Index in [`PairTable::all`] of the pair of both targets, or [`NONE`] before it was first needed.
        next: u32,
        /// Whether a token may end in exactly one of the two targets.
        differ: bool,
        /// Whether a token may end in the target of the grammar's configuration (state and stack frame).
        ends: bool,
        /// Whether the rule in which the walk began may return in the target of the grammar's configuration (state and
        /// stack frame).
        exits: bool,
        /// Whether the vocabulary's rule may return in the target of its state, over an empty local stack (no call
        /// still open). The rule in which the walk began then returns too.
        stored_exits: bool,
    },
}

/// A configuration (state and stack frame) of the grammar beside a state of the vocabulary's rules, with the bytes on
/// which their transitions differ.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The configuration (state and stack frame) of the grammar.
    pub(crate) own: Configuration,
    /// Range of [`PairTable::steps`] with the byte ranges on which the transitions of the two states differ.
    pub(crate) steps: Range<u32>,
    /// Number of bytes on which the transitions of the two states differ.
    pub(crate) bytes: usize,
    /// Cached distinguishing bytes of this pair. Every string that distinguishes the two states contains one of them.
    pub(crate) distinguishing: DistinguishingBytes,
}

/// The transitions with which a walk continues after the rule of a reference state has returned to its stack frame. The
/// reference state is a state of the vocabulary's rules with a stored mask.
struct AfterReturn {
    /// The bytes that can be consumed after the return to the stack frame.
    live: ByteSet,
    /// Index in the [`MoveTable`] of the transitions after the return. `None` if the walk then continues with several
    /// configurations (state and stack frame) or none.
    moves: Option<u32>,
}

impl AfterReturn {
    /// Whether a byte leads from the state after the return to the configuration (state and stack frame) `on`, with
    /// equal token ends and returns. `all` has the transitions with the index `moves`. False if the transitions on the
    /// byte are not fully known.
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

/// Key of a pair: a configuration (state and stack frame) of the grammar, a state of the vocabulary's rules, and its
/// stack frame.
type Key = (Configuration, u32, u32);

/// All pairs of a grammar's configuration (state and stack frame) and a state of the vocabulary's rules met so far, by
/// index.
#[derive(Debug, Default)]
pub(crate) struct PairTable {
    /// The transitions of the grammar's configurations (state and stack frame).
    pub(crate) moves: MoveTable,
    /// Maps each pair to its index in `all`.
    ids: FxHashMap<Key, u32>,
    /// The pairs met so far: each a configuration (state and stack frame) of the grammar beside a state of the
    /// vocabulary's rules.
    pub(crate) all: Vec<Pair>,
    /// The byte ranges on which the transitions of a pair's two states differ, pair after pair.
    pub(crate) steps: Vec<PairEdge>,
    /// For each pair of states, its distinguishing bytes. Every string that distinguishes the two contains one of them.
    pub(crate) distinguishing_table: DistinguishingTable,
}

impl PairTable {
    /// Forgets all pairs of states if more than [`MOST_STEPS`] byte ranges with different transitions are kept for
    /// them. Pair indexes handed out before become invalid.
    pub(crate) fn tidy(&mut self) {
        if self.steps.len() > MOST_STEPS {
            let moves = std::mem::take(&mut self.moves);
            *self = Self { moves, ..Self::default() };
        }
        self.moves.tidy();
    }
}

/// Whether the distinguishing bytes of a pair for some string length hold for all greater lengths. Every string that
/// distinguishes the pair contains one of these bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stability {
    /// The distinguishing bytes (one in each distinguishing string) may change for greater lengths. Too many pairs are
    /// reachable, or the bytes change for too many lengths.
    No,
    /// The distinguishing bytes (one in each distinguishing string) hold for strings of any greater length too.
    Always,
}

/// The successor pairs of a pair of states: the pairs of targets on bytes with which both states continue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSuccessors {
    /// The bytes that distinguish the two states at once, as [byte classes](crate::masks::trie::byte_bits::bits), one
    /// bit each. If only one of the two may return after some byte, the FOLLOW bytes of the grammar's rule are
    /// included.
    pub(super) apart: u128,
    /// Index in [`DistinguishingTable::on`] of the first successor of the pair.
    pub(super) first: u32,
    /// Index (exclusive) in [`DistinguishingTable::on`] of the end of the pair's successors.
    pub(super) end: u32,
}

/// The distinguishing bytes of a pair of states, for strings of at most 1, 2, ... bytes. Every such string that
/// distinguishes the two contains one of the bytes for its length. The bytes are computed on demand, one length after
/// another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DistinguishingBytes {
    /// Index in [`DistinguishingTable::ways`] of the pair's successors (pairs of targets), or [`NONE`] before they were
    /// asked for.
    pub(super) ways: u32,
    /// Index in [`DistinguishingTable::all`] of the pair's distinguishing bytes (one in each distinguishing string) for
    /// strings of one byte. Those for greater lengths follow.
    pub(super) first: u32,
    /// Number of string lengths, from one byte on, for which the pair's distinguishing bytes (one in each
    /// distinguishing string) are known.
    pub(super) count: u8,
    /// Number of string lengths, from one byte on, for which the table has capacity reserved for the pair.
    pub(super) room: u8,
    /// Whether the distinguishing bytes (one in each distinguishing string) for the greatest known length hold for all
    /// greater lengths. `None` if that was not computed.
    pub(super) steady: Option<Stability>,
}

impl Default for DistinguishingBytes {
    fn default() -> Self {
        Self { ways: NONE, first: 0, count: 0, room: 0, steady: None }
    }
}

/// The bytes with which both states of a pair continue to the same pair of targets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSuccessor {
    /// The bytes with which both states continue, as [byte classes](crate::masks::trie::byte_bits::bits), one bit each.
    pub(super) bits: u128,
    /// The target of the grammar's configuration (state and stack frame).
    pub(super) to: Configuration,
    /// The target of the state of the vocabulary's rules.
    pub(super) stored: u32,
    /// Index in [`PairTable::steps`] of a byte range on which both states continue to this pair of targets.
    pub(super) at: u32,
    /// Index in [`PairTable::all`] of the pair of both targets, or [`NONE`] before it was first needed.
    pub(super) next: u32,
}

/// Distinguishing bytes of all pairs of states, and the successors of pairs. Every short string that distinguishes a
/// pair contains one of its distinguishing bytes.
#[derive(Debug, Default)]
pub(crate) struct DistinguishingTable {
    /// Distinguishing bytes (one in each distinguishing string) of pairs of states for strings of 1, 2, ... bytes, pair
    /// after pair. A set has one bit for each byte class.
    pub(super) all: Vec<u128>,
    /// For each pair whose successors (pairs of targets) were asked for, the range of these successors in `on`.
    pub(super) ways: Vec<PairSuccessors>,
    /// The successors of each pair, one pair after another: the pairs of targets of both states.
    pub(super) on: Vec<PairSuccessor>,
}

impl DistinguishingTable {
    /// Appends the distinguishing bytes (one in each distinguishing string) of a pair of states for the next string
    /// length. `bits` has their byte classes, one bit each. If the pair's capacity is used up, all its entries move to
    /// the end of the table.
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
    /// Returns the index in `all` of the pair of targets on the byte range with the index `at` in `steps`. Adds the
    /// pair if it is new. `reference` has the stack frame of `stored`. The range must be a [`PairMove::Both`] with the
    /// targets `to` and `stored`, the latter a state of the vocabulary's rules.
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

    /// Returns the transitions with which a walk continues after the rule of a reference state has returned to its
    /// stack frame. The reference state is a state of the vocabulary's rules with a stored mask.
    fn returned(&mut self, cursor: &mut Cursor<'_>, reference: &SharedReference) -> AfterReturn {
        let (ret, parent) = cursor.sets.frame(reference.frame);
        let at = cursor.sets.after_returns(ret, parent).at;
        let live = cursor.live(&at);
        let place = cursor.sets.one(at).map(|(state, frame)| cursor.through(state, frame));
        AfterReturn { live, moves: place.map(|place| self.moves.number(cursor, place)) }
    }

    /// Whether a configuration (state and stack frame) and a state of the vocabulary's rules are alike. On fewer than
    /// [`FEW`] bytes, only one of them continues or may end a token. An example is a pair of states for the same
    /// characters, one of which alone may end the rule.
    fn is_like(&mut self, cursor: &mut Cursor<'_>, place: Configuration, stored: u32) -> bool {
        let shared = cursor.follow.network().shared;
        let moves = self.moves.number(cursor, place);
        self.moves.of(moves).distinguishing_count(cursor.facts.moves(shared, stored)) < FEW
    }

    /// Returns the index in `all` of the pair of the configuration (state and stack frame) `own` and the state `stored`
    /// of the vocabulary's rules. `stored` is over the frame of `reference`. If the pair is new, computes the bytes on
    /// which their transitions differ.
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
        // The state after the rule of the reference may differ for each byte.
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
                // The first bytes of the state after the rule of the reference distinguish it.
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
