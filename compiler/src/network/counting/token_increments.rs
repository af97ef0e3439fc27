//! The most increments of each counter that one token makes, found by a walk of the token trie.
//!
//! A quick bound divides the length of a token by the fewest bytes between two increments, and may
//! be far too large. Counted words may be two bytes apart, so the quick bound is 64 if the
//! vocabulary's longest token is 128 spaces. Yet no token has more than five words. If the quick
//! bound would cost many states, this walk finds the exact number. The walk begins at all states of
//! the machine at once, and keeps the most increments on a path to each.
//!
//! The walk is a lazy subset construction. A subset is the set of states that a text leads to, each
//! with its increments. Increments that all states of a subset have made are stored beside the
//! subset, so there are few subsets. At most trie nodes, a step is one table lookup.
//!
//! Cost: O(trie nodes), and O(subsets times byte classes times their states).

use grammarc_artifacts::sections::vocabulary::Trie;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::machine::{MOST_COUNTERS, Machine};
use crate::automata::{ByteRows, Edge, StateBudget};
use crate::ir::{ByteSet, Step};

/// The root node of a token trie.
const ROOT: u32 = 0;

/// The first symbol that is not a byte. Symbols from here on are labels.
const LABELS: u32 = 256;

/// The entry of a transition that has not been computed yet.
const UNKNOWN: u32 = u32::MAX;

/// For each counter, its increments since its last reset.
pub(in crate::network) type Increments = [u32; MOST_COUNTERS];

/// States that a text leads to, each with the most increments on a path there. Increments that all
/// of these states have made are subtracted.
type Reached = Vec<(u32, Increments)>;

/// States that the walk may visit for each node of the trie, on average. Beyond that, the walk
/// gives up and finds no bound.
const STATES_A_NODE: usize = 1 << 1;

/// The most states in all subsets together. Beyond that, the walk gives up and finds no bound.
const MOST_STATES: usize = 1 << 20;

/// Returns for each counter the most increments that one token makes between two resets, from any
/// state of the machine. Returns `None` if a label (call or token set) occurs in the machine, if
/// texts lead to too many states, or if the budget is spent.
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

/// Returns for each counter the most increments that one token makes after it enters the rule. The
/// token may enter at its first byte or within. All numbers are `u32::MAX` if the walk gives up.
/// O(trie nodes, and the nodes below each possible entry).
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

/// A transition of a subset on one byte class.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// The number of the target subset. `None` if no state is left.
    to: Option<u32>,
    /// For each counter, the increments that all states of the target have made since the source
    /// subset.
    all: Increments,
    /// For each counter, the most increments on a path through this transition, relative to the
    /// source subset.
    most: Increments,
}

/// A lazy subset construction on the states of a machine, for a walk of the token trie.
struct Subsets<'m> {
    /// The machine whose states the subsets consist of.
    machine: &'m Machine,
    /// For each state and byte class, the target state on that class.
    rows: ByteRows,
    /// For each counter, whether no step resets it. Then the increments that all states of a subset
    /// have made are stored beside the subset.
    is_kept_apart: [bool; MOST_COUNTERS],
    /// The subsets by number.
    of: IndexSet<Reached, FxBuildHasher>,
    /// For each subset and byte class, the index of the transition in `moves`, or [`UNKNOWN`].
    numbers: Vec<u32>,
    /// The transitions computed so far.
    moves: Vec<Move>,
    /// Buffer for the target of the transition under construction.
    next: Next,
    /// Number of states in all subsets together.
    states: usize,
    /// States that the walk may still visit before it gives up.
    left: usize,
    /// For each counter, the most increments of a token that the walk has found so far.
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

    /// Returns the number of a subset, and adds the subset if it is new. The states of `reached`
    /// are in ascending order.
    fn number(&mut self, reached: Reached) -> u32 {
        let count = reached.len();
        let (number, is_new) = self.of.insert_full(reached);
        if is_new {
            self.states += count;
            self.numbers.resize(self.numbers.len() + self.rows.classes(), UNKNOWN);
        }
        number as u32
    }

    /// Walks the trie below a node from a subset; `from` is the node and the number of the subset.
    /// Updates `most`. Returns `None` if the walk may visit no more states, or the budget is spent.
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

    /// Returns the transition of a subset on a byte class. Computes it at the first request.
    /// Returns `None` if a limit of the walk is exceeded.
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

/// The states that one more byte leads to, while they are collected.
struct Next {
    /// The states found so far, with the most increments on a path to each.
    reached: Reached,
    /// For each state of the machine, its index in `reached`. The entry is valid only if `reached`
    /// holds the state at that index.
    places: Vec<u32>,
}

impl Next {
    /// Adds a state with the increments on a path to it. For a state that is known, keeps the
    /// larger number for each counter. Returns whether the state is new or some number grew.
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

    /// Adds the targets of steps until nothing changes, with the increments that the steps make.
    /// Updates `most`, the most increments of each counter.
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

/// Returns the increments after a list of steps. Raises `most`, the most increments of each
/// counter, where a count exceeds it.
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
