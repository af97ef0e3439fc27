//! Wide states of a grammar as one table, so that a walk of the trie is one look-up a node, and the subtrees that such
//! a state accepts as a whole.
//!
//! A row says for each class of bytes what becomes of a state on its own, with nothing on the local stack. Rows lead to
//! rows; where one leads to any other state, or a byte begins a call, the walk goes on as walks do.
//!
//! A state *loops* on a byte if the target is k-equivalent to the state. A subtree of height at most `k` without other
//! bytes is accepted as a whole.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::class_history::ClassHistories;
use super::own_transitions::OwnTransitionLists;
use super::self_loops::SelfLoops;
use crate::budget::{Budget, Spent};
use crate::ir::ByteSet;
use crate::masks::trie::byte_bits::bits;
use crate::network::bytes_on;
use crate::threads::Context;

/// The most shapes of rows that are distinguished: as many as a word has bits.
const MOST_SHAPES: usize = 64;

/// Rows that are worth a second thread.
const WORTH_A_THREAD: usize = 2048;

/// Steps of a budget that the loops of a state take, about.
const STEPS_OF_LOOPS: usize = 1 << 6;

/// Transition of a state on a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transition(u32);

impl Transition {
    const ENDS: u32 = 1;
    const EXITS: u32 = 2;
    const ROW: u32 = 4;
    const OTHER: u32 = 8;
    const CALL: u32 = 16;

    /// Whether the string ends here, and with it all that begin with it.
    #[inline]
    pub(crate) fn is_dead(self) -> bool {
        self.0 == 0
    }

    /// Whether the target is live but has no outgoing transition.
    #[inline]
    pub(crate) fn is_last(self) -> bool {
        !self.is_dead() && self.0 & (Self::ROW | Self::OTHER | Self::CALL) == 0
    }

    /// Whether the byte begins a call.
    #[inline]
    pub(crate) fn is_call(self) -> bool {
        self.0 & Self::CALL != 0
    }

    /// Whether a token may end here.
    #[inline]
    pub(crate) fn ends(self) -> bool {
        self.0 & Self::ENDS != 0
    }

    /// Whether the rule can be left here.
    #[inline]
    pub(crate) fn exits(self) -> bool {
        self.0 & Self::EXITS != 0
    }

    /// The row that it leads to.
    #[inline]
    pub(crate) fn row(self) -> Option<u32> {
        (self.0 & Self::ROW != 0).then_some(self.0 >> 5)
    }

    /// The index of the state without a row that it leads to.
    #[inline]
    pub(crate) fn other(self) -> Option<u32> {
        (self.0 & Self::OTHER != 0).then_some(self.0 >> 5)
    }
}

/// The rows of some states.
#[derive(Debug)]
pub(crate) struct TransitionTable {
    class_of: [u8; 256],
    width: usize,
    entries: Vec<Transition>,
    /// By row, its state.
    states: Vec<u32>,
    /// By row.
    loops: Vec<SelfLoops>,
    /// By row, the bits of any bytes on which it goes on.
    live: Vec<u128>,
    /// By row, its shape, if some state has a reference; and by shape, the first bytes of the runs of bytes on which
    /// such a row has equal transitions. States of one chain have one shape.
    shapes: Vec<u8>,
    cuts: Vec<ByteSet>,
    /// By row, the classes of its state.
    histories: ClassHistories,
}

impl Default for TransitionTable {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            class_of: [0; 256],
            width: 0,
            entries: Vec::new(),
            states: none(),
            loops: Vec::new(),
            live: Vec::new(),
            shapes: Vec::new(),
            cuts: Vec::new(),
            histories: ClassHistories::default(),
        }
    }
}

/// Transitions of some states on each byte, whatever is known of how long they do the same.
pub(crate) struct TableBuilder {
    class_of: [u8; 256],
    width: usize,
    entries: Vec<Transition>,
    /// By row.
    states: Vec<u32>,
    calls: Vec<ByteSet>,
    begins: Vec<ByteSet>,
    live: Vec<u128>,
}

impl TableBuilder {
    /// Of the own states with some indices; by the index of any own state, its row among these, or `NONE`.
    pub(crate) fn new(
        network: Joined<'_>,
        transitions: &OwnTransitionLists,
        active: &[u32],
        row_of: &[u32],
        budget: &Budget,
    ) -> Self {
        let own = network.own;
        let states: Vec<u32> = active.iter().map(|&index| own.bases.states + index).collect();
        let calls = states.iter().map(|&state| {
            let calls = transitions.of(network, state).calls.iter();
            calls.fold(ByteSet::EMPTY, |bytes, call| {
                bytes.union(ByteSet::from_words(network.rule(call.callee).first_bytes))
            })
        });
        let calls: Vec<ByteSet> = calls.collect();
        let begins = states.iter().zip(&calls).map(|(&state, calls)| {
            let edges = transitions.of(network, state).edges.iter();
            ByteSet::bounds_of(edges.map(|edge| (edge.lo(), edge.hi())).chain(calls.ranges()))
        });
        let begins: Vec<ByteSet> = begins.collect();
        let class_of = runs_of(begins.iter().copied().fold(ByteSet::EMPTY, ByteSet::union));
        let class = class_of[usize::from(u8::MAX)];
        let width = usize::from(class) + 1;
        let mut entries = vec![Transition::default(); width * states.len()];
        let mut live = Vec::with_capacity(states.len());
        for ((&state, calls), row) in states.iter().zip(&calls).zip(entries.chunks_mut(width)) {
            let edges = transitions.of(network, state).edges;
            if budget.spend(width + edges.len()).is_err() {
                break;
            }
            for edge in edges {
                let target = (edge.target - own.bases.states) as usize;
                let flags = own.states[target].flags;
                let is = |flag: u32, bit: u32| if flags & flag != 0 { bit } else { 0 };
                let on = match (flags & state_flags::POP_ONLY != 0, row_of[target]) {
                    (true, _) => Transition::ENDS | Transition::EXITS,
                    (false, NONE) => Transition::OTHER | (target as u32) << 5,
                    (false, row) => Transition::ROW | row << 5,
                };
                let flags = is(state_flags::FINAL, Transition::EXITS)
                    | is(state_flags::RESTS, Transition::ENDS);
                let classes =
                    [edge.lo(), edge.hi()].map(|byte| usize::from(class_of[usize::from(byte)]));
                row[classes[0]..=classes[1]].fill(Transition(on | flags));
            }
            for byte in calls.iter() {
                row[usize::from(class_of[usize::from(byte)])] = Transition(Transition::CALL);
            }
            live.push(bits(bytes_on(edges).union(*calls)));
        }
        Self { class_of, width, entries, states, calls, begins, live }
    }

    /// By row, the loops of its state.
    pub(crate) fn loops(
        &self,
        network: Joined<'_>,
        transitions: &OwnTransitionLists,
        histories: &ClassHistories,
        Context { budget, threads }: Context<'_>,
    ) -> Vec<SelfLoops> {
        let rows: Vec<(u32, ByteSet)> =
            self.states.iter().copied().zip(self.calls.iter().copied()).collect();
        let new = |(): &mut (), &(state, calls): &(u32, ByteSet)| match budget.spend(STEPS_OF_LOOPS)
        {
            Ok(()) => SelfLoops::new(network, transitions, histories, state, calls),
            Err(Spent) => SelfLoops { all: SmallVec::new(), is_final: false },
        };
        threads.map(rows.len() >= WORTH_A_THREAD, &rows, || (), new)
    }
}

impl TransitionTable {
    /// The rows of a table, in the order of their histories.
    pub(crate) fn new(
        table: TableBuilder,
        loops: Vec<SelfLoops>,
        has_references: bool,
        histories: ClassHistories,
    ) -> Self {
        let TableBuilder { class_of, width, entries, states, begins, live, .. } = table;
        let mut of_rows = ByteClassSets::default();
        // Nobody asks for shapes where no state has a reference.
        let shapes = match has_references {
            true => begins.into_iter().map(|cuts| of_rows.number(cuts)).collect(),
            false => Vec::new(),
        };
        let cuts = of_rows.cuts;
        Self { class_of, width, entries, states, loops, live, shapes, cuts, histories }
    }

    /// Bytes that they take, about.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.loops)
    }

    /// The classes of the states.
    #[inline]
    pub(crate) fn histories(&self) -> &ClassHistories {
        &self.histories
    }

    /// The state of a row.
    #[inline]
    pub(crate) fn state(&self, row: u32) -> u32 {
        self.states[row as usize]
    }

    /// The shape of a row, as the bit of a word.
    #[inline]
    pub(crate) fn shape(&self, row: u32) -> u64 {
        1 << self.shapes[row as usize]
    }

    /// Returns the first bytes of the runs on which each row of some shapes has equal transitions.
    pub(crate) fn cuts(&self, shapes: u64) -> ByteSet {
        let of = self.cuts.iter().enumerate().filter(|(shape, _)| shapes >> shape & 1 == 1);
        of.fold(ByteSet::EMPTY, |all, (_, cuts)| all.union(*cuts))
    }

    /// The class of a byte.
    #[inline]
    pub(crate) fn class_of(&self, byte: u8) -> usize {
        usize::from(self.class_of[usize::from(byte)])
    }

    /// The transition of a row's state on a byte of a class.
    #[inline]
    pub(crate) fn on_class(&self, row: u32, class: usize) -> Transition {
        self.entries[row as usize * self.width + class]
    }

    /// Returns bits of the distinguishing bytes of two rows. A node no higher than `height`, without any of these bytes
    /// below it, need not be visited if both rows agree at the node. The strings after the rule of `row` begin with
    /// bytes of `after`.
    pub(crate) fn distinguishing_bytes(
        &self,
        [row, like]: [u32; 2],
        height: usize,
        after: u128,
    ) -> u128 {
        let of = |row: u32| (&self.loops[row as usize], self.live[row as usize]);
        let ((one, live), (other, live_like)) = (of(row), of(like));
        let after = if one.is_final == other.is_final { 0 } else { after };
        (live | live_like) & !(one.on(height) & other.on(height)) | after
    }

    /// The transition of a row's state on a byte.
    #[inline]
    pub(crate) fn on(&self, row: u32, byte: u8) -> Transition {
        self.on_class(row, self.class_of(byte))
    }

    /// Whether every string of these bytes, none of them longer than `height`, keeps a row's state as it is, where
    /// `after` may come after its rule.
    #[inline]
    pub(crate) fn loops(&self, row: u32, bytes: u128, height: usize, after: u128) -> bool {
        let loops = &self.loops[row as usize];
        bytes & !loops.on(height) == 0 && !(loops.is_final && bytes & after != 0)
    }
}

/// The shapes met so far, by their cuts.
#[derive(Default)]
struct ByteClassSets {
    numbers: FxHashMap<ByteSet, u8>,
    cuts: Vec<ByteSet>,
}

impl ByteClassSets {
    /// The number of the shape with these cuts. The last is shared by all cuts without a bit of their own.
    fn number(&mut self, cuts: ByteSet) -> u8 {
        if let Some(&shape) = self.numbers.get(&cuts) {
            return shape;
        }
        let shape = self.cuts.len().min(MOST_SHAPES - 1);
        match self.cuts.get_mut(shape) {
            Some(all) => *all = all.union(cuts),
            None => self.cuts.push(cuts),
        }
        self.numbers.insert(cuts, shape as u8);
        shape as u8
    }
}

/// By byte, the number of the run that it is in, where runs begin at these bytes.
pub(crate) fn runs_of(cuts: ByteSet) -> [u8; 256] {
    let mut runs = [0; 256];
    let mut run = 0;
    for byte in 1..=u8::MAX {
        run += u8::from(cuts.contains(byte));
        runs[usize::from(byte)] = run;
    }
    runs
}
