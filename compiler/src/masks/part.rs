//! Own states and shared ones side by side: where they part, found once for each two.
//!
//! The states of a key are met again from each of the states before them, and most of what they do on a byte is what the
//! shared state does. So what is left is kept as *steps*: for the states of a key, one, the next byte of the key. A walk
//! from a state within a key is then a few look-ups of children.

use std::ops::Range;
use std::sync::Arc;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use rustc_hash::FxHashMap;

use super::moves::{NOWHERE, OwnMoves, Place};
use super::nodes::bits;
use super::take::{Excepted, Model};
use super::walk::{Building, Walker};
use crate::ir::ByteSet;
use crate::network::local::{At, BOTTOM};

/// Steps that are remembered at once: some 30 MB.
const MOST_STEPS: usize = 1 << 20;

/// Bytes up to which the children of a node are found one by one.
const FEW: usize = 8;

/// Bytes that are looked ahead for where two part: few nodes are higher.
const AHEAD: usize = 24;

/// Bytes within which most two are told apart that are told apart at many nodes.
const SOON: usize = 2;

/// Bytes from which on it is worth finding all that a pair leads to.
const WORTH_STEADYING: usize = 6;

/// Pairs that are looked into at once.
const MOST_STEADIED: usize = 128;

/// Lengths for which there is room at first.
const FIRST_ROOM: u8 = 4;

/// Bytes on which an own state and a shared one part in one way.
#[derive(Clone, Copy, Debug)]
struct Step {
    lo: u8,
    hi: u8,
    on: On,
}

impl Step {
    fn bytes(&self) -> ByteSet {
        ByteSet::range(self.lo, self.hi)
    }
}

/// What becomes of the two on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    /// The shared state goes on alone.
    Lost,
    /// The own state is walked on from; where the shared one goes on as well, that is excepted.
    Alone { excepted: bool },
    /// Both go on.
    Both {
        to: Place,
        stored: u32,
        /// Bytes for which the two there surely do the same.
        same: u8,
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

/// What two states part on.
#[derive(Clone, Debug)]
struct Pair {
    own: Place,
    steps: Range<u32>,
    /// Number of the bytes of the steps.
    bytes: usize,
    /// The number of where they go on together, [`NONE`] before that was asked.
    ways: u32,
    /// What tells them apart, as far as that was asked.
    parting: Parting,
    /// Whether the last of these tells them apart within more bytes as well, where that was looked into.
    steady: Option<Steady>,
}

/// Whether what tells two states apart within some bytes does so within more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steady {
    /// That is not known.
    No,
    /// Within as many as are looked ahead.
    Ahead,
    /// Within any number.
    Always,
}

/// On which bytes one of two states does not go on, as [bits](super::nodes::bits), and where the ways stand that they go
/// on together.
#[derive(Clone, Copy, Debug)]
struct Ways {
    apart: u128,
    first: u32,
    end: u32,
}

/// Where it stands what tells two states apart, by length less one.
#[derive(Clone, Copy, Debug, Default)]
struct Parting {
    first: u32,
    count: u8,
    /// How many there is room for.
    room: u8,
}

/// Bytes on which two go on together.
#[derive(Clone, Copy, Debug)]
struct Way {
    bits: u128,
    to: Place,
    stored: u32,
    /// As of the step.
    same: u8,
    /// A step that goes there.
    at: u32,
}

/// What comes after the rule of a model.
struct Returned {
    /// Bytes that it goes on with.
    live: ByteSet,
    /// Where these lead, where that is told by one place.
    moves: Option<Arc<OwnMoves>>,
}

impl Returned {
    /// Whether a byte leads to a place, where a token may end and the rule be left or not.
    fn leads(&self, byte: u8, to: Place, ends: bool, exits: bool) -> bool {
        self.moves.as_ref().is_some_and(|moves| {
            !moves.unclear.contains(byte)
                && moves.to(byte) == to
                && moves.ends.contains(byte) == ends
                && moves.exits.contains(byte) == exits
        })
    }
}

/// An own place, a shared state, and the frame that the shared state is over.
type Key = (Place, u32, u32);

/// The pairs met so far.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    ids: FxHashMap<Key, u32>,
    all: Vec<Pair>,
    steps: Vec<Step>,
    ways: Vec<Ways>,
    on: Vec<Way>,
    partings: Vec<u128>,
}

impl Pairs {
    /// Forgets all pairs where they are too many.
    pub(super) fn tidy(&mut self) {
        if self.steps.len() > MOST_STEPS {
            *self = Self::default();
        }
    }

    /// What tells a pair apart within 1, 2, ... bytes, as [bits](super::nodes::bits), as far as that was asked.
    fn parting(&self, pair: u32) -> &[u128] {
        let Parting { first, count, .. } = self.all[pair as usize].parting;
        &self.partings[first as usize..][..usize::from(count)]
    }

    /// Notes what tells a pair apart within one byte more. Where there is no room for that, all of it is moved to the end.
    fn add_parting(&mut self, pair: u32, bits: u128) {
        let Parting { first, count, room } = &mut self.all[pair as usize].parting;
        if count == room {
            let known = *first as usize..*first as usize + usize::from(*count);
            *first = self.partings.len() as u32;
            *room = (2 * *count).max(FIRST_ROOM);
            self.partings.extend_from_within(known);
            self.partings.resize(*first as usize + usize::from(*room), 0);
        }
        self.partings[*first as usize + usize::from(*count)] = bits;
        *count += 1;
    }
}

impl Walker<'_> {
    /// Excepts what becomes of the strings below `node` where `own` and the model, in the state `stored`, part; and adds
    /// what becomes of them instead.
    pub(super) fn part(
        &mut self,
        own: Place,
        stored: u32,
        model: &Model,
        node: u32,
        excepted: &mut Excepted,
        building: &mut Building,
    ) {
        let pair = self.pair(own, stored, model);
        self.part_pair(pair, model, node, excepted, building);
    }

    /// Whether no more nodes than `most` have to be looked at to tell two apart, but for the highest. Most that are told
    /// apart at more are so within a few bytes, and all that two lead to is dear to find.
    pub(super) fn are_near(&mut self, own: Place, stored: u32, model: &Model, most: u32) -> bool {
        let pair = self.pair(own, stored, model);
        let mut spread = |length| {
            let bits = self.parting(pair, length, model);
            self.known.nodes().spread(bits)
        };
        spread(SOON) <= most && spread(AHEAD) <= most
    }

    fn part_pair(
        &mut self,
        pair: u32,
        model: &Model,
        node: u32,
        excepted: &mut Excepted,
        building: &mut Building,
    ) {
        let children = self.known.children();
        let Pair { steps, bytes, .. } = &self.pairs.all[pair as usize];
        let steps = steps.clone();
        if *bytes < FEW {
            for at in steps {
                for byte in self.pairs.steps[at as usize].bytes().iter() {
                    if let Some(child) = children.on(node, byte) {
                        self.step(pair, at, model, child, excepted, building);
                    }
                }
            }
            return;
        }
        let mut at = steps.start;
        for (byte, child) in children.of(node) {
            while at < steps.end && self.pairs.steps[at as usize].hi < byte {
                at += 1;
            }
            if at == steps.end {
                break;
            }
            if self.pairs.steps[at as usize].lo <= byte {
                self.step(pair, at, model, child, excepted, building);
            }
        }
    }

    /// Takes a step of a pair, to `child`.
    fn step(
        &mut self,
        pair: u32,
        at: u32,
        model: &Model,
        child: u32,
        excepted: &mut Excepted,
        building: &mut Building,
    ) {
        let end = self.trie.end[child as usize];
        match self.pairs.steps[at as usize].on {
            On::Lost => excepted.add(child..end),
            On::Alone { excepted: both } => {
                if both {
                    excepted.add(child..end);
                }
                let (state, frame) = self.pairs.all[pair as usize].own;
                self.visit(At::One(state, frame), child, building);
            }
            On::Both { to, stored, same, differ, ends, exits, stored_exits, .. } => {
                let is_leaf = end == child + 1;
                let leaves_apart = !is_leaf
                    && exits != stored_exits
                    && self.known.children().any_on(child, building.after);
                let is_excepted = differ || leaves_apart && stored_exits;
                if is_excepted {
                    excepted.add(child..child + 1);
                    if ends {
                        building.outcome.add_span(self.trie.tokens_at(child));
                    }
                }
                if is_leaf {
                    return;
                }
                // Where both can be left, the model's exits say so.
                if exits && (is_excepted || !stored_exits) {
                    self.leave(child, building);
                }
                let nodes = self.known.nodes();
                let (below, height) = (nodes.below(child), nodes.height(child));
                if height <= usize::from(same) {
                    return;
                }
                let next = self.next(at, to, stored, model);
                let is_narrow = self.pairs.all[next as usize].bytes < FEW;
                if is_narrow || below & self.parting(next, height, model) != 0 {
                    self.part_pair(next, model, child, excepted, building);
                }
            }
        }
    }

    /// The pair that a step on which both go on leads to.
    fn next(&mut self, at: u32, to: Place, stored: u32, model: &Model) -> u32 {
        if let On::Both { next, .. } = self.pairs.steps[at as usize].on
            && next != NONE
        {
            return next;
        }
        let pair = self.pair(to, stored, model);
        if let On::Both { next, .. } = &mut self.pairs.steps[at as usize].on {
            *next = pair;
        }
        pair
    }

    /// Bytes, as [bits](super::nodes::bits), one of which is in every string of up to `length` that tells the two apart:
    /// below a node no higher and without such bytes they do the same. Where they may come apart later, that needs the byte
    /// that leads there as well, so either will do, and the rarer is taken.
    pub(super) fn parting(&mut self, pair: u32, length: usize, model: &Model) -> u128 {
        let Some(last) = length.checked_sub(1) else { return 0 };
        let parting = self.pairs.parting(pair);
        if let Some(&bits) = parting.get(last) {
            return bits;
        }
        let Pair { steps, bytes, steady, .. } = &self.pairs.all[pair as usize];
        if *bytes < FEW {
            let steps = &self.pairs.steps[steps.start as usize..steps.end as usize];
            return steps.iter().fold(0, |all, step| all | bits(step.bytes()));
        }
        match (steady, parting.last()) {
            (None, _) if length >= WORTH_STEADYING => {
                self.steady(pair, model);
                return self.parting(pair, length, model);
            }
            (Some(Steady::Always), Some(&bits)) => return bits,
            (Some(Steady::Ahead), Some(&bits)) if length <= AHEAD => return bits,
            _ if length > AHEAD => return u128::MAX,
            _ => {}
        }
        // So that those of all lengths up to this are known, in order.
        self.parting(pair, last, model);
        let bits = self.parted(pair, last, model);
        self.pairs.add_parting(pair, bits);
        bits
    }

    /// What tells two apart within one byte more than `last`.
    fn parted(&mut self, pair: u32, last: usize, model: &Model) -> u128 {
        let ways = self.ways(pair);
        let nodes = self.known.nodes();
        let mut bits = ways.apart;
        for at in ways.first..ways.end {
            let way = self.pairs.on[at as usize];
            if last <= usize::from(way.same) {
                continue;
            }
            let next = self.next(way.at, way.to, way.stored, model);
            let later = self.parting(next, last, model) & !bits;
            let now = way.bits & !bits;
            // Mostly the one is part of the other, which is rarer then.
            bits |= match now & later {
                both if both == now || both == later => both,
                _ if nodes.spread(now) < nodes.spread(later) => now,
                _ => later,
            };
        }
        bits
    }

    /// Finds what tells a pair, and all that it leads to, apart: for one byte more until that changes nothing, after
    /// which no more bytes do. Within a text that is searched for that is after a few, however long the text. Where a
    /// pair leads to many, nothing is found.
    fn steady(&mut self, pair: u32, model: &Model) {
        let (mut found, mut at) = (vec![pair], 0);
        // From how many bytes on all ways count, but for those that may after more than are looked ahead, and what they
        // lead to outside of these changes no more.
        let mut all_count = 1;
        let mut steady = Steady::Always;
        while at < found.len() && found.len() <= MOST_STEADIED {
            let ways = self.ways(found[at]);
            for way in ways.first..ways.end {
                let way = self.pairs.on[way as usize];
                if usize::from(way.same) == AHEAD {
                    steady = Steady::Ahead;
                    continue;
                }
                all_count = all_count.max(usize::from(way.same) + 1);
                let next = self.next(way.at, way.to, way.stored, model);
                let known = &self.pairs.all[next as usize];
                match known.steady {
                    _ if known.bytes < FEW => continue,
                    Some(Steady::Always) => {}
                    Some(Steady::Ahead) => steady = Steady::Ahead,
                    _ if found.contains(&next) => continue,
                    _ => {
                        found.push(next);
                        continue;
                    }
                }
                all_count = all_count.max(usize::from(known.parting.count));
            }
            at += 1;
        }
        found.iter().for_each(|&pair| self.pairs.all[pair as usize].steady = Some(Steady::No));
        if found.len() > MOST_STEADIED {
            return;
        }
        for last in 0..AHEAD {
            let mut changed = last <= all_count;
            for &pair in &found {
                let parting = self.pairs.parting(pair);
                let before = last.checked_sub(1).map(|before| parting[before]);
                let bits = match parting.get(last) {
                    Some(&bits) => bits,
                    None => {
                        let bits = self.parted(pair, last, model);
                        self.pairs.add_parting(pair, bits);
                        bits
                    }
                };
                changed |= before != Some(bits);
            }
            if !changed {
                let all = &mut self.pairs.all;
                found.iter().for_each(|&pair| all[pair as usize].steady = Some(steady));
                return;
            }
        }
    }

    /// Where two go on together.
    fn ways(&mut self, pair: u32) -> Ways {
        let &Pair { own, ref steps, ways, .. } = &self.pairs.all[pair as usize];
        if let Some(&ways) = self.pairs.ways.get(ways as usize) {
            return ways;
        }
        let after = bits(self.follow.bytes(self.follow.rule_of(own.0)));
        let mut apart = 0;
        let first = self.pairs.on.len();
        for at in steps.clone() {
            let step = self.pairs.steps[at as usize];
            let bits = bits(step.bytes());
            let On::Both { to, stored, same, differ, exits, stored_exits, .. } = step.on else {
                apart |= bits;
                continue;
            };
            if differ || exits != stored_exits && own.1 != BOTTOM {
                apart |= bits;
                continue;
            }
            // That one of them can be left shows on what may come then.
            if exits != stored_exits {
                apart |= after;
            }
            let on = &mut self.pairs.on[first..];
            match on.iter_mut().find(|way| (way.to, way.stored) == (to, stored)) {
                Some(way) => way.bits |= bits,
                None => self.pairs.on.push(Way { bits, to, stored, same, at }),
            }
        }
        let ways = Ways { apart, first: first as u32, end: self.pairs.on.len() as u32 };
        self.pairs.all[pair as usize].ways = self.pairs.ways.len() as u32;
        self.pairs.ways.push(ways);
        ways
    }

    /// What comes after the rule of a model.
    fn returned(&mut self, model: &Model) -> Returned {
        let (ret, parent) = self.sets.frame(model.frame);
        let at = self.sets.settled(ret, parent).at;
        let live = self.live(&at);
        let place = self.sets.one(at).map(|(state, frame)| self.through(state, frame));
        Returned { live, moves: place.map(|place| self.own_moves(place)) }
    }

    /// Whether what a walk comes to in a shared state goes on with nearly the same bytes as another: a chain's place that
    /// may be left, and one that may not.
    fn is_like(&mut self, place: Place, stored: u32) -> bool {
        let shared = self.follow.network().shared;
        self.own_moves(place).told_apart(self.known.moves(shared, stored)) < FEW
    }

    /// For how many bytes a place and a shared state over the frame of a model surely do the same.
    fn same(&self, (state, frame): Place, stored: u32, model: &Model) -> u8 {
        let network = self.follow.network();
        let is_shared = state < network.own.bases.states && stored != NONE;
        match is_shared && frame == model.frame {
            true => self.known.same_for(network.shared, (state, stored), AHEAD as u8),
            false => 0,
        }
    }

    fn pair(&mut self, own: Place, stored: u32, model: &Model) -> u32 {
        let key = (own, stored, model.frame);
        if let Some(&pair) = self.pairs.ids.get(&key) {
            return pair;
        }
        let network = self.follow.network();
        let known = self.known.moves(network.shared, stored);
        let moves = self.own_moves(own);
        let is_final = |state: u32| network.state(state).flags & state_flags::FINAL != 0;
        let at_bottom = model.frame == BOTTOM;
        let (ret, parent) = self.sets.frame(model.frame);
        let leaves = !at_bottom && self.sets.settled(ret, parent).exits;
        let after = (!at_bottom && is_final(stored)).then(|| self.returned(model));
        let returns = after.as_ref().map_or(ByteSet::EMPTY, |after| after.live);
        let from = self.pairs.steps.len() as u32;
        let mut bytes = 0;
        let mut last_same = None;
        let mut runs = moves.runs();
        for byte in moves.differing(known, model.frame).union(returns).iter() {
            while let [run, rest @ ..] = runs
                && run.hi < byte
            {
                runs = rest;
            }
            let to = runs.first().filter(|run| run.lo <= byte).map_or(NOWHERE, |run| run.to);
            let stored = known.to[usize::from(byte)];
            let calls = known.calls.contains(byte);
            let unclear = moves.unclear.contains(byte) || calls;
            let left = known.leave.contains(byte);
            let (ends, exits) = (moves.ends.contains(byte), moves.exits.contains(byte));
            // Where both come to what is after the rule of the model, its exits say what becomes of that.
            if left && ends && !unclear && model.after == Some((to, true, exits)) {
                continue;
            }
            let mut both = stored != NONE || left || calls;
            if let Some(after) = after.as_ref().filter(|_| returns.contains(byte)) {
                if !both && !unclear && after.leads(byte, to, ends, exits) {
                    continue;
                }
                both = true;
            }
            let same = match last_same {
                Some((two, same)) if two == (to, stored) => same,
                _ => self.same(to, stored, model),
            };
            last_same = Some(((to, stored), same));
            let on = if !unclear && to.0 == NONE {
                if !both {
                    continue;
                }
                On::Lost
            } else if unclear
                || stored == NONE
                || left
                || returns.contains(byte)
                || to.0 < network.own.bases.states && same == 0 && !self.is_like(to, stored)
            {
                On::Alone { excepted: both }
            } else {
                let differ = ends != known.ends.contains(byte);
                let stored_exits = is_final(stored);
                // What comes after the rule of the model is told apart by the bytes that it goes on with.
                match stored_exits && !at_bottom && (differ || leaves && !exits) {
                    true => On::Alone { excepted: true },
                    false => {
                        let stored_exits = stored_exits && at_bottom;
                        On::Both { to, stored, same, next: NONE, differ, ends, exits, stored_exits }
                    }
                }
            };
            bytes += 1;
            match self.pairs.steps[from as usize..].last_mut() {
                Some(last) if last.on == on && last.hi.checked_add(1) == Some(byte) => {
                    last.hi = byte
                }
                _ => self.pairs.steps.push(Step { lo: byte, hi: byte, on }),
            }
        }
        let pair = self.pairs.all.len() as u32;
        let steps = from..self.pairs.steps.len() as u32;
        self.pairs.all.push(Pair {
            own,
            steps,
            bytes,
            ways: NONE,
            parting: Parting::default(),
            steady: None,
        });
        self.pairs.ids.insert(key, pair);
        pair
    }
}
