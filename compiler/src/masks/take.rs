//! Base masks taken over from shared states.
//!
//! Most wide masks of a grammar differ from one of the vocabulary's in a few tokens: in a state before the rest of a
//! string they are those of any string and what may follow it, inside a key of an object that may have other keys those
//! of any string but for the tokens that go on with the key. Such an outcome is the shared state's, but for some
//! subtrees, and what is walked there.
//!
//! The state `q` and the shared state `k` run over the trie side by side. They agree at a node where `q`'s
//! configuration is `k`'s state, or one alike, over the one frame `f` that all of `q`'s agreement is over: below such a
//! node the tokens are `k`'s, and where `k` exits the walk goes on from `f`. Below a node where they do not agree, both
//! go on side by side, so that only the path along which they part is excepted.
//!
//! Cost: O(children of the nodes along that path), whatever the size of the mask.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;

use super::outcome::{Outcome, Taken, minus};
use super::shared::{Moves, class_nodes};
use super::walk::{Building, WORTH_REMEMBERING, Walker};
use crate::ir::ByteSet;
use crate::network::local::{At, BOTTOM};

/// Where a state of the grammar leads by single bytes.
pub(super) struct OwnMoves {
    /// By byte, the state, calls looked through and shared states by the lowest of those alike; or [`NONE`].
    states: [u32; 256],
    /// By byte, the local frame.
    frames: [u32; 256],
    /// Bytes after which a token may end.
    ends: ByteSet,
    /// Bytes after which the rule can be left.
    exits: ByteSet,
    /// Bytes of which this does not tell.
    unclear: ByteSet,
    /// The shared state, over a frame, that this was first held against, and the bytes on which they part. The states
    /// of a key are met again from each of those before them.
    parting: OnceLock<((u32, u32), ByteSet)>,
}

/// Bytes that are looked ahead for a state to take over from: a string with a minimum of a few characters is like any
/// string behind them.
const AHEAD: usize = 3;

/// States whose moves are remembered at once: some 8 MB.
const MOST_MOVES: usize = 4096;

impl OwnMoves {
    fn to(&self, byte: u8) -> (u32, u32) {
        (self.states[usize::from(byte)], self.frames[usize::from(byte)])
    }

    fn set(&mut self, bytes: ByteSet, (state, frame): (u32, u32)) {
        for (lo, hi) in bytes.ranges() {
            let range = usize::from(lo)..=usize::from(hi);
            self.states[range.clone()].fill(state);
            self.frames[range].fill(frame);
        }
    }

    /// Bytes on which this and the shared state `stored` over `frame`, whose moves are `known`, may part.
    fn differing(&self, stored: u32, known: &Moves, frame: u32) -> ByteSet {
        let (first, bytes) =
            self.parting.get_or_init(|| ((stored, frame), self.find_differing(known, frame)));
        match *first == (stored, frame) {
            true => *bytes,
            false => self.find_differing(known, frame),
        }
    }

    fn find_differing(&self, known: &Moves, frame: u32) -> ByteSet {
        let words = std::array::from_fn(|word| {
            (0..32).fold(0, |bits, bit| {
                let byte = 32 * word + bit;
                let (state, over) = (self.states[byte], self.frames[byte]);
                let same = (state == known.to[byte]) & ((over == frame) | (state == NONE));
                bits | u32::from(!same) << bit
            })
        });
        let [more, less] = [self.ends.minus(known.ends), known.ends.minus(self.ends)];
        let sets = [more, less, self.unclear, known.calls, known.leave];
        sets.into_iter().fold(ByteSet::from_words(words), ByteSet::union)
    }

    /// Maximal runs of bytes that lead to the same: where, the first byte, and how many.
    fn runs(&self) -> impl Iterator<Item = ((u32, u32), u8, usize)> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = next;
            let to = self.to(u8::try_from(first).ok()?);
            next += (first..256).take_while(|&byte| self.to(byte as u8) == to).count();
            Some((to, first as u8, next - first))
        })
    }

    /// The longest run that leads somewhere.
    fn widest(&self) -> Option<((u32, u32), u8, usize)> {
        self.runs().filter(|(to, ..)| to.0 != NONE).max_by_key(|(_, _, run)| *run)
    }
}

/// A shared state to take over from, and the frame that it is over.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Model {
    state: u32,
    frame: u32,
    /// Where it goes on over its frame when its rule is left, where that is one state, and whether a token may end and
    /// the rule of the walk be left there.
    after: Option<((u32, u32), bool, bool)>,
}

/// What is excepted, as ranges of nodes.
#[derive(Default)]
pub(super) struct Excepted(Vec<Range<u32>>);

impl Excepted {
    /// Nodes are excepted in ascending order.
    pub(super) fn add(&mut self, nodes: Range<u32>) {
        match self.0.last_mut() {
            Some(last) if last.end == nodes.start => last.end = nodes.end,
            _ => self.0.push(nodes),
        }
    }

    /// Those of some nodes, in ascending order, that are not excepted, and those that are.
    pub(super) fn split(&self, nodes: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let (mut kept, mut gone) = (Vec::with_capacity(nodes.len()), Vec::new());
        let mut rest = nodes;
        for range in &self.0 {
            let (before, from) = rest.split_at(rest.partition_point(|&node| node < range.start));
            let (within, past) = from.split_at(from.partition_point(|&node| node < range.end));
            kept.extend_from_slice(before);
            gone.extend_from_slice(within);
            rest = past;
        }
        kept.extend_from_slice(rest);
        (kept, gone)
    }

    /// Ranks of the tokens of the excepted nodes.
    pub(super) fn ranks(&self, trie: Trie<'_>) -> Vec<Range<u32>> {
        let rank = |node: u32| trie.rank[node as usize];
        let mut ranks: Vec<Range<u32>> = Vec::with_capacity(self.0.len());
        for nodes in &self.0 {
            let more = rank(nodes.start)..rank(nodes.end);
            match ranks.last_mut() {
                _ if more.is_empty() => {}
                Some(last) if last.end == more.start => last.end = more.end,
                _ => ranks.push(more),
            }
        }
        ranks
    }
}

impl Walker<'_> {
    /// Takes the outcome at the root over from a shared state, where there is one that is worth it.
    pub(super) fn take(&mut self, at: At, building: &mut Building) -> bool {
        let Some((state, frame)) = self.sets.one(at) else { return false };
        let (state, frame) = self.through(state, frame);
        let network = self.follow.network();
        if state < network.own.bases.states {
            let model = Model { state, frame, after: None };
            let worth = self.is_worth(model);
            if worth {
                self.take_over(model, Excepted::default(), building);
            }
            return worth;
        }
        let live = self.live(&At::One(state, BOTTOM));
        if !live.has_at_least(WORTH_REMEMBERING) {
            return false;
        }
        let moves = self.own_moves(state, frame);
        let Some(mut model) = self.model(&moves) else { return false };
        model.after = self.after(model.frame);
        let mut excepted = Excepted::default();
        self.part((state, frame), &moves, model.state, model, 0, &mut excepted, building);
        self.take_over(model, excepted, building);
        true
    }

    fn is_worth(&self, model: Model) -> bool {
        let shared = self.follow.network().shared;
        let base = shared.states[model.state as usize].base;
        self.sets.frame_rests(model.frame)
            && self.known.source(shared, self.trie, model.state, 0).is_some()
            && shared.masks[base as usize].count >= self.worth
    }

    /// The shared state to take over from: the first that fits a run of these moves, the longest runs first, or of those
    /// of a state that they lead to.
    fn model(&mut self, moves: &Arc<OwnMoves>) -> Option<Model> {
        let own = self.follow.network().own.bases.states;
        let mut moves = Arc::clone(moves);
        let mut path = Vec::new();
        loop {
            let mut runs: Vec<_> = moves.runs().filter(|((state, _), ..)| *state < own).collect();
            runs.sort_by_key(|&(_, _, run)| std::cmp::Reverse(run));
            for ((state, frame), byte, _) in runs {
                let Some(source) = self.known.source_on(state, byte) else { continue };
                let model = Model { state: source, frame, after: None };
                path.push(byte);
                if self.is_worth(model) && self.leads_to(source, &path, state) {
                    return Some(model);
                }
                path.pop();
            }
            if path.len() == AHEAD {
                return None;
            }
            let ((state, frame), byte, _) = moves.widest()?;
            path.push(byte);
            moves = self.own_moves(state, frame);
        }
    }

    /// Where a walk goes on over a frame when its callee is left.
    fn after(&mut self, frame: u32) -> Option<((u32, u32), bool, bool)> {
        if frame == BOTTOM {
            return None;
        }
        let (ret, parent) = self.sets.frame(frame);
        let reached = self.sets.settled(ret, parent);
        let (state, frame) = self.sets.one(reached.at)?;
        let (state, frame) = self.through(state, frame);
        Some(((self.like(state), frame), reached.ends, reached.exits))
    }

    /// A state of the grammar's, or the lowest of the shared ones that are alike.
    fn like(&self, state: u32) -> u32 {
        let own = self.follow.network().own.bases.states;
        if state < own { self.known.like(state) } else { state }
    }

    /// Whether a shared state goes to another, or one alike, on some bytes.
    fn leads_to(&self, mut state: u32, bytes: &[u8], target: u32) -> bool {
        let shared = self.follow.network().shared;
        for &byte in bytes {
            if state == NONE {
                return false;
            }
            state = self.known.moves(shared, state).to[usize::from(byte)];
        }
        state == target
    }

    /// Excepts what becomes of the strings below `node` where `from`, whose moves these are, and the model, in the state
    /// `at`, part; and adds what becomes of them instead.
    #[expect(clippy::too_many_arguments, reason = "two automata side by side")]
    fn part(
        &mut self,
        (state, frame): (u32, u32),
        moves: &OwnMoves,
        at: u32,
        model: Model,
        node: u32,
        excepted: &mut Excepted,
        building: &mut Building,
    ) {
        let network = self.follow.network();
        let known = self.known.moves(network.shared, at);
        let differing = moves.differing(at, known, model.frame);
        for (byte, child) in self.known.children().on_any(node, differing) {
            let (to, stored) = (moves.to(byte), known.to[usize::from(byte)]);
            let subtree = child..self.trie.end[child as usize];
            let unclear = moves.unclear.contains(byte) || known.calls.contains(byte);
            let left = known.leave.contains(byte);
            let ends = moves.ends.contains(byte);
            // Where both come to what is after the rule of the model, its exits say what becomes of that.
            let here = Some((to, true, moves.exits.contains(byte)));
            if left && ends && !unclear && model.after == here {
                continue;
            }
            let nothing = stored == NONE && !left && !known.calls.contains(byte);
            if !unclear && to.0 == NONE {
                if !nothing {
                    excepted.add(subtree);
                }
                continue;
            }
            if unclear || nothing || left || to.0 < network.own.bases.states {
                if !nothing {
                    excepted.add(subtree);
                }
                self.visit(At::One(state, frame), child, building);
                continue;
            }
            excepted.add(child..child + 1);
            if ends {
                building.outcome.add_span(self.trie.tokens_at(child));
            }
            if self.trie.is_leaf(child) {
                continue;
            }
            if moves.exits.contains(byte) {
                self.leave(child, building);
            }
            let next = self.own_moves(to.0, to.1);
            self.part(to, &next, stored, model, child, excepted, building);
        }
    }

    /// Adds the model's tokens and what comes after its exits, but for what is excepted.
    fn take_over(&mut self, model: Model, excepted: Excepted, building: &mut Building) {
        let shared = self.follow.network().shared;
        let class = shared.states[model.state as usize].exits;
        let nodes = class_nodes(shared, class);
        let (kept, gone) = excepted.split(nodes);
        if model.frame == BOTTOM {
            kept.iter().for_each(|&node| self.leave(node, building));
        } else if class != NONE {
            self.leave_over(model.frame, class, (&kept, &gone), building);
        }
        let except = excepted.ranks(self.trie);
        building.outcome.taken = Some(Taken { state: model.state, except });
    }

    /// Adds what comes after the nodes `kept` of a shared exit class, which are all of them but `gone`. What comes after
    /// the whole class is found once and then cut, where no node of the class is below another: a state before a key
    /// and those within it go on alike after the key's end.
    fn leave_over(
        &mut self,
        frame: u32,
        class: u32,
        (kept, gone): (&[u32], &[u32]),
        building: &mut Building,
    ) {
        let (ret, parent) = self.sets.frame(frame);
        let trie = self.trie;
        let whole = match self.after_class.get(&(class, frame)) {
            Some(whole) => Arc::clone(whole),
            None => {
                let nodes = class_nodes(self.follow.network().shared, class);
                if nodes.windows(2).any(|pair| pair[1] < trie.end[pair[0] as usize]) {
                    return self.leave_through(ret, parent, class, kept, building);
                }
                let mut building = Building { outcome: Outcome::default(), after: ByteSet::FULL };
                self.leave_through(ret, parent, class, nodes, &mut building);
                building.outcome.normalize();
                let whole = Arc::new(building.outcome);
                self.after_class.insert((class, frame), Arc::clone(&whole));
                whole
            }
        };
        let gaps: Vec<Range<u32>> = gone.iter().map(|&node| trie.tokens_below(node)).collect();
        let spans = minus(&whole.spans, &gaps);
        spans.into_iter().for_each(|span| building.outcome.add_span(span));
        for &exit in &whole.exits {
            let before = gone.partition_point(|&node| node <= exit).checked_sub(1);
            if before.is_none_or(|at| trie.end[gone[at] as usize] <= exit) {
                self.leave(exit, building);
            }
        }
    }

    /// Where a state of the grammar leads over a frame. Remembered for a while.
    fn own_moves(&mut self, state: u32, frame: u32) -> Arc<OwnMoves> {
        if let Some(moves) = self.moves.get(&(state, frame)) {
            return Arc::clone(moves);
        }
        let moves = Arc::new(self.find_moves(state, frame));
        if self.moves.len() >= MOST_MOVES {
            self.moves.clear();
        }
        self.moves.insert((state, frame), Arc::clone(&moves));
        moves
    }

    fn find_moves(&mut self, state: u32, frame: u32) -> OwnMoves {
        let network = self.follow.network();
        let (tables, index) = network.locate(state);
        let own = network.own.bases.states;
        let mut moves = OwnMoves {
            states: [NONE; 256],
            frames: [NONE; 256],
            ends: ByteSet::EMPTY,
            exits: ByteSet::EMPTY,
            unclear: ByteSet::EMPTY,
            parting: OnceLock::new(),
        };
        let mut seen = ByteSet::EMPTY;
        for edge in tables.byte_edges_of(index) {
            let bytes = ByteSet::range(edge.lo(), edge.hi());
            seen = seen.union(bytes);
            let reached = self.sets.settled(edge.target, frame);
            let At::One(target, over) = reached.at else {
                moves.unclear = moves.unclear.union(bytes);
                continue;
            };
            let (target, over) = self.through(target, over);
            moves.set(bytes, (self.like(target), over));
            if reached.ends {
                moves.ends = moves.ends.union(bytes);
            }
            if reached.exits {
                moves.exits = moves.exits.union(bytes);
            }
        }
        for call in tables.call_edges_of(index) {
            let callee = network.rule(call.callee);
            let bytes = ByteSet::from_words(callee.first_bytes);
            let twice = seen.intersect(bytes);
            let over = if call.ret == NONE { frame } else { self.sets.push(call.ret, frame) };
            let (first, over) = self.through(callee.first_state, over);
            seen = seen.union(bytes);
            moves.unclear = moves.unclear.union(twice);
            if first >= own || !self.sets.frame_rests(over) {
                moves.unclear = moves.unclear.union(bytes);
                continue;
            }
            let known = self.known.moves(network.shared, first);
            moves.unclear = moves.unclear.union(known.calls.union(known.leave).intersect(bytes));
            for (lo, hi) in bytes.minus(twice).ranges() {
                let range = usize::from(lo)..=usize::from(hi);
                moves.states[range.clone()].copy_from_slice(&known.to[range.clone()]);
                moves.frames[range].fill(over);
            }
            moves.ends = moves.ends.union(known.ends.intersect(bytes.minus(twice)));
        }
        if self.follow.is_final(state) && frame != BOTTOM {
            let (ret, parent) = self.sets.frame(frame);
            moves.unclear = moves.unclear.union(self.live(&At::One(ret, parent)));
        }
        moves
    }
}
