//! The most ticks that one token makes, by a walk of the token trie.
//!
//! A bound from the bytes between two ticks is quick and may be far off: of words, whose ticks may be two bytes apart, it says
//! 64 where the vocabulary's longest token is 128 spaces and no token has more than five. If zones would then cost
//! many states, the walk finds the number itself: from all states of the machine at once, with the most ticks on a way to
//! each.
//!
//! Cost: O(trie nodes times the states that a text of theirs leads to), which soon are few.

use super::machine::{MOST_COUNTERS, Machine};
use crate::automata::{Allowance, ByteRows, Edge};
use crate::ir::{ByteSet, Step};
use grammarc_artifacts::sections::vocabulary::Trie;

/// The root of a trie.
const ROOT: u32 = 0;

/// The first symbol that is no byte.
const LABELS: u32 = 256;

/// By counter, ticks since it was last reset.
pub(in crate::network) type Ticks = [u32; MOST_COUNTERS];

/// States that a text leads to, each with the most ticks on a way there.
type Reached = Vec<(u32, Ticks)>;

/// States that are looked at for each node of the trie, on average, before the walk is given up.
const STATES_A_NODE: usize = 1 << 4;

/// The most ticks of each counter that a token makes between two resets; none where a label may be within a token, where texts
/// lead to many states for long, or the budget is spent.
pub(super) fn most_ticks(
    machine: &Machine,
    trie: Trie<'_>,
    allowed: Allowance<'_>,
) -> Option<Ticks> {
    let edges = machine.states.iter().flat_map(|state| &state.edges);
    if edges.into_iter().any(|edge| edge.hi >= LABELS) {
        return None;
    }
    let all = (0..machine.states.len() as u32).map(|at| (at, Ticks::default())).collect();
    let mut left = trie.len().saturating_mul(STATES_A_NODE);
    let mut most = Ticks::default();
    let mut next = Next::new(machine);
    walk((machine, trie, allowed), ROOT, all, &mut left, &mut next, &mut most)?;
    Some(most)
}

/// The most ticks of a counter that a token makes which comes to the beginning of a rule, or begins there; `u32::MAX` where that
/// takes too long to find. O(trie nodes, and those below the first bytes).
pub(super) fn most_on_entry(
    machine: &Machine,
    counter: usize,
    trie: Trie<'_>,
    allowed: Allowance<'_>,
) -> u32 {
    let first: ByteSet = machine.states[0]
        .edges
        .iter()
        .flat_map(|edge| edge.lo..=edge.hi)
        .filter_map(|symbol| u8::try_from(symbol).ok())
        .collect();
    let mut left = trie.len().saturating_mul(STATES_A_NODE);
    let mut most = Ticks::default();
    let mut next = Next::new(machine);
    for node in 0..trie.len() as u32 {
        if node != ROOT
            && !trie.children(node).any(|child| first.contains(trie.byte[child as usize]))
        {
            continue;
        }
        let start = vec![(0, Ticks::default())];
        if walk((machine, trie, allowed), node, start, &mut left, &mut next, &mut most).is_none() {
            return u32::MAX;
        }
    }
    most[counter]
}

/// Walks the trie below a node, from some states; none where there are no steps `left`.
fn walk(
    (machine, trie, allowed): (&Machine, Trie<'_>, Allowance<'_>),
    node: u32,
    from: Reached,
    left: &mut usize,
    next: &mut Next,
    most: &mut Ticks,
) -> Option<()> {
    let mut arena = from;
    let mut open = vec![(node, 0, arena.len())];
    while let Some((node, begin, end)) = open.pop() {
        // Nodes that are still open were reached before this one.
        arena.truncate(end);
        let (mut steps, from) = (0, begin..end);
        for child in trie.children(node) {
            let class = next.rows.class(trie.byte[child as usize]);
            next.reached.clear();
            for &(state, ticks) in &arena[from.clone()] {
                if let Some(target) = next.rows.on(state, class) {
                    next.add(target, ticks);
                }
            }
            next.close(machine, most);
            steps += 1 + from.len() + next.reached.len();
            if !next.reached.is_empty() && !trie.is_leaf(child) {
                let begin = arena.len();
                arena.append(&mut next.reached);
                open.push((child, begin, arena.len()));
            }
        }
        *left = left.checked_sub(steps)?;
        allowed.spend(steps).ok()?;
    }
    Some(())
}

/// The states that one more byte leads to.
struct Next {
    reached: Reached,
    /// By state, where it is among those that are reached, if it is.
    places: Vec<u32>,
    /// The edges on bytes.
    rows: ByteRows,
}

impl Next {
    fn new(machine: &Machine) -> Self {
        let states = machine.states.len();
        let rows = ByteRows::new(states, |state| {
            let on_bytes =
                |edge: &Edge| Some((u8::try_from(edge.lo).ok()?, edge.hi.min(255) as u8));
            let edges = machine.states[state].edges.iter();
            edges.filter_map(move |edge| on_bytes(edge).map(|(lo, hi)| (lo, hi, edge.target)))
        });
        Self { reached: Vec::new(), places: vec![0; states], rows }
    }

    /// Adds a state with its ticks; says whether that changes anything.
    fn add(&mut self, state: u32, ticks: Ticks) -> bool {
        let place = self.places[state as usize] as usize;
        let known = self.reached.get_mut(place).filter(|known| known.0 == state);
        let Some((_, known)) = known else {
            self.places[state as usize] = self.reached.len() as u32;
            self.reached.push((state, ticks));
            return true;
        };
        let mut is_more = false;
        for (known, ticks) in known.iter_mut().zip(ticks) {
            is_more |= ticks > *known;
            *known = ticks.max(*known);
        }
        is_more
    }

    /// Adds all that steps lead to, with the ticks that they take.
    fn close(&mut self, machine: &Machine, most: &mut Ticks) {
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

/// Ticks after steps; the most become more where they are.
fn after(list: &[Step], mut ticks: Ticks, most: &mut Ticks) -> Ticks {
    for step in list {
        match *step {
            Step::Reset(counter) => ticks[usize::from(counter)] = 0,
            Step::Tick(counter) => {
                let ticks = &mut ticks[usize::from(counter)];
                *ticks += 1;
                most[usize::from(counter)] = (*ticks).max(most[usize::from(counter)]);
            }
            Step::Check(_) => {}
        }
    }
    ticks
}
