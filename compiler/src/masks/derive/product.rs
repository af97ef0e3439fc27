//! The product automaton of a batch: each state beside its reference.
//!
//! Each derived state is a member: a row of the transition table for it, and one for its reference. The rows of all
//! members at a node are a *product state*. Product states are interned and their transitions memoised: after `n`
//! letters the 255 places of `[a-z]{0,255}` have all moved on by `n`, whichever letters these were. So a node costs one
//! look-up for all members together, and a member costs something only where it differs from its reference.
//!
//! A member is left out below a node whose height is no more than the bytes for which its two rows are equivalent, and
//! dropped for good once both rows are the same.
//!
//! Byte classes are those of the rows of a product state, which are far fewer than those of the grammar.
//!
//! Cost: O(members) for each product state and byte class that leads to another product state.

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
    /// The number of the member.
    member: u32,
    row: u32,
    like: u32,
    /// The two do the same with all strings of fewer bytes, as far as is known.
    same: u32,
}

impl ProductPair {
    /// All of it: `same` follows from the rows.
    fn words(self) -> (u64, u32) {
        (u64::from(self.member) << 32 | u64::from(self.row), self.like)
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
        // The reference of a member hardly ever distinguishes two product states.
        self.words().0.hash(state);
    }
}

/// Divergence of a pair at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divergence {
    /// The reference goes on alone.
    Gone,
    /// The targets agree on token ends and exits, and only the reference's target has transitions.
    Last,
    /// The targets differ in token ends or exits.
    Other {
        /// Transition of the state.
        to: Transition,
        /// The part of the reference's outcome that it replaces.
        replaces: Replaced,
    },
    /// Not decided by rows: the rows before the byte.
    Unclear([u32; 2]),
}

/// The part of a subtree that is not the reference's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// The reference does not reach the node.
    Nothing,
    /// The outcome of the node's own string.
    Node,
    /// That, and what becomes of the strings below.
    Subtree,
}

/// A product state: the rows of all members at a node.
struct ProductState {
    members: Rc<[ProductPair]>,
    /// The fewest and the most bytes for which a member equals its reference.
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
    /// The target, [`NONE`] if no member continues.
    to: u32,
    first: u32,
    end: u32,
}

/// The pairs of a product state that go on below a node.
#[derive(Clone, Copy)]
struct HeightFilter {
    /// The product state of these members, [`NONE`] if there are none, [`UNKNOWN`] before it is computed.
    product_state: u32,
    /// Bytes, one of which is in every string that distinguishes a member from its reference.
    distinguishing: u128,
}

const UNKNOWN: u32 = NONE - 1;

/// The most bytes for which there is a filter for each height. Few nodes are higher.
const HIGH: u32 = 32;

/// Members of all states together from which on there are too many: some 64 MB.
const MOST_LANES: usize = 4 << 20;

/// Fronts that have been met.
pub(crate) struct Product<'a> {
    rows: &'a TransitionTable,
    /// By member, the FOLLOW bytes of its rule, as bits.
    after: Vec<u128>,
    states: Vec<ProductState>,
    ids: FxHashMap<Rc<[ProductPair]>, u32>,
    /// By the shapes of the rows of a product state, the number of its runs.
    by_shapes: FxHashMap<u64, u32>,
    runs: Vec<Runs>,
    /// By product state and run, its number among the steps, [`NONE`] before it is looked at.
    step_of: Vec<u32>,
    steps: Vec<Step>,
    divergences: Vec<(u32, Divergence)>,
    windows: Vec<HeightFilter>,
    scratch: Vec<ProductPair>,
    /// Members of all states together.
    size: usize,
}

impl<'a> Product<'a> {
    /// Returns the product of states and references with these rows, each with the FOLLOW bytes of the state's rule, as
    /// bits. Also returns the first product state above strings of up to `height` bytes, or [`NONE`].
    pub(crate) fn new(
        rows: &'a TransitionTable,
        members: &[([u32; 2], u128)],
        height: usize,
    ) -> (Self, u32) {
        let mut this = Self {
            rows,
            after: members.iter().map(|&(_, after)| after).collect(),
            states: Vec::new(),
            ids: FxHashMap::default(),
            by_shapes: FxHashMap::default(),
            runs: Vec::new(),
            step_of: Vec::new(),
            steps: Vec::new(),
            divergences: Vec::new(),
            windows: Vec::new(),
            scratch: Vec::new(),
            size: 0,
        };
        let mut first = Vec::with_capacity(members.len());
        for (member, &([row, like], _)) in (0..).zip(members) {
            let same = bytes(rows.histories().same(row, like));
            if same <= bytes(height) {
                first.push(ProductPair { member, row, like, same });
            }
        }
        let product_state = this.intern(&first);
        (this, product_state)
    }

    /// Whether the states take more memory than they are worth.
    pub(crate) fn are_too_many(&self) -> bool {
        self.size > MOST_LANES && self.after.len() > 1
    }

    /// The product state that a byte leads to, and the divergences of pairs on the way.
    #[inline]
    pub(crate) fn step(&mut self, product_state: u32, byte: u8) -> (u32, Range<usize>) {
        let ProductState { runs, steps, .. } = &self.states[product_state as usize];
        let run = self.runs[*runs as usize].of_byte[usize::from(byte)];
        let at = steps.start as usize + usize::from(run);
        if self.step_of[at] == NONE {
            self.step_of[at] = self.like_step(product_state, byte).unwrap_or_else(|| {
                let step = self.find_step(product_state, byte);
                self.steps.push(step);
                self.steps.len() as u32 - 1
            });
        }
        let Step { to, first, end } = self.steps[self.step_of[at] as usize];
        (to, first as usize..end as usize)
    }

    /// Returns the FOLLOW bytes of a member's rule, as bits.
    #[inline]
    pub(crate) fn after(&self, member: u32) -> u128 {
        self.after[member as usize]
    }

    /// The divergence of a pair, by its place in a step's range.
    #[inline]
    pub(crate) fn divergence(&self, at: usize) -> (u32, Divergence) {
        self.divergences[at]
    }

    /// Returns the product state of those members that strings of up to `height` of these bytes may distinguish from
    /// their references; [`NONE`] if there are none.
    #[inline]
    pub(crate) fn within(&mut self, product_state: u32, height: usize, below: u128) -> u32 {
        let ProductState { shortest, longest, windows, .. } = &self.states[product_state as usize];
        let height = bytes(height);
        let Some(above) = height.checked_sub(*shortest) else { return NONE };
        let is_bounded = height < *longest && height <= HIGH;
        let at = if is_bounded { windows.start + above } else { windows.end - 1 } as usize;
        if self.windows[at].product_state == UNKNOWN {
            self.windows[at] = self.find_window(product_state, is_bounded.then_some(height));
        }
        let HeightFilter { product_state, distinguishing } = self.windows[at];
        if below & distinguishing == 0 { NONE } else { product_state }
    }

    /// Returns the step of another run of bytes on which all members have the same transitions.
    fn like_step(&self, product_state: u32, byte: u8) -> Option<u32> {
        let rows = self.rows;
        let ProductState { members, runs, steps, .. } = &self.states[product_state as usize];
        let class = rows.class_of(byte);
        let is_same = |other: usize| {
            members.iter().all(|member| {
                let same = |row| rows.on_class(row, class) == rows.on_class(row, other);
                same(member.row) && same(member.like)
            })
        };
        let steps = &self.step_of[steps.start as usize..steps.end as usize];
        let runs = self.runs[*runs as usize].byte.iter().zip(steps);
        let mut found = runs.filter(|(_, step)| **step != NONE);
        found.find(|(other, _)| is_same(rows.class_of(**other))).map(|(_, &step)| step)
    }

    fn find_step(&mut self, product_state: u32, byte: u8) -> Step {
        let rows = self.rows;
        let class = rows.class_of(byte);
        let mut next = std::mem::take(&mut self.scratch);
        next.clear();
        let first = self.divergences.len() as u32;
        for &ProductPair { member, row, like, .. } in &*self.states[product_state as usize].members
        {
            let [to, stored] = [row, like].map(|row| rows.on_class(row, class));
            if to == stored && !to.is_call() {
                continue;
            }
            let is_same_here = to.ends() == stored.ends() && to.exits() == stored.exits();
            let mut part = |divergence| self.divergences.push((member, divergence));
            if let (Some(row), Some(like)) = (to.row(), stored.row()) {
                if !is_same_here {
                    part(Divergence::Other { to, replaces: Replaced::Node });
                }
                let same = bytes(rows.histories().same(row, like));
                if same != u32::MAX {
                    next.push(ProductPair { member, row, like, same });
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
        let end = self.divergences.len() as u32;
        let to = self.intern(&next);
        self.scratch = next;
        Step { to, first, end }
    }

    /// The pairs of a product state that go on below nodes of a height, or of any.
    fn find_window(&mut self, product_state: u32, height: Option<u32>) -> HeightFilter {
        let mut kept = std::mem::take(&mut self.scratch);
        kept.clear();
        let all = &self.states[product_state as usize].members;
        let highest = height.map_or(usize::MAX, |height| height as usize);
        let mut distinguishing = 0;
        for member in all.iter().filter(|member| height.is_none_or(|height| member.same <= height))
        {
            let after = self.after[member.member as usize];
            distinguishing |=
                self.rows.distinguishing_bytes([member.row, member.like], highest, after);
            kept.push(*member);
        }
        let product_state =
            if kept.len() == all.len() { product_state } else { self.intern(&kept) };
        self.scratch = kept;
        HeightFilter { product_state, distinguishing }
    }

    /// Returns the number of the product state of these members, or [`NONE`].
    fn intern(&mut self, members: &[ProductPair]) -> u32 {
        if members.is_empty() {
            return NONE;
        }
        if let Some(&product_state) = self.ids.get(members) {
            return product_state;
        }
        let id = self.states.len() as u32;
        let members: Rc<[ProductPair]> = members.into();
        let same = || members.iter().map(|member| member.same);
        let [shortest, longest] = [same().min(), same().max()].map(Option::unwrap_or_default);
        let from = self.windows.len();
        let heights = longest.min(HIGH + 1).saturating_sub(shortest) as usize;
        self.windows
            .resize(from + heights + 1, HeightFilter { product_state: UNKNOWN, distinguishing: 0 });
        let windows = from as u32..self.windows.len() as u32;
        self.size += members.len();
        let shape =
            |member: &ProductPair| self.rows.shape(member.row) | self.rows.shape(member.like);
        let shapes = members.iter().fold(0, |shapes, member| shapes | shape(member));
        let runs = *self.by_shapes.entry(shapes).or_insert_with(|| {
            self.runs.push(Runs::new(self.rows.cuts(shapes)));
            self.runs.len() as u32 - 1
        });
        let from = self.step_of.len();
        self.step_of.resize(from + self.runs[runs as usize].byte.len(), NONE);
        let steps = from as u32..self.step_of.len() as u32;
        self.ids.insert(Rc::clone(&members), id);
        self.states.push(ProductState { members, shortest, longest, runs, steps, windows });
        id
    }
}

/// A number of bytes; no token has as many as there are.
fn bytes(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
