//! The product automaton of a batch: each state beside its reference.
//!
//! Each derived state is a lane: a row of the transition table for it, and one for its reference. The rows of all lanes at a
//! node are a *front*. Fronts are interned and their transitions memoised: after `n` letters the 255 places of `[a-z]{0,255}`
//! have all moved on by `n`, whichever letters these were. So a node costs one look-up for all lanes together, and a lane
//! costs something only where it differs from its reference.
//!
//! A lane is left out below a node whose height is no more than the bytes for which its two rows are equivalent, and
//! dropped for good once both rows are the same.
//!
//! Byte classes are those of the rows of a front, which are far fewer than those of the grammar.
//!
//! Cost: O(lanes) for each front and byte class that leads to another front.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use crate::ir::ByteSet;
use crate::masks::equivalence::transition_table::{Transition, TransitionTable, runs_of};

/// A state that has gone on beside its reference.
#[derive(Clone, Copy, Debug)]
struct ProductPair {
    /// The number of the lane.
    lane: u32,
    row: u32,
    like: u32,
    /// The two do the same with all strings of fewer bytes, as far as is known.
    same: u32,
}

impl ProductPair {
    /// All of it: `same` follows from the rows.
    fn words(self) -> (u64, u32) {
        (u64::from(self.lane) << 32 | u64::from(self.row), self.like)
    }
}

impl PartialEq for ProductPair {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for ProductPair {}

impl Hash for ProductPair {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Which reference a lane has hardly ever tells two fronts apart.
        self.words().0.hash(state);
    }
}

/// Divergence of a pair at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divergence {
    /// The reference goes on alone.
    Gone,
    /// Both come to the same, from which only the reference goes on.
    Last,
    /// The state comes to something else than its reference, without bytes to go on with, or to go on with its reference.
    Other {
        /// Transition of the state.
        to: Transition,
        /// The part of the reference's outcome that it replaces.
        replaces: Replaced,
    },
    /// Not told by rows: the rows before the byte.
    Unclear([u32; 2]),
}

/// The part of a subtree that is not the reference's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// The reference has not come here.
    Nothing,
    /// The outcome of the node's own string.
    Node,
    /// That, and what becomes of the strings below.
    Subtree,
}

/// A front.
struct ProductState {
    lanes: Rc<[ProductPair]>,
    /// Fewest and most bytes for which a lane is the same.
    shortest: u32,
    longest: u32,
    /// Its runs, by number.
    runs: u32,
    /// By run, the number of its step.
    steps: Range<u32>,
    /// Its windows: one for each height from the fewest bytes on, up to the most or [`HIGH`], and one for all others.
    windows: Range<u32>,
}

/// Runs of bytes on which all rows of some shapes do the same, each for itself.
struct Runs {
    of_byte: [u8; 256],
    /// By run, one of its bytes.
    byte: Vec<u8>,
}

impl Runs {
    fn new(cuts: ByteSet) -> Self {
        let of_byte = runs_of(cuts);
        let begin = (0..=u8::MAX).filter(|&byte| byte == 0 || cuts.contains(byte));
        Self { of_byte, byte: begin.collect() }
    }
}

/// Transition of a product state on a run of bytes.
#[derive(Clone, Copy)]
struct Step {
    /// The front that it leads to, [`NONE`] where no lane goes on.
    to: u32,
    first: u32,
    end: u32,
}

/// The pairs of a product state that go on below a node.
#[derive(Clone, Copy)]
struct HeightFilter {
    /// The front of these lanes, [`NONE`] where there are none, [`UNKNOWN`] before it is looked at.
    front: u32,
    /// Bytes, one of which is in every string that tells a lane from its reference.
    parting: u128,
}

const UNKNOWN: u32 = NONE - 1;

/// Bytes up to which it is told for each height which lanes go on. Few nodes are higher.
const HIGH: u32 = 32;

/// Lanes in all fronts together from which on there are too many: some 64 MB.
const MOST_LANES: usize = 4 << 20;

/// Fronts that have been met.
pub(crate) struct Product<'a> {
    rows: &'a TransitionTable,
    /// By lane, the bytes that may come after its rule, as bits.
    after: Vec<u128>,
    fronts: Vec<ProductState>,
    ids: FxHashMap<Rc<[ProductPair]>, u32>,
    /// By the shapes of the rows of a front, the number of its runs.
    by_shapes: FxHashMap<u64, u32>,
    runs: Vec<Runs>,
    /// By front and run, its number among the steps, [`NONE`] before it is looked at.
    step_of: Vec<u32>,
    steps: Vec<Step>,
    partings: Vec<(u32, Divergence)>,
    windows: Vec<HeightFilter>,
    scratch: Vec<ProductPair>,
    /// Lanes in all fronts together.
    size: usize,
}

impl<'a> Product<'a> {
    /// Lanes for states and references with these rows, each with the bytes, as bits, that may come after the state's rule;
    /// and the front that they begin with above strings of up to `height` bytes, or [`NONE`].
    pub(crate) fn new(
        rows: &'a TransitionTable,
        lanes: &[([u32; 2], u128)],
        height: usize,
    ) -> (Self, u32) {
        let mut this = Self {
            rows,
            after: lanes.iter().map(|&(_, after)| after).collect(),
            fronts: Vec::new(),
            ids: FxHashMap::default(),
            by_shapes: FxHashMap::default(),
            runs: Vec::new(),
            step_of: Vec::new(),
            steps: Vec::new(),
            partings: Vec::new(),
            windows: Vec::new(),
            scratch: Vec::new(),
            size: 0,
        };
        let mut first = Vec::with_capacity(lanes.len());
        for (lane, &([row, like], _)) in (0..).zip(lanes) {
            let same = bytes(rows.histories().same(row, like));
            if same <= bytes(height) {
                first.push(ProductPair { lane, row, like, same });
            }
        }
        let front = this.intern(&first);
        (this, front)
    }

    /// Whether the fronts take more memory than they are worth.
    pub(crate) fn are_too_many(&self) -> bool {
        self.size > MOST_LANES && self.after.len() > 1
    }

    /// The product state that a byte leads to, and the divergences of pairs on the way.
    #[inline]
    pub(crate) fn step(&mut self, front: u32, byte: u8) -> (u32, Range<usize>) {
        let ProductState { runs, steps, .. } = &self.fronts[front as usize];
        let run = self.runs[*runs as usize].of_byte[usize::from(byte)];
        let at = steps.start as usize + usize::from(run);
        if self.step_of[at] == NONE {
            self.step_of[at] = self.like_step(front, byte).unwrap_or_else(|| {
                let step = self.find_step(front, byte);
                self.steps.push(step);
                self.steps.len() as u32 - 1
            });
        }
        let Step { to, first, end } = self.steps[self.step_of[at] as usize];
        (to, first as usize..end as usize)
    }

    /// The bytes, as bits, that may come after a lane's rule.
    #[inline]
    pub(crate) fn after(&self, lane: u32) -> u128 {
        self.after[lane as usize]
    }

    /// The divergence of a pair, by its place in a step's range.
    #[inline]
    pub(crate) fn parting(&self, at: usize) -> (u32, Divergence) {
        self.partings[at]
    }

    /// The front of those lanes that strings of up to `height` of these bytes may tell from their references; [`NONE`] where
    /// there is none.
    #[inline]
    pub(crate) fn within(&mut self, front: u32, height: usize, below: u128) -> u32 {
        let ProductState { shortest, longest, windows, .. } = &self.fronts[front as usize];
        let height = bytes(height);
        let Some(above) = height.checked_sub(*shortest) else { return NONE };
        let is_told = height < *longest && height <= HIGH;
        let at = if is_told { windows.start + above } else { windows.end - 1 } as usize;
        if self.windows[at].front == UNKNOWN {
            self.windows[at] = self.find_window(front, is_told.then_some(height));
        }
        let HeightFilter { front, parting } = self.windows[at];
        if below & parting == 0 { NONE } else { front }
    }

    /// The step of another run of bytes that is the same to all lanes.
    fn like_step(&self, front: u32, byte: u8) -> Option<u32> {
        let rows = self.rows;
        let ProductState { lanes, runs, steps, .. } = &self.fronts[front as usize];
        let class = rows.class_of(byte);
        let is_same = |other: usize| {
            lanes.iter().all(|lane| {
                let same = |row| rows.on_class(row, class) == rows.on_class(row, other);
                same(lane.row) && same(lane.like)
            })
        };
        let steps = &self.step_of[steps.start as usize..steps.end as usize];
        let runs = self.runs[*runs as usize].byte.iter().zip(steps);
        let mut found = runs.filter(|(_, step)| **step != NONE);
        found.find(|(other, _)| is_same(rows.class_of(**other))).map(|(_, &step)| step)
    }

    fn find_step(&mut self, front: u32, byte: u8) -> Step {
        let rows = self.rows;
        let class = rows.class_of(byte);
        let mut next = std::mem::take(&mut self.scratch);
        next.clear();
        let first = self.partings.len() as u32;
        for &ProductPair { lane, row, like, .. } in &*self.fronts[front as usize].lanes {
            let [to, stored] = [row, like].map(|row| rows.on_class(row, class));
            if to == stored && !to.is_call() {
                continue;
            }
            let is_same_here = to.ends() == stored.ends() && to.exits() == stored.exits();
            let mut part = |parting| self.partings.push((lane, parting));
            if let (Some(row), Some(like)) = (to.row(), stored.row()) {
                if !is_same_here {
                    part(Divergence::Other { to, replaces: Replaced::Node });
                }
                let same = bytes(rows.histories().same(row, like));
                if same != u32::MAX {
                    next.push(ProductPair { lane, row, like, same });
                }
            } else if stored.is_call() || !to.is_dead() && !to.is_last() {
                part(Divergence::Unclear([row, like]));
            } else if to.is_dead() {
                part(Divergence::Gone);
            } else if is_same_here {
                part(Divergence::Last);
            } else if stored.is_dead() {
                part(Divergence::Other { to, replaces: Replaced::Nothing });
            } else {
                part(Divergence::Other { to, replaces: Replaced::Subtree });
            }
        }
        let end = self.partings.len() as u32;
        let to = self.intern(&next);
        self.scratch = next;
        Step { to, first, end }
    }

    /// The pairs of a product state that go on below nodes of a height, or of any.
    fn find_window(&mut self, front: u32, height: Option<u32>) -> HeightFilter {
        let mut kept = std::mem::take(&mut self.scratch);
        kept.clear();
        let all = &self.fronts[front as usize].lanes;
        let highest = height.map_or(usize::MAX, |height| height as usize);
        let mut parting = 0;
        for lane in all.iter().filter(|lane| height.is_none_or(|height| lane.same <= height)) {
            let after = self.after[lane.lane as usize];
            parting |= self.rows.parting([lane.row, lane.like], highest, after);
            kept.push(*lane);
        }
        let front = if kept.len() == all.len() { front } else { self.intern(&kept) };
        self.scratch = kept;
        HeightFilter { front, parting }
    }

    /// The front of these lanes, or [`NONE`].
    fn intern(&mut self, lanes: &[ProductPair]) -> u32 {
        if lanes.is_empty() {
            return NONE;
        }
        if let Some(&front) = self.ids.get(lanes) {
            return front;
        }
        let id = self.fronts.len() as u32;
        let lanes: Rc<[ProductPair]> = lanes.into();
        let same = || lanes.iter().map(|lane| lane.same);
        let [shortest, longest] = [same().min(), same().max()].map(Option::unwrap_or_default);
        let from = self.windows.len();
        let told = longest.min(HIGH + 1).saturating_sub(shortest) as usize;
        self.windows.resize(from + told + 1, HeightFilter { front: UNKNOWN, parting: 0 });
        let windows = from as u32..self.windows.len() as u32;
        self.size += lanes.len();
        let shape = |lane: &ProductPair| self.rows.shape(lane.row) | self.rows.shape(lane.like);
        let shapes = lanes.iter().fold(0, |shapes, lane| shapes | shape(lane));
        let runs = *self.by_shapes.entry(shapes).or_insert_with(|| {
            self.runs.push(Runs::new(self.rows.cuts(shapes)));
            self.runs.len() as u32 - 1
        });
        let from = self.step_of.len();
        self.step_of.resize(from + self.runs[runs as usize].byte.len(), NONE);
        let steps = from as u32..self.step_of.len() as u32;
        self.ids.insert(Rc::clone(&lanes), id);
        self.fronts.push(ProductState { lanes, shortest, longest, runs, steps, windows });
        id
    }
}

/// A number of bytes; no token has as many as there are.
fn bytes(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
