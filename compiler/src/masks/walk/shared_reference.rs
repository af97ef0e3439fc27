//! The shared state whose stored mask an outcome is derived from, its shared reference.
//!
//! The first state that fits a run of the configuration's moves is taken, the longest runs first, and then those of a
//! configuration that the moves lead to. If none fits, a self-looping state that differs on few bytes is taken.
//!
//! Cost: O(runs) for each byte of look-ahead, and O(self-looping states).

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use super::cursor::{Configuration, Cursor};
use super::moves::ByteRun;
use super::pair_table::{AHEAD as PAIR_AHEAD, Continuation, PairTable, SharedReference};
use crate::masks::shared::transitions::{SharedTransitions, WIDE};
use crate::network::lazy_dfa::{BOTTOM, Configurations};

/// Bytes that are looked ahead for a state to take over from: a string with a minimum of a few characters is like any
/// string behind them.
const AHEAD: usize = 6;

/// Bytes on which a state may differ from a reference that none of its edges leads to.
const MOST_APART: usize = 24;

/// The same with what is within longer characters.
const MOST_WITHIN: usize = 4 * MOST_APART;

/// Shared states that are looked at beyond their first byte for the one that a state is most like.
const MOST_LIKE: usize = 4;

/// Bytes of strings that are long: few nodes have such below them.
const LONG: usize = 8;

/// Most trie nodes below which a state may differ from a reference found by that search.
pub(super) const MOST_DIFFERING: u32 = 10_000;

/// The state that searches for shared references have in common.
pub(crate) struct ReferenceFinder {
    /// Tokens of a mask from which on it is worth deriving others from it.
    pub(crate) worth: u32,
    /// By frame, where a walk goes on that leaves the callee.
    after_frame: FxHashMap<u32, Option<Continuation>>,
}

impl ReferenceFinder {
    pub(crate) fn new(worth: u32) -> Self {
        Self { worth, after_frame: FxHashMap::default() }
    }

    /// Whether the mask of a shared state is worth deriving others from.
    pub(crate) fn is_worth(&self, cursor: &Cursor<'_>, reference: &SharedReference) -> bool {
        let shared = cursor.follow.network().shared;
        let base = shared.states[reference.state as usize].base;
        cursor.sets.frame_rests(reference.frame)
            && cursor.facts.speaks(reference.state)
            && shared.masks[base as usize].count >= self.worth
    }

    /// The continuation of a walk over a frame when its callee is left.
    fn after(&mut self, cursor: &mut Cursor<'_>, frame: u32) -> Option<Continuation> {
        if frame == BOTTOM {
            return None;
        }
        if let Some(&after) = self.after_frame.get(&frame) {
            return after;
        }
        let (ret, parent) = cursor.sets.frame(frame);
        let reached = cursor.sets.after_returns(ret, parent);
        let after = cursor.sets.one(reached.at).map(|(state, over)| {
            let (state, over) = cursor.through(state, over);
            let to = (cursor.representative(state), over);
            Continuation { to, ends: reached.ends, exits: reached.exits }
        });
        self.after_frame.insert(frame, after);
        after
    }
}

/// The search for the shared reference of an own configuration.
pub(crate) struct ReferenceSearch<'w, 'a> {
    pub(crate) cursor: &'w mut Cursor<'a>,
    pub(crate) pairs: &'w mut PairTable,
    pub(crate) finder: &'w mut ReferenceFinder,
}

impl ReferenceSearch<'_, '_> {
    /// The shared reference of an own configuration, which differs from it below no more nodes than `most`.
    pub(crate) fn find(&mut self, place: Configuration, most: u32) -> Option<SharedReference> {
        let live = self.cursor.live(&Configurations::One(place.0, BOTTOM));
        if !live.has_at_least(WIDE) {
            return None;
        }
        self.pairs.tidy();
        let reference = self.reference(place).filter(|reference| {
            most == u32::MAX || self.pairs.are_near(self.cursor, place, reference, PAIR_AHEAD, most)
        });
        // If the caller can fall back to a batch, only references that self-loop on many bytes are tried: the batch is
        // cheaper than a difference to a narrow one.
        let reference = reference.or_else(|| self.staying_reference(place, most < u32::MAX))?;
        let follow = self.cursor.follow;
        let leaves_alone = follow.is_final(reference.state) && !follow.is_final(place.0);
        (!leaves_alone).then_some(reference)
    }

    /// The shared reference: the first state that fits a run of a configuration's moves, the longest runs first, or a
    /// run of a state that they lead to.
    pub(crate) fn reference(&mut self, place: Configuration) -> Option<SharedReference> {
        let own = self.cursor.follow.network().own.bases.states;
        let own_moves = self.pairs.moves.number(self.cursor, place);
        let mut moves = own_moves;
        let mut path = Vec::with_capacity(AHEAD + 1);
        loop {
            let longest = self.pairs.moves.of(moves).to_shared(own).rev().max_by_key(ByteRun::len);
            let longest = longest.and_then(|run| self.reference_on(own_moves, run, &mut path));
            if longest.is_some() {
                return longest;
            }
            let mut runs: Vec<ByteRun> = self.pairs.moves.of(moves).to_shared(own).collect();
            runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
            let mut rest = runs.into_iter().skip(1);
            let next = rest.find_map(|run| self.reference_on(own_moves, run, &mut path));
            if next.is_some() {
                return next;
            }
            if path.len() == AHEAD {
                return None;
            }
            let &ByteRun { lo, to, .. } = self.pairs.moves.of(moves).widest()?;
            path.push(lo);
            moves = self.pairs.moves.number(self.cursor, to);
        }
    }

    /// Returns the state to take over from, given the run of a state that bytes lead to and the `moves` of the state to
    /// derive.
    fn reference_on(
        &mut self,
        moves: u32,
        run: ByteRun,
        path: &mut Vec<u8>,
    ) -> Option<SharedReference> {
        let Self { cursor, pairs, finder } = self;
        let ByteRun { lo: byte, to: (state, frame), .. } = run;
        let known = cursor.facts;
        known.source_on(state, byte)?;
        path.push(byte);
        // A state of a chain leads there from as many places before it.
        let chain = path[1..].iter().try_fold(state, |state, _| known.passing(state));
        let chain = chain.map(|state| known.sources_on(state, path[0]));
        let shared = cursor.follow.network().shared;
        let fits = |&source: &u32| {
            let reference = SharedReference { state: source, frame, after: None };
            finder.is_worth(cursor, &reference) && leads_to(cursor, source, path, state)
        };
        let sources = known.sources_on(state, byte).chain(chain.into_iter().flatten());
        let moves = pairs.moves.of(moves);
        let apart = |&source: &u32| moves.distinguishing_count(known.moves(shared, source));
        let found = sources.filter(fits).min_by_key(apart);
        path.pop();
        found.map(|state| SharedReference { state, frame, after: finder.after(cursor, frame) })
    }

    /// Among the self-looping shared states, the one whose first bytes differ least from this configuration, if the two
    /// differ below at most [`MOST_DIFFERING`] trie nodes. A state that would be walked alone is also derived when only
    /// strings of [`LONG`] bytes or more differ.
    fn staying_reference(
        &mut self,
        place: Configuration,
        on_many: bool,
    ) -> Option<SharedReference> {
        let shared = self.cursor.follow.network().shared;
        let number = self.pairs.moves.number(self.cursor, place);
        let (known, moves) = (self.cursor.facts, self.pairs.moves.of(number));
        let apart = |&state: &u32| moves.distinguishing_count(known.moves(shared, state));
        let staying = known.staying(on_many).iter().map(|state| (apart(state), *state));
        let mut like: Vec<(usize, u32)> =
            staying.filter(|&(bytes, _)| bytes < MOST_APART).collect();
        like.sort_unstable();
        like.truncate(MOST_LIKE);
        if like.len() > 1 {
            for (bytes, state) in &mut like {
                *bytes += self.apart_within(place, number, known.moves(shared, *state));
            }
        }
        let (_, state) = like.into_iter().min().filter(|&(bytes, _)| bytes < MOST_WITHIN)?;
        let reference = SharedReference { state, frame: BOTTOM, after: None };
        let within = if on_many { PAIR_AHEAD } else { LONG };
        let is_near = self.finder.is_worth(self.cursor, &reference)
            && self.pairs.are_near(self.cursor, place, &reference, within, MOST_DIFFERING);
        is_near.then_some(reference)
    }

    /// Returns the number of bytes that distinguish a state and a shared state within longer characters. Such a byte
    /// follows a first byte with which the state does not stay where it is.
    fn apart_within(
        &mut self,
        place: Configuration,
        moves: u32,
        stored: &SharedTransitions,
    ) -> usize {
        let Self { cursor, pairs, .. } = self;
        let (known, shared) = (cursor.facts, cursor.follow.network().shared);
        let mut count = 0;
        for at in 0..pairs.moves.of(moves).runs.len() {
            let ByteRun { lo, to, .. } = pairs.moves.of(moves).runs[at];
            let state = stored.to[usize::from(lo)];
            if to != place && state != NONE {
                let within = pairs.moves.number(cursor, to);
                count += pairs.moves.of(within).distinguishing_count(known.moves(shared, state));
            }
        }
        count
    }
}

/// Whether a shared state leads to another, or to an equal one, on some bytes.
fn leads_to(cursor: &Cursor<'_>, mut state: u32, bytes: &[u8], target: u32) -> bool {
    let shared = cursor.follow.network().shared;
    for &byte in bytes {
        if state == NONE {
            return false;
        }
        state = cursor.facts.moves(shared, state).to[usize::from(byte)];
    }
    state == target
}
