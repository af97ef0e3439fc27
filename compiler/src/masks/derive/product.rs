//! The product automaton of a batch of derived states: each state runs beside its reference. A reference is the state
//! from whose mask the mask is derived.
//!
//! Each derived state is a *member*, with two rows of the transition table: its own row and that of its reference. A
//! *product state* is the list of the pairs of rows that all members have reached at a trie node. Product states are
//! interned and their transitions memoised. After `n` letters, the 255 states of `[a-z]{0,255}` have all advanced by
//! `n`, whichever letters these were. So a node costs one look-up for all members together. A member causes additional
//! work only where it differs from its reference.
//!
//! A member is skipped below a node if its two rows are equivalent for at least as many bytes as the node is high. It
//! is dropped for good once both rows are equal.
//!
//! The byte classes of a product state are those of its rows alone, far fewer than those of the grammar.
//!
//! Cost: O(members) for each product state and byte class that leads to another product state.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use crate::ir::ByteSet;
use crate::masks::equivalence::transition_table::{Transition, TransitionTable, runs_of};

/// An entry of a product state: the rows of the transition table that a derived state and its reference (source of its
/// mask) have reached.
#[derive(Clone, Copy, Debug)]
struct ProductPair {
    /// The index of the derived state in the batch.
    member: u32,
    /// The row of the transition table that the derived state has reached.
    row: u32,
    /// The row of the transition table that the reference (source of another mask) has reached.
    like: u32,
    /// `row` and `like` agree on transitions, token ends and returns for all strings of fewer bytes than this.
    same: u32,
}

impl ProductPair {
    /// Returns all fields but `same` as two words. `same` follows from the two rows of the transition table.
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

/// How a derived state and its reference (source of its mask) differ at a trie node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divergence {
    /// The derived state has no transition on the byte. The reference (source of its mask) has one.
    Gone,
    /// Both agree on whether a token may end and whether the rule may return at the node. Only the reference (source of
    /// its mask) continues below.
    Last,
    /// The derived state reaches the node. It differs from its reference (source of its mask) in whether a token may
    /// end or the rule may return here. Below the node it either does not continue, or its reference continues too.
    Other {
        /// The transition of the derived state on the byte that leads to the node.
        to: Transition,
        /// The part of the outcome (consumed tokens and exit nodes) of the reference (source of the mask) that the
        /// derived state's outcome replaces.
        replaces: Replaced,
    },
    /// The transition table does not decide how the derived state differs: the byte begins a call, or leads to a state
    /// without a row. Holds the rows of the derived state and of its reference (source of its mask), both before the
    /// byte.
    Unclear([u32; 2]),
}

/// The part of an outcome (tokens and exits) below a trie node that is not taken over from the reference (source of the
/// mask).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// Nothing is replaced: the reference (source of another mask) does not reach the node.
    Nothing,
    /// At the trie node itself, the tokens and the exit (return of the rule) are replaced by those of the derived
    /// state. Those below the node are kept.
    Node,
    /// At the trie node and all nodes below, the tokens and exits (nodes where the rule returns) are replaced by those
    /// of the derived state.
    Subtree,
}

/// A product state: the pairs of table rows that the members of a batch have reached at a trie node. A member is a
/// derived state beside its reference. It has no pair if it does not continue.
struct ProductState {
    /// For each member (derived state beside its reference), the pair of table rows that the two have reached. In the
    /// order of the members.
    members: Rc<[ProductPair]>,
    /// A length in bytes. On strings of fewer bytes, no derived state has other transitions, token ends or returns than
    /// its reference (source of its mask). It is the least `same` of the members.
    shortest: u32,
    /// A length in bytes. On strings of at least this length, every derived state may have other transitions, token
    /// ends or returns than its reference (source of its mask). It is the greatest `same` of the members.
    longest: u32,
    /// The index in `Product::runs` of a partition of the bytes, on whose runs all rows of this product state are
    /// constant.
    runs: u32,
    /// The range of this product state in `Product::step_of`: one entry for each run of bytes with equal transitions.
    steps: Range<u32>,
    /// The range of this product state in `Product::windows`. An entry has the derived states that may still differ
    /// from their references (sources of their masks) below a trie node of one height. The height is the longest string
    /// below, in bytes. There is one entry for each height from `shortest` on, up to `longest` (exclusive) or [`HIGH`]
    /// (inclusive). A last one is for all greater heights.
    windows: Range<u32>,
}

/// A partition of the 256 bytes into runs. Each row of the transition table in a product state (pairs of reached rows)
/// has equal transitions on all bytes of a run.
struct Runs {
    /// For each byte, the index of the run of bytes that contains it.
    of_byte: [u8; 256],
    /// For each run of bytes, its first byte.
    byte: Vec<u8>,
}

impl Runs {
    /// Builds the runs of bytes whose first bytes are byte 0 and the bytes of `cuts`.
    fn new(cuts: ByteSet) -> Self {
        let of_byte = runs_of(cuts);
        let begin = (0..=u8::MAX).filter(|&byte| byte == 0 || cuts.contains(byte));
        Self { of_byte, byte: begin.collect() }
    }
}

/// The transition of a product state (pairs of reached rows) on a run of bytes. Also says which derived states differ
/// from their references on these bytes, and how.
#[derive(Clone, Copy)]
struct Step {
    /// The index of the target product state (pairs of reached rows), or [`NONE`] if no derived state continues.
    to: u32,
    /// The index in `Product::divergences` of the first divergence of this step. A divergence is a difference of a
    /// derived state from its reference.
    first: u32,
    /// The end, exclusive, in `Product::divergences` of the divergences of this step. A divergence is a difference of a
    /// derived state from its reference.
    end: u32,
}

/// The derived states in a product state that may still differ from their references (sources of their masks) below a
/// trie node of some height. The height is the length in bytes of the longest string below the node.
#[derive(Clone, Copy)]
struct HeightFilter {
    /// The product state with these derived states alone: [`NONE`] if there are none, [`UNKNOWN`] before it is
    /// computed.
    product_state: u32,
    /// A set of byte classes, one bit each, as in `byte_bits`. Every string that distinguishes one of the derived
    /// states from its reference (source of its mask) contains one of these bytes.
    distinguishing: u128,
}

/// Marks a [`HeightFilter`] whose product state (pairs of reached rows) is not computed yet.
const UNKNOWN: u32 = NONE - 1;

/// The greatest height of a trie node, in bytes, with a [`HeightFilter`] of its own. All higher nodes share one filter
/// with all derived states of the product state; such nodes are few.
const HIGH: u32 = 32;

/// The most entries of all product states together, one for each derived state, some 64 MB. Beyond this limit the batch
/// is split into smaller ones, unless it has one derived state.
const MOST_LANES: usize = 4 << 20;

/// The product automaton of one batch of derived states, each beside its reference (source of its mask). It is built
/// lazily, during the pass over the trie.
pub(crate) struct Product<'a> {
    /// The transition table of the grammar's states. States with many outgoing bytes have rows.
    rows: &'a TransitionTable,
    /// For each derived state of the batch, the FOLLOW bytes of its rule: a set of byte classes, one bit each.
    after: Vec<u128>,
    /// The product states (pairs of reached rows), by index.
    states: Vec<ProductState>,
    /// Maps the entries of a product state, with the table rows reached, to the index of that state in `states`.
    ids: FxHashMap<Rc<[ProductPair]>, u32>,
    /// Maps a set of row shapes, one bit each, to the index in `runs` of their common partition of the bytes. Rows of
    /// the transition table have the same shape if they are constant on the same runs of bytes.
    by_shapes: FxHashMap<u64, u32>,
    /// The partitions of the bytes into runs with equal transitions. Product states with rows of the same shapes share
    /// one.
    runs: Vec<Runs>,
    /// For each product state (pairs of reached rows) and run of bytes, the index of its transition in `steps`, or
    /// [`NONE`] before that is computed.
    step_of: Vec<u32>,
    /// The transitions of product states (pairs of reached rows) on runs of bytes, as far as computed.
    steps: Vec<Step>,
    /// How derived states differ from their references (sources of their masks) on the transitions in `steps`. Each
    /// entry has the index of the derived state in the batch.
    divergences: Vec<(u32, Divergence)>,
    /// The height filters of all product states: which derived states may still differ from their references below a
    /// trie node of some height.
    windows: Vec<HeightFilter>,
    /// A reused buffer for the entries of a product state (pairs of reached rows) under construction.
    scratch: Vec<ProductPair>,
    /// The number of entries of all product states together, one for each derived state that still continues.
    size: usize,
}

impl<'a> Product<'a> {
    /// Builds the product automaton of a batch. An entry of `members` has the table rows of a state and of its
    /// reference (source of its mask). It also has the FOLLOW bytes of the state's rule, as byte classes, one bit each.
    /// Returns the first product state too, for a trie with strings of up to `height` bytes. It is [`NONE`] if no such
    /// string distinguishes a state from its reference.
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

    /// Whether the product states (pairs of reached rows) have too many entries together to be worth their memory.
    /// Always false for a batch of one derived state.
    pub(crate) fn are_too_many(&self) -> bool {
        self.size > MOST_LANES && self.after.len() > 1
    }

    /// Returns the index of the target of a product state (pairs of reached rows) on a byte, or [`NONE`] if no derived
    /// state continues. Also returns the range of the divergences on the byte, for [`divergence`](Self::divergence). A
    /// divergence is a difference of a derived state from its reference.
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

    /// Returns the FOLLOW bytes of the rule of a derived state: a set of byte classes, one bit each. `member` is the
    /// index of the state in the batch.
    #[inline]
    pub(crate) fn after(&self, member: u32) -> u128 {
        self.after[member as usize]
    }

    /// Returns the index of a derived state in the batch, and how the state differs from its reference (source of its
    /// mask). `at` is an index in the range that [`step`](Self::step) returned.
    #[inline]
    pub(crate) fn divergence(&self, at: usize) -> (u32, Divergence) {
        self.divergences[at]
    }

    /// Returns the product state (pairs of reached rows) of those derived states in `product_state` that may differ
    /// from their references (sources of their masks) below a trie node. `height` is the length in bytes of the longest
    /// string below the node. `below` has the byte classes of these strings, one bit each. Returns [`NONE`] if none may
    /// differ.
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

    /// Returns the index in `steps` of a known transition of the product state `product_state` on another run of bytes.
    /// All its rows must have the same transitions on that run as on `byte`. `None` if no known transition fits.
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

    /// Computes the transition of a product state (pairs of reached rows) on a byte. Adds the differences of derived
    /// states from their references on this byte to `divergences`.
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

    /// Computes which derived states of a product state may still differ from their references below trie nodes of a
    /// height in bytes. If `height` is `None`, the result holds for nodes of any height and keeps all derived states.
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

    /// Returns the index of the product state (pairs of reached rows) with the entries `members`, and adds the state if
    /// it is new. [`NONE`] if there are no entries.
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

/// Returns a length in bytes as 32 bits. A longer one becomes `u32::MAX`; no token is as long.
fn bytes(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
