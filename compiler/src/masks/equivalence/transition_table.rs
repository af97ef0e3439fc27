//! Wide states of a grammar, those with many outgoing bytes, as one table. A walk of the trie then makes one look-up
//! for each node, and skips the subtrees that such a state accepts as a whole.
//!
//! A row has, for each class of bytes, the transition of one state with an empty local stack. Rows lead to rows. Where
//! a transition leads to another state, or a byte begins a call, the walk continues without the table.
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

/// The most shapes of rows that are distinguished, one for each bit of a 64-bit word. A shape is a partition of the
/// bytes into runs on which a row of the transition table is constant. Beyond the limit, all further rows share the
/// last shape, which unites their partitions.
const MOST_SHAPES: usize = 64;

/// Number of rows of the transition table from which on several threads find the states with self-loops.
const WORTH_A_THREAD: usize = 2048;

/// Steps of the budget that are charged for the self-loops of one state: an estimate.
const STEPS_OF_LOOPS: usize = 1 << 6;

/// Transition of a state on a byte, packed in a word. The lowest five bits are flags. The other bits are the target's
/// row in the transition table, or its index among the grammar's states if it has no row. Zero if there is no
/// transition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transition(u32);

impl Transition {
    /// Flag: a token may end at the target of the transition.
    const ENDS: u32 = 1;
    /// Flag: the rule may return at the target of the transition.
    const EXITS: u32 = 2;
    /// Flag: the upper bits are the target's row in the transition table.
    const ROW: u32 = 4;
    /// Flag: the upper bits are the index, among the grammar's states, of a target that has no row of the transition
    /// table.
    const OTHER: u32 = 8;
    /// Flag: the byte begins a call, which the table does not describe.
    const CALL: u32 = 16;

    /// Whether there is no transition: the state cannot continue with the byte.
    #[inline]
    pub(crate) fn is_dead(self) -> bool {
        self.0 == 0
    }

    /// Whether the byte leads to a target that has no outgoing transition. A token may end there.
    #[inline]
    pub(crate) fn is_last(self) -> bool {
        !self.is_dead() && self.0 & (Self::ROW | Self::OTHER | Self::CALL) == 0
    }

    /// Whether the byte begins a call, which the table does not describe.
    #[inline]
    pub(crate) fn is_call(self) -> bool {
        self.0 & Self::CALL != 0
    }

    /// Whether a token may end at the target of the transition.
    #[inline]
    pub(crate) fn ends(self) -> bool {
        self.0 & Self::ENDS != 0
    }

    /// Whether the rule may return at the target of the transition.
    #[inline]
    pub(crate) fn exits(self) -> bool {
        self.0 & Self::EXITS != 0
    }

    /// Returns the index of the target state's row in the transition table. `None` if the target has no row or no
    /// outgoing transition, or if the byte begins a call.
    #[inline]
    pub(crate) fn row(self) -> Option<u32> {
        (self.0 & Self::ROW != 0).then_some(self.0 >> 5)
    }

    /// Returns the index, among the grammar's states, of a target without a row of the transition table. `None` for all
    /// other transitions.
    #[inline]
    pub(crate) fn other(self) -> Option<u32> {
        (self.0 & Self::OTHER != 0).then_some(self.0 >> 5)
    }
}

/// Transitions of wide states (many outgoing bytes), one row for each state and one column for each class of bytes.
#[derive(Debug)]
pub(crate) struct TransitionTable {
    /// Maps each byte to its class of bytes with equal transitions: the column of the table.
    class_of: [u8; 256],
    /// Number of byte classes, which is the number of entries in each row of the transition table.
    width: usize,
    /// The transitions of all rows of the transition table, one row after another.
    entries: Vec<Transition>,
    /// For each row of the transition table, the id of its state.
    states: Vec<u32>,
    /// For each row of the transition table, the bytes on which its state loops, each to an equivalent state.
    loops: Vec<SelfLoops>,
    /// For each row of the transition table, the bytes that its state can consume: a set of byte classes, one bit each,
    /// made by [`bits`].
    live: Vec<u128>,
    /// For each row of the transition table, the index of its shape. A shape is a partition of the bytes into runs on
    /// which a row is constant. States that count the same characters have one shape. Empty if no mask is derived from
    /// that of a reference.
    shapes: Vec<u8>,
    /// For each shape, the first bytes of its runs. A shape is a partition of the bytes into runs on which a row is
    /// constant.
    cuts: Vec<ByteSet>,
    /// The row of each state in the table. For each row, the k-equivalence classes (equality up to `k` bytes) of its
    /// state.
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

/// The transition table of states with many outgoing bytes, before their equivalence classes are known.
pub(crate) struct TableBuilder {
    /// Maps each byte to its class of bytes with equal transitions: the column of the table.
    class_of: [u8; 256],
    /// Number of byte classes, which is the number of entries in each row of the transition table.
    width: usize,
    /// The transitions of all rows of the transition table, one row after another.
    entries: Vec<Transition>,
    /// For each row of the transition table, the id of its state.
    states: Vec<u32>,
    /// For each row of the transition table, the first bytes of the calls of its state.
    calls: Vec<ByteSet>,
    /// For each row of the transition table, the first bytes of the runs on which its state has equal transitions.
    begins: Vec<ByteSet>,
    /// For each row of the transition table, the bytes that its state can consume: a set of byte classes, one bit each,
    /// made by [`bits`].
    live: Vec<u128>,
}

impl TableBuilder {
    /// Builds the transitions of the `active` states, given by index and in the order of the rows of the transition
    /// table. `row_of` has, for each state of the grammar by index, its row, or `NONE`. Incomplete once the budget is
    /// spent.
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

    /// Returns, for each row of the transition table, the bytes on which its state loops, each to an equivalent state.
    /// They are empty once the budget is spent.
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
    /// Completes a table with the self-loops and the k-equivalence classes (equality up to `k` bytes) of each row.
    /// Shapes of rows are computed only if some mask is derived from a reference's.
    pub(crate) fn new(
        table: TableBuilder,
        loops: Vec<SelfLoops>,
        has_references: bool,
        histories: ClassHistories,
    ) -> Self {
        let TableBuilder { class_of, width, entries, states, begins, live, .. } = table;
        let mut of_rows = ByteClassSets::default();
        // Shapes are needed only if some state has a reference.
        let shapes = match has_references {
            true => begins.into_iter().map(|cuts| of_rows.number(cuts)).collect(),
            false => Vec::new(),
        };
        let cuts = of_rows.cuts;
        Self { class_of, width, entries, states, loops, live, shapes, cuts, histories }
    }

    /// Returns the approximate memory of the table, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.loops)
    }

    /// Returns, for each row of the transition table, the k-equivalence classes (equality up to `k` bytes) of its
    /// state.
    #[inline]
    pub(crate) fn histories(&self) -> &ClassHistories {
        &self.histories
    }

    /// Returns the id of the state whose row of the transition table is `row`.
    #[inline]
    pub(crate) fn state(&self, row: u32) -> u32 {
        self.states[row as usize]
    }

    /// Returns the shape of a row of the transition table, as a word with one bit set. Rows of one shape have the same
    /// runs of bytes with equal transitions, unless there are more than [`MOST_SHAPES`] shapes.
    #[inline]
    pub(crate) fn shape(&self, row: u32) -> u64 {
        1 << self.shapes[row as usize]
    }

    /// Returns the first bytes of the runs on which every row of the given shapes has equal transitions. `shapes` is a
    /// union of words that [`shape`](Self::shape) returned.
    pub(crate) fn cuts(&self, shapes: u64) -> ByteSet {
        let of = self.cuts.iter().enumerate().filter(|(shape, _)| shapes >> shape & 1 == 1);
        of.fold(ByteSet::EMPTY, |all, (_, cuts)| all.union(*cuts))
    }

    /// Returns the class of a byte, as the index of its column in the transition table.
    #[inline]
    pub(crate) fn class_of(&self, byte: u8) -> usize {
        usize::from(self.class_of[usize::from(byte)])
    }

    /// Returns the transition of the state of the table row `row` on all bytes of a class.
    #[inline]
    pub(crate) fn on_class(&self, row: u32, class: usize) -> Transition {
        self.entries[row as usize * self.width + class]
    }

    /// Returns the bytes on which the states of two rows may not be equivalent, as a set of byte classes, one bit each
    /// ([`bits`]). Below a trie node of at most `height` bytes without any of them, the two states are equivalent.
    /// `after` has the byte classes that may follow the rule of `row`.
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

    /// Returns the transition of the state of the table row `row` on a byte.
    #[inline]
    pub(crate) fn on(&self, row: u32, byte: u8) -> Transition {
        self.on_class(row, self.class_of(byte))
    }

    /// Whether the state of a row of the transition table accepts a whole subtree of the trie. That holds if every
    /// string of at most `height` of the given `bytes` leads back to an equivalent state. False if the rule may return
    /// and one of the bytes is in `after`, the bytes that may follow the rule. Sets of bytes have one bit for each byte
    /// class.
    #[inline]
    pub(crate) fn loops(&self, row: u32, bytes: u128, height: usize, after: u128) -> bool {
        let loops = &self.loops[row as usize];
        bytes & !loops.on(height) == 0 && !(loops.is_final && bytes & after != 0)
    }
}

/// The shapes met so far. A shape is a partition of the bytes into runs on which a row of the transition table is
/// constant. It is given by the first bytes of the runs.
#[derive(Default)]
struct ByteClassSets {
    /// Maps a shape, given by the first bytes of its runs (bytes with equal transitions), to its index.
    numbers: FxHashMap<ByteSet, u8>,
    /// For each shape, the first bytes of its runs.
    cuts: Vec<ByteSet>,
}

impl ByteClassSets {
    /// Returns the index of the shape whose runs begin at these bytes. After [`MOST_SHAPES`] shapes, all others share
    /// the last index.
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

/// Returns, for each byte, the index of the run that contains it, if runs begin at the bytes of `cuts` and at 0.
pub(crate) fn runs_of(cuts: ByteSet) -> [u8; 256] {
    let mut runs = [0; 256];
    let mut run = 0;
    for byte in 1..=u8::MAX {
        run += u8::from(cuts.contains(byte));
        runs[usize::from(byte)] = run;
    }
    runs
}
