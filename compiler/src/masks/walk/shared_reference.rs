//! The search for a reference: a state of the vocabulary's rules from whose stored mask an outcome of the grammar is
//! derived.
//!
//! The first state that fits a run of the configuration's transitions is taken, the longest runs first. Then the runs
//! of a successor configuration are tried. If none fits, a self-looping state that differs on few bytes is taken.
//!
//! Cost: O(runs) for each byte of look-ahead, and O(self-looping states).

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use super::cursor::{Configuration, Cursor};
use super::moves::ByteRun;
use super::pair_table::{AHEAD as PAIR_AHEAD, Continuation, PairTable, SharedReference};
use crate::masks::shared::transitions::{SharedTransitions, WIDE};
use crate::network::lazy_dfa::{BOTTOM, Configurations};

/// The most bytes that the search looks ahead for a reference, a vocabulary state with a mask to take over. For
/// example, a string with a minimum length is like any string after these characters.
const AHEAD: usize = 6;

/// The limit, exclusive, on the number of bytes that distinguish a state from a self-looping state of the vocabulary.
/// Most bytes lead from such a state back to itself. Beyond the limit, taking over its mask would leave too much to
/// walk.
const MOST_APART: usize = 24;

/// The limit, exclusive, on the distinguishing bytes of two states when bytes within multi-byte characters are counted
/// as well: four times [`MOST_APART`].
const MOST_WITHIN: usize = 4 * MOST_APART;

/// The most self-looping states of the vocabulary that are compared beyond their first byte. Most bytes lead from such
/// a state back to itself. States with the fewest distinguishing first bytes are preferred.
const MOST_LIKE: usize = 4;

/// Length in bytes beyond which a string of the trie counts as long. Few trie nodes have longer strings below them.
const LONG: usize = 8;

/// The most trie nodes that may be visited to distinguish a state from the vocabulary's state with the stored mask.
/// Beyond it, the mask is not taken over.
pub(super) const MOST_DIFFERING: u32 = 10_000;

/// The parameter and the cache of all searches for a reference. A reference is a state of the vocabulary's rules from
/// whose stored outcome (consumed tokens and exit nodes) another outcome is derived.
pub(crate) struct ReferenceFinder {
    /// The least number of tokens of a stored mask for which deriving others from it saves work.
    pub(crate) worth: u32,
    /// Maps each local stack frame (pushed during the walk) to the configuration (state and stack frame) after a return
    /// to it. `None` if there is no single one.
    after_frame: FxHashMap<u32, Option<Continuation>>,
}

impl ReferenceFinder {
    /// Returns a finder that rejects vocabulary states with fewer than `worth` tokens in their stored masks.
    pub(crate) fn new(worth: u32) -> Self {
        Self { worth, after_frame: FxHashMap::default() }
    }

    /// Whether deriving other masks from the stored mask of a state of the vocabulary's rules saves work. The mask has
    /// to have enough tokens, none of them matched by id. A token also has to be able to end over the state's stack
    /// frame.
    pub(crate) fn is_worth(&self, cursor: &Cursor<'_>, reference: &SharedReference) -> bool {
        let shared = cursor.follow.network().shared;
        let base = shared.states[reference.state as usize].base;
        cursor.sets.frame_rests(reference.frame)
            && cursor.facts.speaks(reference.state)
            && shared.masks[base as usize].count >= self.worth
    }

    /// Returns the configuration (state and stack frame) at which the walk continues after a return to a local stack
    /// frame (pushed during the walk). `None` if no call is open, or if the walk does not continue with a single
    /// configuration.
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

/// A search for a state of the vocabulary's rules from whose stored outcome the outcome of a grammar's configuration is
/// derived. Outcomes have the consumed tokens and exit nodes.
pub(crate) struct ReferenceSearch<'w, 'a> {
    /// The token trie and the lazily determinized automaton of all rules, which are walked together.
    pub(crate) cursor: &'w mut Cursor<'a>,
    /// The pairs met so far of a grammar's configuration (state and stack frame) and a state of the vocabulary's rules.
    /// Each has the bytes on which their transitions differ.
    pub(crate) pairs: &'w mut PairTable,
    /// The cache that all searches share: the configurations (state and stack frame) after returns.
    pub(crate) finder: &'w mut ReferenceFinder,
}

impl ReferenceSearch<'_, '_> {
    /// Returns the reference of a grammar's configuration (state and stack frame): a state of the vocabulary's rules
    /// whose stored mask is taken over. Its outcome and that of the configuration differ below at most `most` trie
    /// nodes.
    ///
    /// With `most` of `u32::MAX`, the number of nodes is not checked for states to which the configuration's edges
    /// lead. `None` if the configuration has few outgoing bytes, or no state fits, or only the reference may return at
    /// once.
    pub(crate) fn find(&mut self, place: Configuration, most: u32) -> Option<SharedReference> {
        let live = self.cursor.live(&Configurations::One(place.0, BOTTOM));
        if !live.has_at_least(WIDE) {
            return None;
        }
        self.pairs.tidy();
        let reference = self.reference(place).filter(|reference| {
            most == u32::MAX || self.pairs.are_near(self.cursor, place, reference, PAIR_AHEAD, most)
        });
        // A caller that limits the nodes can fall back to a batch of states. For it, only references that self-loop on
        // many bytes are tried: the batch is cheaper than a difference to a narrow one.
        let reference = reference.or_else(|| self.staying_reference(place, most < u32::MAX))?;
        let follow = self.cursor.follow;
        let leaves_alone = follow.is_final(reference.state) && !follow.is_final(place.0);
        (!leaves_alone).then_some(reference)
    }

    /// Returns a state of the vocabulary's rules from which the outcome (consumed tokens and exit nodes) of `place` is
    /// derived. The first state that fits a run of the configuration's transitions is taken, the longest runs first.
    /// Then up to [`AHEAD`] successors along the widest run are tried. `None` if no state fits.
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

    /// Returns a state of the vocabulary's rules that leads to the target of `run` on the bytes of `path` and the first
    /// byte of `run`. Of several, returns the one with the fewest bytes that distinguish it from the configuration with
    /// the transitions `moves`. `None` if there is none with a mask worth deriving from.
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
        // A state of a chain reaches the target from as many states before it.
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

    /// Returns the self-looping state of the vocabulary that the fewest first bytes distinguish from a configuration
    /// (state and stack frame). Most bytes lead from a self-looping state back to itself. `None` if the two outcomes
    /// differ below more than [`MOST_DIFFERING`] trie nodes, or if too many bytes distinguish the states.
    ///
    /// Without `on_many`, states that loop on few bytes are candidates too. The two outcomes may then differ in strings
    /// of more than [`LONG`] bytes at any number of nodes.
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

    /// Returns the number of bytes that distinguish a configuration (state and stack frame) and a state of the
    /// vocabulary's rules inside multi-byte characters. Compared are their targets after each first byte that leads the
    /// configuration away from itself. `moves` is the index of the configuration's transitions, and `stored` has those
    /// of the state.
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

/// Whether a state of the vocabulary's rules leads to `target` on the byte string `bytes`. Bisimilar states (equivalent
/// on all strings) count as one.
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
