//! The most increments that one token makes, by a walk of the token trie.
//!
//! The bound by the fewest bytes between two increments is quick and may be far too large. For words, whose increments
//! may be two bytes apart, it says 64 if the vocabulary's longest token is 128 spaces, while no token has more than
//! five words. If zones would then cost many states, the walk finds the exact number: from all states of the machine at
//! once, with the most increments on a path to each.
//!
//! The walk is a lazy subset construction: a subset is the states that a text leads to, with their increments.
//! Increments that all states of a subset have made are stored beside it, so there are few subsets. At most trie nodes,
//! a step is one table lookup.
//!
//! Cost: O(trie nodes), and O(subsets times byte classes times their states).

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

/// The number of a transition that was not looked at.
const UNKNOWN: u32 = u32::MAX;

/// By counter, the increments since the last reset.
pub(in crate::network) type Increments = [u32; MOST_COUNTERS];

/// States that a text leads to, each with the most increments on a path there, beyond those that all have made.
type Reached = Vec<(u32, Increments)>;

/// States visited for each node of the trie, on average, before the walk gives up.
const STATES_A_NODE: usize = 1 << 1;

/// States of all subsets together, before the walk gives up.
const MOST_STATES: usize = 1 << 20;

/// Returns the most increments of each counter that a token makes between two resets. `None` if a token may contain a
/// label, if texts lead to too many states, or if the budget is spent.
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

/// Returns by counter the most increments of a token that enters the rule within it, or begins there. `u32::MAX` if the
/// walk gives up. O(trie nodes, and those below the first bytes).
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
    /// The target, if any.
    to: Option<u32>,
    /// Increments that all states of the target have made since.
    all: Increments,
    /// The most increments on a path to the target.
    most: Increments,
}

/// A lazy subset construction.
struct Subsets<'m> {
    machine: &'m Machine,
    rows: ByteRows,
    /// By counter, whether it is never reset: then the increments that all states have made are stored separately.
    is_kept_apart: [bool; MOST_COUNTERS],
    of: IndexSet<Reached, FxBuildHasher>,
    /// By subset and byte class, the number of the transition.
    numbers: Vec<u32>,
    moves: Vec<Move>,
    next: Next,
    /// Number of states of all subsets.
    states: usize,
    /// States that may still be visited.
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

    /// Returns the number of a subset, whose states are ascending.
    fn number(&mut self, reached: Reached) -> u32 {
        let count = reached.len();
        let (number, is_new) = self.of.insert_full(reached);
        if is_new {
            self.states += count;
            self.numbers.resize(self.numbers.len() + self.rows.classes(), UNKNOWN);
        }
        number as u32
    }

    /// Walks the trie below a node from a subset. `None` if no more states may be visited.
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

    /// Returns the transition of a subset on a byte class.
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
    /// By state, its index in `reached`, if it is there.
    places: Vec<u32>,
}

impl Next {
    /// Adds a state with its increments. Returns whether that changes anything.
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

    /// Adds the targets of steps, with the increments that the steps make.
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

/// Returns the increments after a list of steps, and updates the most of each.
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
