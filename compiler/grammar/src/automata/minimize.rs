//! Minimization of deterministic automata by alternating refinement of two partitions, one of
//! states and one of transitions.
//!
//! Source: A. Valmari, "Fast brief practical DFA minimization", Information Processing Letters
//! 112(6), 2012. O(m log n) for n states and m transitions, counted after every range is cut at the
//! bounds of all ranges. Most automata of rules are minimized more simply and without cutting (see
//! [`minimize_acyclic`]).
//!
//! The result is canonical: states are numbered in breadth-first order along sorted edges, so equal
//! languages have equal automata. By this, the network recognizes equal rules.

use super::minimize_acyclic::Unresolved;
use super::table::Table;
use super::{Dfa, Edge, Nfa, StateBudget, StateLimit, determinize, minimize_acyclic};

/// Returns the minimal automaton of the language, in canonical numbering and trimmed (see
/// [`Dfa::trimmed`]). All states of `dfa` have to be reachable.
pub fn minimize(dfa: &Dfa) -> Dfa {
    let smallest = minimize_within(dfa, StateBudget::of(usize::MAX));
    smallest.expect("all is allowed")
}

/// Returns the minimal automaton of the language in canonical numbering, within a budget. The limit
/// on states has no effect, because the result has no more states than `dfa`.
///
/// # Errors
///
/// [`StateLimit`] if the budget is spent.
pub fn minimize_within(dfa: &Dfa, allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    Ok(smallest(&dfa.into(), allowed)?.to_dfa())
}

/// Determinizes and minimizes an automaton. Returns the minimal automaton of the language, in
/// canonical numbering. Costs less than [`determinize`](super::determinize) followed by
/// [`minimize`].
///
/// # Errors
///
/// [`StateLimit`] if determinization exceeds the limits.
pub fn minimal(nfa: &Nfa, allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    Ok(minimal_table(nfa, allowed)?.to_dfa())
}

/// Determinizes and minimizes an automaton. Returns the minimal automaton of the language in
/// canonical numbering, as a table, which cannot be changed.
///
/// # Errors
///
/// See [`minimal`].
pub fn minimal_table(nfa: &Nfa, allowed: StateBudget<'_>) -> Result<Table, StateLimit> {
    let table = determinize::table(nfa, allowed)?;
    match minimize_acyclic::classes(&table, allowed) {
        // The states are already numbered in breadth-first order.
        Ok((_, count)) if count == table.len() => Ok(table),
        classes => by_classes(&table, classes, allowed),
    }
}

/// Returns the minimal automaton in canonical numbering. All states of `table` have to be
/// reachable. Fails if the budget is spent.
fn smallest(table: &Table, allowed: StateBudget<'_>) -> Result<Table, StateLimit> {
    by_classes(table, minimize_acyclic::classes(table, allowed), allowed)
}

/// Returns the minimal automaton, given the result of [`minimize_acyclic`]: for each state its
/// class of equivalent states, and the number of classes. If the automaton has dead states, trims
/// it and starts again. If the classes were too much work, uses [`refine`].
fn by_classes(
    table: &Table,
    classes: Result<(Vec<u32>, usize), Unresolved>,
    allowed: StateBudget<'_>,
) -> Result<Table, StateLimit> {
    match classes {
        Ok((classes, count)) => Ok(quotient(table, &classes, count)),
        Err(Unresolved::Dead) => smallest(&table.trimmed(), allowed),
        Err(Unresolved::Effort) => refine(&table.trimmed(), allowed),
        Err(Unresolved::Limit(limit)) => Err(limit),
    }
}

/// Minimizes a trimmed automaton by alternating refinement of a partition of its states and a
/// partition of its transitions.
fn refine(table: &Table, allowed: StateBudget<'_>) -> Result<Table, StateLimit> {
    let count = table.len();
    let cuts = cuts(table);
    let mut moves: Vec<(u32, u32, u32)> = Vec::new();
    let mut held = allowed.held();
    for tail in 0..count as u32 {
        // Each transition takes five numbers more, in the partition and in the index by target.
        allowed.hold(&mut held, size_of_val(&*moves) + 20 * moves.len())?;
        for edge in table.edges(tail) {
            let first = cuts.partition_point(|&cut| cut < edge.lo);
            allowed.spend(1)?;
            for (offset, _) in cuts[first..].iter().take_while(|&&cut| cut <= edge.hi).enumerate() {
                moves.push(((first + offset) as u32, tail, edge.target));
            }
        }
    }
    // The transitions were added in the order of their sources, so a stable sort by symbol keeps
    // the sources sorted.
    moves.sort_by_key(|&(symbol, ..)| symbol);

    let mut blocks = Partition::new(count);
    table.accepting().for_each(|state| blocks.mark(state));
    blocks.split();

    let mut cords = Partition::by_runs(moves.len(), |i| moves[i].0);
    let (starts, incoming) = incoming(&moves, count);
    let (mut block, mut cord) = (1, 0);
    while cord < cords.len() {
        allowed.spend(cords.range(cord).len())?;
        for at in cords.range(cord) {
            blocks.mark(moves[cords.elements[at] as usize].1);
        }
        blocks.split();
        cord += 1;
        while block < blocks.len() {
            for at in blocks.range(block) {
                let head = blocks.elements[at] as usize;
                let into = &incoming[starts[head] as usize..starts[head + 1] as usize];
                allowed.spend(1 + into.len())?;
                into.iter().for_each(|&index| cords.mark(index));
            }
            cords.split();
            block += 1;
        }
    }
    Ok(quotient(table, &blocks.set_of, blocks.len()))
}

/// Returns the lowest symbol of each class of equivalent symbols, sorted. Two symbols are
/// equivalent if every edge of the automaton has both or neither.
fn cuts(table: &Table) -> Vec<u32> {
    let edges = (0..table.len() as u32).flat_map(|state| table.edges(state));
    let mut cuts: Vec<u32> = edges.flat_map(|edge| [edge.lo, edge.hi + 1]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Returns an index of transitions by target, as `(starts, incoming)`. Each of `moves` is a symbol
/// class, a source and a target; `count` is the number of states. The indices in `moves` of the
/// transitions into state `s` are `incoming[starts[s]..starts[s + 1]]`.
fn incoming(moves: &[(u32, u32, u32)], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; count + 1];
    for &(_, _, head) in moves {
        starts[head as usize + 1] += 1;
    }
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    let mut fill = starts.clone();
    let mut incoming = vec![0; moves.len()];
    for (index, &(_, _, head)) in moves.iter().enumerate() {
        incoming[fill[head as usize] as usize] = index as u32;
        fill[head as usize] += 1;
    }
    (starts, incoming)
}

/// Returns the quotient of an automaton: one state for each class of equivalent states, numbered in
/// breadth-first order. `class_of` has the class of each state, and `classes` is their number.
fn quotient(table: &Table, class_of: &[u32], classes: usize) -> Table {
    let mut numbers = vec![u32::MAX; classes];
    let mut order = Vec::with_capacity(classes);
    order.push(0);
    numbers[class_of[0] as usize] = 0;
    let mut minimal = Table::with_capacity(classes, table.edge_count());
    while let Some(&state) = order.get(minimal.len()) {
        for edge in table.edges(state) {
            let number = &mut numbers[class_of[edge.target as usize] as usize];
            if *number == u32::MAX {
                *number = order.len() as u32;
                order.push(edge.target);
            }
            minimal.add(Edge { target: *number, ..*edge });
        }
        minimal.end(table.accepts(state));
    }
    minimal
}

/// A partition of the numbers `0..n` into sets. Marked numbers can be split off from their sets.
struct Partition {
    /// All numbers, so that the members of each set are consecutive. In a set, the marked numbers
    /// come first.
    elements: Vec<u32>,
    /// For each number, its index in `elements`.
    place: Vec<u32>,
    /// For each number, the index of its set.
    set_of: Vec<u32>,
    /// For each set, the index in `elements` of its first member.
    first: Vec<u32>,
    /// For each set, the index in `elements` after its last member.
    past: Vec<u32>,
    /// For each set, how many of its members are marked.
    marked: Vec<u32>,
    /// The sets that have marked members.
    touched: Vec<u32>,
}

impl Partition {
    /// Creates a partition with one set, which has the numbers `0..count`.
    fn new(count: usize) -> Self {
        Self::by_runs(count, |_| 0)
    }

    /// Creates a partition of the numbers `0..count`. Consecutive numbers with equal keys are in
    /// one set.
    fn by_runs(count: usize, key: impl Fn(usize) -> u32) -> Self {
        let mut this = Self {
            elements: (0..count as u32).collect(),
            place: (0..count as u32).collect(),
            set_of: Vec::with_capacity(count),
            first: Vec::new(),
            past: Vec::new(),
            marked: Vec::new(),
            touched: Vec::new(),
        };
        for index in 0..count {
            if index == 0 || key(index) != key(index - 1) {
                this.first.push(index as u32);
                this.past.push(index as u32);
                this.marked.push(0);
            }
            this.set_of.push(this.first.len() as u32 - 1);
            *this.past.last_mut().expect("a set was opened above") += 1;
        }
        this
    }

    /// Returns the number of sets.
    fn len(&self) -> usize {
        self.first.len()
    }

    /// Returns the range of indices in `elements` of the members of a set.
    fn range(&self, set: usize) -> std::ops::Range<usize> {
        self.first[set] as usize..self.past[set] as usize
    }

    /// Marks a number as one that the next [`Self::split`] separates from the unmarked numbers of
    /// its set. Marking a number twice has no effect.
    fn mark(&mut self, element: u32) {
        let set = self.set_of[element as usize] as usize;
        let from = self.place[element as usize];
        let to = self.first[set] + self.marked[set];
        if from < to {
            return;
        }
        let other = self.elements[to as usize];
        self.elements[from as usize] = other;
        self.place[other as usize] = from;
        self.elements[to as usize] = element;
        self.place[element as usize] = to;
        if self.marked[set] == 0 {
            self.touched.push(set as u32);
        }
        self.marked[set] += 1;
    }

    /// Splits every set that has marked and unmarked members. The smaller half becomes a new set.
    /// Removes all marks.
    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let set = set as usize;
            let middle = self.first[set] + self.marked[set];
            self.marked[set] = 0;
            if middle == self.past[set] {
                continue;
            }
            if middle - self.first[set] <= self.past[set] - middle {
                self.first.push(self.first[set]);
                self.past.push(middle);
                self.first[set] = middle;
            } else {
                self.first.push(middle);
                self.past.push(self.past[set]);
                self.past[set] = middle;
            }
            self.marked.push(0);
            let new = self.first.len() - 1;
            for at in self.range(new) {
                self.set_of[self.elements[at] as usize] = new as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::automata::{DfaState, Nfa, complement, determinize, difference, intersect};

    /// Generates random automata over the symbols 0 to 3.
    pub(crate) fn any_nfa() -> impl Strategy<Value = Nfa> {
        let edge = (0u32..6, 0u32..4, 0u32..2, 0u32..6);
        let empty = (0u32..6, 0u32..6);
        (prop::collection::vec(edge, 0..14), prop::collection::vec(empty, 0..4)).prop_map(
            |(edges, empties)| {
                let mut nfa = Nfa::new();
                (0..4).for_each(|_| _ = nfa.state());
                for (from, lo, width, to) in edges {
                    nfa.edge(from, lo, (lo + width).min(3), to);
                }
                for (from, to) in empties {
                    nfa.empty(from, to);
                }
                nfa
            },
        )
    }

    /// Returns limits that no automaton of these tests exceeds.
    fn room() -> StateBudget<'static> {
        StateBudget::of(10_000)
    }

    /// Returns the complement of an automaton.
    fn not(dfa: &Dfa) -> Dfa {
        complement(dfa, room()).expect("it has a budget")
    }

    /// Minimizes an automaton by [`refine`], the general method.
    fn refined(dfa: &Dfa) -> Dfa {
        refine(&dfa.into(), room()).expect("it has a budget").to_dfa()
    }

    /// Whether an automaton accepts a text, by simulation without subsets.
    fn naive(nfa: &Nfa, text: &[u8]) -> bool {
        let states = 0..nfa.len() as u32;
        let close = |mut set: Vec<bool>| {
            loop {
                let before = set.clone();
                for state in states.clone().filter(|&state| before[state as usize]) {
                    nfa.empties(state).for_each(|to| set[to as usize] = true);
                }
                if set == before {
                    return set;
                }
            }
        };
        let mut set = vec![false; nfa.len()];
        set[nfa.start as usize] = true;
        set = close(set);
        for &byte in text {
            let mut next = vec![false; nfa.len()];
            for state in states.clone().filter(|&state| set[state as usize]) {
                for edge in nfa.edges(state) {
                    next[edge.target as usize] |= (edge.lo..=edge.hi).contains(&u32::from(byte));
                }
            }
            set = close(next);
        }
        set[nfa.end as usize]
    }

    /// Generates all texts of at most `longest` symbols.
    fn texts(longest: u32) -> impl Iterator<Item = Vec<u8>> {
        (0..=longest).flat_map(|len| {
            (0..4u32.pow(len)).map(move |n| (0..len).map(|i| (n / 4u32.pow(i) % 4) as u8).collect())
        })
    }

    proptest! {
        #[test]
        fn keeps_the_language_and_is_canonical(nfa in any_nfa()) {
            let dfa = determinize(&nfa, room()).expect("small");
            let small = minimize(&dfa);
            prop_assert!(small.states.len() <= dfa.states.len());
            for text in texts(4) {
                let expected = naive(&nfa, &text);
                prop_assert_eq!(dfa.accepts(&text), expected, "determinised, {:?}", text);
                prop_assert_eq!(small.accepts(&text), expected, "minimised, {:?}", text);
            }
            prop_assert_eq!(minimize(&small), small.clone());
            prop_assert_eq!(refined(&dfa), small.clone());
            prop_assert_eq!(minimal(&nfa, room()), Ok(small.clone()));
            let twice = minimize(&not(&not(&small)));
            prop_assert_eq!(twice, small);
        }

        /// Minimization from the end and by refinement agree on automata with cycles like those of
        /// an object's keys in any order: long words with common prefixes or suffixes.
        #[test]
        fn words_in_any_number_are_minimised_as_by_refinement(
            words in prop::collection::vec(prop::collection::vec(0u32..3, 1..9), 1..7),
            any in prop::option::of(0u32..4),
        ) {
            let mut nfa = Nfa::new();
            for (nth, word) in words.iter().enumerate() {
                let (&last, first) = word.split_last().expect("no word is empty");
                let before = first.iter().fold(nfa.start, |from, &letter| {
                    let to = nfa.state();
                    nfa.edge(from, letter, letter, to);
                    to
                });
                let to = if nth % 3 == 0 { nfa.end } else { nfa.start };
                nfa.edge(before, last, last, to);
            }
            nfa.empty(nfa.end, nfa.start);
            if let Some(letter) = any {
                let other = nfa.state();
                nfa.edge(nfa.start, 0, letter, other);
                nfa.edge(other, 0, letter, other);
                nfa.edge(other, 3, 3, nfa.end);
            }
            let dfa = determinize(&nfa, room()).expect("small");
            prop_assert_eq!(minimize(&dfa), refined(&dfa));
            prop_assert_eq!(minimal(&nfa, room()), Ok(minimize(&dfa)));
        }

        /// Minimization from the end and by refinement agree on automata with cycles like those of
        /// an array's items: some states may be equivalent.
        #[test]
        fn ways_round_are_minimised_as_by_refinement(
            steps in prop::collection::vec((0u32..2, any::<bool>()), 1..5),
            times in 1usize..4,
        ) {
            let round = steps.repeat(times);
            let end = round.len() as u32;
            let states = (1..).zip(&round).map(|(next, &(letter, ends))| {
                let to = |lo, target| Edge { lo, hi: lo, target };
                let out = (ends || next == 1).then(|| to(3, end));
                let edges = [to(letter, next % end)].into_iter().chain(out).collect();
                DfaState { edges, accepting: false }
            });
            let last = DfaState { accepting: true, ..DfaState::default() };
            let dfa = Dfa { states: states.chain([last]).collect() };
            prop_assert_eq!(minimize(&dfa), refined(&dfa));
        }

        #[test]
        fn products_agree_with_the_operands(a in any_nfa(), b in any_nfa()) {
            let a = minimize(&determinize(&a, room()).expect("small"));
            let b = minimize(&determinize(&b, room()).expect("small"));
            let both = intersect(&a, &b, room()).expect("small");
            let other = not(&a);
            let only = difference(&a, &b, room()).expect("small");
            for text in texts(4) {
                prop_assert_eq!(both.accepts(&text), a.accepts(&text) && b.accepts(&text));
                prop_assert_eq!(other.accepts(&text), !a.accepts(&text));
                prop_assert_eq!(only.accepts(&text), a.accepts(&text) && !b.accepts(&text));
            }
        }
    }
}
