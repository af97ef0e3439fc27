//! Wide states of a grammar as one table, so that a walk of the trie is one look-up a node, and the subtrees that such a
//! state accepts as a whole.
//!
//! A row says for each class of bytes what becomes of a state on its own, with nothing on the local stack. Rows lead to
//! rows; where one leads to any other state, or a byte begins a call, the walk goes on as walks do.
//!
//! A state *loops* on a byte where it leads to a state that does the same as itself for so many bytes. A subtree that is
//! no higher than that, and has no other bytes in it, is accepted as it is.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::agree::Agreement;
use super::history::Histories;
use super::nodes::{bits, whole_bits};
use crate::budget::{Budget, Spent};
use crate::ir::ByteSet;
use crate::network::bytes_on;
use crate::threads::Means;

/// Loops of different lengths that are told apart.
const MOST_LOOPS: usize = 3;

/// Shapes of rows that are told apart: as many as a word has bits.
const MOST_SHAPES: usize = 64;

/// Rows that are worth a second thread.
const WORTH_A_THREAD: usize = 2048;

/// Steps of a budget that the loops of a state take, about.
const STEPS_OF_LOOPS: usize = 1 << 6;

/// What becomes of a state on a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry(u32);

impl Entry {
    const ENDS: u32 = 1;
    const EXITS: u32 = 2;
    const ROW: u32 = 4;
    const OTHER: u32 = 8;
    const CALL: u32 = 16;

    /// Whether the string ends here, and with it all that begin with it.
    #[inline]
    pub(super) fn is_dead(self) -> bool {
        self.0 == 0
    }

    /// Whether something is come to from which no byte leads on.
    #[inline]
    pub(super) fn is_last(self) -> bool {
        !self.is_dead() && self.0 & (Self::ROW | Self::OTHER | Self::CALL) == 0
    }

    /// Whether the byte begins a call.
    #[inline]
    pub(super) fn is_call(self) -> bool {
        self.0 & Self::CALL != 0
    }

    /// Whether a token may end here.
    #[inline]
    pub(super) fn ends(self) -> bool {
        self.0 & Self::ENDS != 0
    }

    /// Whether the rule can be left here.
    #[inline]
    pub(super) fn exits(self) -> bool {
        self.0 & Self::EXITS != 0
    }

    /// The row that it leads to.
    #[inline]
    pub(super) fn row(self) -> Option<u32> {
        (self.0 & Self::ROW != 0).then_some(self.0 >> 5)
    }

    /// The index of the state without a row that it leads to.
    #[inline]
    pub(super) fn other(self) -> Option<u32> {
        (self.0 & Self::OTHER != 0).then_some(self.0 >> 5)
    }
}

/// Bytes on which a state loops.
#[derive(Clone, Debug)]
pub(super) struct Loops {
    /// How many bytes it does the same for after them, the most first, and the bytes, with those of the loops before.
    all: SmallVec<[(usize, u128); 2]>,
    is_final: bool,
}

impl Loops {
    /// The loops of an own state whose calls begin with some bytes.
    fn new(
        network: Joined<'_>,
        agreement: &Agreement,
        histories: &Histories,
        state: u32,
        calls: ByteSet,
    ) -> Self {
        let flags = network.own.states[(state - network.own.bases.states) as usize].flags;
        let mut found: SmallVec<[(usize, ByteSet); 8]> = agreement
            .moves(network, state)
            .edges
            .iter()
            .filter(|_| flags & state_flags::RESTS != 0)
            .filter_map(|edge| {
                let bytes = ByteSet::range(edge.lo(), edge.hi()).minus(calls);
                Some((histories.length(state, edge.target)?, bytes))
            })
            .collect();
        found.sort_by_key(|&(length, _)| std::cmp::Reverse(length));
        let mut all = SmallVec::new();
        let mut bytes = ByteSet::EMPTY;
        for alike in found.chunk_by(|one, next| one.0 == next.0).take(MOST_LOOPS) {
            bytes = alike.iter().fold(bytes, |bytes, (_, more)| bytes.union(*more));
            all.push((alike[0].0, whole_bits(bytes)));
        }
        Self { all, is_final: flags & state_flags::FINAL != 0 }
    }

    /// Bytes that keep the state as it is in strings of up to `height`.
    #[inline]
    fn on(&self, height: usize) -> u128 {
        // What comes after the last byte of the longest string does not count.
        let long = self.all.iter().take_while(|(length, _)| length.saturating_add(1) >= height);
        long.last().map_or(0, |&(_, on)| on)
    }
}

/// The rows of some states.
#[derive(Debug)]
pub(super) struct Rows {
    class_of: [u8; 256],
    width: usize,
    entries: Vec<Entry>,
    /// By row, its state.
    states: Vec<u32>,
    /// By row.
    loops: Vec<Loops>,
    /// By row, the bits of any bytes on which it goes on.
    live: Vec<u128>,
    /// By row, its shape, where some state has a model; and by shape, the bytes with which a run of bytes begins that such a row does the same on.
    /// Places of one chain are of one shape.
    shapes: Vec<u8>,
    cuts: Vec<ByteSet>,
    /// By row, the classes of its state.
    histories: Histories,
}

impl Default for Rows {
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
            histories: Histories::default(),
        }
    }
}

/// What becomes of some states on each byte, whatever is known of how long they do the same.
pub(super) struct Table {
    class_of: [u8; 256],
    width: usize,
    entries: Vec<Entry>,
    /// By row.
    states: Vec<u32>,
    calls: Vec<ByteSet>,
    begins: Vec<ByteSet>,
    live: Vec<u128>,
}

impl Table {
    /// Of the own states with some indices; by the index of any own state, its row among these, or `NONE`.
    pub(super) fn new(
        network: Joined<'_>,
        agreement: &Agreement,
        active: &[u32],
        row_of: &[u32],
        budget: &Budget,
    ) -> Self {
        let own = network.own;
        let states: Vec<u32> = active.iter().map(|&index| own.bases.states + index).collect();
        let calls = states.iter().map(|&state| {
            let calls = agreement.moves(network, state).calls.iter();
            calls.fold(ByteSet::EMPTY, |bytes, call| {
                bytes.union(ByteSet::from_words(network.rule(call.callee).first_bytes))
            })
        });
        let calls: Vec<ByteSet> = calls.collect();
        let begins = states.iter().zip(&calls).map(|(&state, calls)| {
            let edges = agreement.moves(network, state).edges.iter();
            ByteSet::bounds_of(edges.map(|edge| (edge.lo(), edge.hi())).chain(calls.ranges()))
        });
        let begins: Vec<ByteSet> = begins.collect();
        let class_of = runs_of(begins.iter().copied().fold(ByteSet::EMPTY, ByteSet::union));
        let class = class_of[usize::from(u8::MAX)];
        let width = usize::from(class) + 1;
        let mut entries = vec![Entry::default(); width * states.len()];
        let mut live = Vec::with_capacity(states.len());
        for ((&state, calls), row) in states.iter().zip(&calls).zip(entries.chunks_mut(width)) {
            let edges = agreement.moves(network, state).edges;
            if budget.spend(width + edges.len()).is_err() {
                break;
            }
            for edge in edges {
                let target = (edge.target - own.bases.states) as usize;
                let flags = own.states[target].flags;
                let is = |flag: u32, bit: u32| if flags & flag != 0 { bit } else { 0 };
                let on = match (flags & state_flags::POP_ONLY != 0, row_of[target]) {
                    (true, _) => Entry::ENDS | Entry::EXITS,
                    (false, NONE) => Entry::OTHER | (target as u32) << 5,
                    (false, row) => Entry::ROW | row << 5,
                };
                let flags =
                    is(state_flags::FINAL, Entry::EXITS) | is(state_flags::RESTS, Entry::ENDS);
                let classes =
                    [edge.lo(), edge.hi()].map(|byte| usize::from(class_of[usize::from(byte)]));
                row[classes[0]..=classes[1]].fill(Entry(on | flags));
            }
            for byte in calls.iter() {
                row[usize::from(class_of[usize::from(byte)])] = Entry(Entry::CALL);
            }
            live.push(bits(bytes_on(edges).union(*calls)));
        }
        Self { class_of, width, entries, states, calls, begins, live }
    }

    /// By row, the loops of its state.
    pub(super) fn loops(
        &self,
        network: Joined<'_>,
        agreement: &Agreement,
        histories: &Histories,
        Means { budget, threads }: Means<'_>,
    ) -> Vec<Loops> {
        let rows: Vec<(u32, ByteSet)> =
            self.states.iter().copied().zip(self.calls.iter().copied()).collect();
        let new = |(): &mut (), &(state, calls): &(u32, ByteSet)| match budget.spend(STEPS_OF_LOOPS)
        {
            Ok(()) => Loops::new(network, agreement, histories, state, calls),
            Err(Spent) => Loops { all: SmallVec::new(), is_final: false },
        };
        threads.map(rows.len() >= WORTH_A_THREAD, &rows, || (), new)
    }
}

impl Rows {
    /// The rows of a table, in the order of their histories.
    pub(super) fn new(
        table: Table,
        loops: Vec<Loops>,
        has_models: bool,
        histories: Histories,
    ) -> Self {
        let Table { class_of, width, entries, states, begins, live, .. } = table;
        let mut of_rows = Shapes::default();
        // Nobody asks for shapes where no state has a model.
        let shapes = match has_models {
            true => begins.into_iter().map(|cuts| of_rows.number(cuts)).collect(),
            false => Vec::new(),
        };
        let cuts = of_rows.cuts;
        Self { class_of, width, entries, states, loops, live, shapes, cuts, histories }
    }

    /// Bytes that they take, about.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.loops)
    }

    /// The classes of the states.
    #[inline]
    pub(super) fn histories(&self) -> &Histories {
        &self.histories
    }

    /// The state of a row.
    #[inline]
    pub(super) fn state(&self, row: u32) -> u32 {
        self.states[row as usize]
    }

    /// The shape of a row, as the bit of a word.
    #[inline]
    pub(super) fn shape(&self, row: u32) -> u64 {
        1 << self.shapes[row as usize]
    }

    /// The bytes with which a run begins that all rows of some shapes do the same on, each for itself.
    pub(super) fn cuts(&self, shapes: u64) -> ByteSet {
        let of = self.cuts.iter().enumerate().filter(|(shape, _)| shapes >> shape & 1 == 1);
        of.fold(ByteSet::EMPTY, |all, (_, cuts)| all.union(*cuts))
    }

    /// The class of a byte.
    #[inline]
    pub(super) fn class_of(&self, byte: u8) -> usize {
        usize::from(self.class_of[usize::from(byte)])
    }

    /// What becomes of a row's state on a byte of a class.
    #[inline]
    pub(super) fn on_class(&self, row: u32, class: usize) -> Entry {
        self.entries[row as usize * self.width + class]
    }

    /// The bits of any bytes with which two rows may come apart: with no others below it, a node that is no higher than
    /// `height` need not be looked at where they do the same at it. What comes after the rule of `row` begins with bytes
    /// of `after`.
    pub(super) fn parting(&self, [row, like]: [u32; 2], height: usize, after: u128) -> u128 {
        let of = |row: u32| (&self.loops[row as usize], self.live[row as usize]);
        let ((one, live), (other, live_like)) = (of(row), of(like));
        let after = if one.is_final == other.is_final { 0 } else { after };
        (live | live_like) & !(one.on(height) & other.on(height)) | after
    }

    /// What becomes of a row's state on a byte.
    #[inline]
    pub(super) fn on(&self, row: u32, byte: u8) -> Entry {
        self.on_class(row, self.class_of(byte))
    }

    /// Whether every string of these bytes, none of them longer than `height`, keeps a row's state as it is, where
    /// `after` may come after its rule.
    #[inline]
    pub(super) fn loops(&self, row: u32, bytes: u128, height: usize, after: u128) -> bool {
        let loops = &self.loops[row as usize];
        bytes & !loops.on(height) == 0 && !(loops.is_final && bytes & after != 0)
    }
}

/// The shapes met so far, by their cuts.
#[derive(Default)]
struct Shapes {
    numbers: FxHashMap<ByteSet, u8>,
    cuts: Vec<ByteSet>,
}

impl Shapes {
    /// The number of the shape with these cuts. The last stands for all that there is no bit for.
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
pub(super) fn runs_of(cuts: ByteSet) -> [u8; 256] {
    let mut runs = [0; 256];
    let mut run = 0;
    for byte in 1..=u8::MAX {
        run += u8::from(cuts.contains(byte));
        runs[usize::from(byte)] = run;
    }
    runs
}
