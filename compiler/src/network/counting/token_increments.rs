//! The most increments that one token makes, by a walk of the token trie.
//!
//! A bound from the bytes between two increments is quick and may be far off: of words, whose increments may be two bytes apart, it says
//! 64 where the vocabulary's longest token is 128 spaces and no token has more than five. If zones would then cost
//! many states, the walk finds the number itself: from all states of the machine at once, with the most increments on a way to
//! each.
//!
//! The states that a text leads to, with their increments, are one state of a subset construction that is made as far as tokens
//! need it. Increments that all of a subset have made stand beside it, so subsets are few: at most nodes of the trie a step is a
//! look at a table.
//!
//! Cost: O(trie nodes), and O(subsets times classes of bytes times their states).

use grammarc_artifacts::sections::vocabulary::Trie;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::machine::{MOST_COUNTERS, Machine};
use crate::automata::{ByteRows, Edge, StateBudget};
use crate::ir::{ByteSet, Step};

/// The root of a trie.
const ROOT: u32 = 0;

/// The first symbol that is no byte.
const LABELS: u32 = 256;

/// The number of a transition that was not asked for.
const UNKNOWN: u32 = u32::MAX;

/// By counter, increments since it was last reset.
pub(in crate::network) type Increments = [u32; MOST_COUNTERS];

/// States that a text leads to, each with the most increments on a way there, beyond those that all have made.
type Reached = Vec<(u32, Increments)>;

/// States that are looked at for each node of the trie, on average, before the walk is given up.
const STATES_A_NODE: usize = 1 << 1;

/// States of all subsets together, before the walk is given up.
const MOST_STATES: usize = 1 << 20;

/// The most increments of each counter that a token makes between two resets; none where a label may be within a token, where texts
/// lead to many states for long, or the budget is spent.
pub(super) fn most_increments(
    machine: &Machine,
    trie: Trie<'_>,
    allowed: StateBudget<'_>,
) -> Option<Increments> {
    let edges = machine.states.iter().flat_map(|state| &state.edges);
    if edges.into_iter().any(|edge| edge.hi >= LABELS) {
        return None;
    }
    let all = (0..machine.states.len() as u32).map(|at| (at, Increments::default())).collect();
    let mut subsets = Subsets::new(machine, trie);
    let from = subsets.number(all);
    subsets.walk(trie, (ROOT, from), allowed)?;
    Some(subsets.most)
}

/// By counter, the most increments that a token makes which comes to the beginning of a rule, or begins there; `u32::MAX` where that
/// takes too long to find. O(trie nodes, and those below the first bytes).
pub(super) fn most_on_entry(
    machine: &Machine,
    trie: Trie<'_>,
    allowed: StateBudget<'_>,
) -> Increments {
    let first: ByteSet = machine.states[0]
        .edges
        .iter()
        .flat_map(|edge| edge.lo..=edge.hi)
        .filter_map(|symbol| u8::try_from(symbol).ok())
        .collect();
    let mut subsets = Subsets::new(machine, trie);
    let start = subsets.number(vec![(0, Increments::default())]);
    for node in 0..trie.len() as u32 {
        let mut bytes = trie.children(node).map(|child| trie.byte[child as usize]);
        if node != ROOT && !bytes.any(|byte| first.contains(byte)) {
            continue;
        }
        if subsets.walk(trie, (node, start), allowed).is_none() {
            return [u32::MAX; MOST_COUNTERS];
        }
    }
    subsets.most
}

/// A transition of a subset.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// The subset behind it, if any.
    to: Option<u32>,
    /// Increments that all its states have made since.
    all: Increments,
    /// The most that were made on the way.
    most: Increments,
}

/// The subset construction, as far as it was needed.
struct Subsets<'m> {
    machine: &'m Machine,
    rows: ByteRows,
    /// Whether a counter is never reset: the increments that all states have made are kept apart.
    is_kept_apart: [bool; MOST_COUNTERS],
    of: IndexSet<Reached, FxBuildHasher>,
    /// By subset and class of bytes, the number of the transition.
    numbers: Vec<u32>,
    moves: Vec<Move>,
    next: Next,
    /// Number of states of all subsets.
    states: usize,
    /// States that may still be looked at.
    left: usize,
    /// The most increments so far.
    most: Increments,
}

impl<'m> Subsets<'m> {
    fn new(machine: &'m Machine, trie: Trie<'_>) -> Self {
        let count = machine.states.len();
        let rows = ByteRows::new(count, |state| {
            let on_bytes =
                |edge: &Edge| Some((u8::try_from(edge.lo).ok()?, edge.hi.min(255) as u8));
            let edges = machine.states[state].edges.iter();
            edges.filter_map(move |edge| on_bytes(edge).map(|(lo, hi)| (lo, hi, edge.target)))
        });
        let mut is_kept_apart = [true; MOST_COUNTERS];
        for step in machine.lists.iter().flatten() {
            if let Step::Reset(counter) = *step {
                is_kept_apart[usize::from(counter)] = false;
            }
        }
        Self {
            machine,
            rows,
            is_kept_apart,
            of: IndexSet::default(),
            numbers: Vec::new(),
            moves: Vec::new(),
            next: Next { reached: Vec::new(), places: vec![0; count] },
            states: 0,
            left: trie.len().saturating_mul(STATES_A_NODE),
            most: Increments::default(),
        }
    }

    /// The number of a subset, whose states are ascending.
    fn number(&mut self, reached: Reached) -> u32 {
        let count = reached.len();
        let (number, is_new) = self.of.insert_full(reached);
        if is_new {
            self.states += count;
            self.numbers.resize(self.numbers.len() + self.rows.classes(), UNKNOWN);
        }
        number as u32
    }

    /// Walks the trie below a node, from a subset; none where no more may be looked at.
    fn walk(&mut self, trie: Trie<'_>, from: (u32, u32), allowed: StateBudget<'_>) -> Option<()> {
        let mut open = vec![(from, Increments::default())];
        while let Some(((node, subset), before)) = open.pop() {
            let left = self.left;
            for child in trie.children(node) {
                let class = self.rows.class(trie.byte[child as usize]);
                let Move { to, all, most } = self.on(subset, class)?;
                let sum = |more: Increments| std::array::from_fn(|at| before[at] + more[at]);
                let made: Increments = sum(most);
                self.most = std::array::from_fn(|at| self.most[at].max(made[at]));
                if let Some(to) = to.filter(|_| !trie.is_leaf(child)) {
                    open.push(((child, to), sum(all)));
                }
                self.left = self.left.checked_sub(1)?;
            }
            allowed.spend(left - self.left).ok()?;
        }
        Some(())
    }

    /// The transition of a subset on a class of bytes.
    fn on(&mut self, subset: u32, class: usize) -> Option<Move> {
        let place = subset as usize * self.rows.classes() + class;
        if let Some(&known) = self.moves.get(self.numbers[place] as usize) {
            return Some(known);
        }
        let from = &self.of[subset as usize];
        for &(state, increments) in from {
            if let Some(target) = self.rows.on(state, class) {
                self.next.add(target, increments);
            }
        }
        let mut most = Increments::default();
        self.next.close(self.machine, &mut most);
        let mut reached = std::mem::take(&mut self.next.reached);
        self.left = self.left.checked_sub(from.len() + reached.len())?;
        let mut all = Increments::default();
        for counter in (0..MOST_COUNTERS).filter(|&counter| self.is_kept_apart[counter]) {
            let least =
                reached.iter().map(|(_, increments)| increments[counter]).min().unwrap_or(0);
            reached.iter_mut().for_each(|(_, increments)| increments[counter] -= least);
            all[counter] = least;
        }
        reached.sort_unstable();
        let to = (!reached.is_empty()).then(|| self.number(reached));
        let found = Move { to, all, most };
        self.numbers[place] = self.moves.len() as u32;
        self.moves.push(found);
        (self.states <= MOST_STATES).then_some(found)
    }
}

/// The states that one more byte leads to.
struct Next {
    reached: Reached,
    /// By state, where it is among those that are reached, if it is.
    places: Vec<u32>,
}

impl Next {
    /// Adds a state with its increments; says whether that changes anything.
    fn add(&mut self, state: u32, increments: Increments) -> bool {
        let place = self.places[state as usize] as usize;
        let known = self.reached.get_mut(place).filter(|known| known.0 == state);
        let Some((_, known)) = known else {
            self.places[state as usize] = self.reached.len() as u32;
            self.reached.push((state, increments));
            return true;
        };
        let mut is_more = false;
        for (known, increments) in known.iter_mut().zip(increments) {
            is_more |= increments > *known;
            *known = increments.max(*known);
        }
        is_more
    }

    /// Adds all that steps lead to, with the increments that they take.
    fn close(&mut self, machine: &Machine, most: &mut Increments) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let mut at = 0;
            while let Some((state, before)) = self.reached.get(at).copied() {
                at += 1;
                for &(list, to) in &machine.states[state as usize].steps {
                    let after = after(&machine.lists[list], before, most);
                    changed |= self.add(to, after);
                }
            }
        }
    }
}

/// Increments after steps; the most become more where they are.
fn after(list: &[Step], mut increments: Increments, most: &mut Increments) -> Increments {
    for step in list {
        match *step {
            Step::Reset(counter) => increments[usize::from(counter)] = 0,
            Step::Increment(counter) => {
                let increments = &mut increments[usize::from(counter)];
                *increments += 1;
                most[usize::from(counter)] = (*increments).max(most[usize::from(counter)]);
            }
            Step::Check(_) => {}
        }
    }
    increments
}
