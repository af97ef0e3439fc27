//! Nondeterministic automata with empty transitions, in Thompson's style. Every operation adds
//! states and edges to one growing automaton, and a fragment is a pair of its states.
//!
//! Source: K. Thompson, "Regular expression search algorithm", CACM 11(6), 1968.
//!
//! A state has one or two transitions, and there are many states, so all transitions are in two
//! shared lists. Consecutive transitions of one state on symbols are a *run*. Most states have at
//! most one run. The runs of a state form a linked list, and so do its empty transitions.

use super::simulation::Simulation;
use super::{Dfa, Edge, Symbol};
use crate::graph::Lists;

/// The index that ends a linked list of runs or of empty transitions: there is no earlier member.
const NONE: u32 = u32::MAX;

/// The transitions of one state, as indices into the lists that all states of the automaton share.
#[derive(Clone, Copy, Debug)]
struct State {
    /// The last run of the state: a range of consecutive transitions on symbols in `Nfa::edges`.
    /// The range is empty if the state has no transition on symbols.
    run: Run,
    /// The index in `Nfa::runs` of the state's run before `run`, or [`NONE`] if the state has at
    /// most one run.
    before: u32,
    /// The index in `Nfa::empty` of the state's last empty transition, or [`NONE`] if the state has
    /// no empty transition.
    empty: u32,
}

impl State {
    /// The record of a state without transitions.
    const BARE: Self = Self { run: Run { from: 0, to: 0 }, before: NONE, empty: NONE };
}

/// A run: transitions on symbols that one state has and that are consecutive in `Nfa::edges`. Given
/// as a range of indices in that list.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The index in `Nfa::edges` of the first transition.
    from: u32,
    /// The index in `Nfa::edges` after the last transition.
    to: u32,
}

/// A nondeterministic automaton with one initial and one final state.
#[derive(Clone, Debug)]
pub struct Nfa {
    /// For each state, by its number, its transitions.
    states: Vec<State>,
    /// The transitions on symbols of all states, in the order in which they were added.
    edges: Vec<Edge>,
    /// The earlier runs of states whose transitions are not consecutive in `edges`. A run is a
    /// range of consecutive transitions of one state in `edges`. They form one linked list for each
    /// state: each entry has the index of the state's previous entry, or [`NONE`]. The last run of
    /// a state is in `states`.
    runs: Vec<(Run, u32)>,
    /// The empty transitions of all states, as one linked list for each state. Each entry has the
    /// target state, and the index of the state's previous entry or [`NONE`].
    empty: Vec<(u32, u32)>,
    /// The known simulations between states, which determinization uses. A state simulates another
    /// state if it accepts every string that the other state accepts.
    pub simulation: Simulation,
    /// The number of the initial state.
    pub start: u32,
    /// The number of the final state, the only one that accepts.
    pub end: u32,
}

impl Default for Nfa {
    fn default() -> Self {
        Self::new()
    }
}

impl Nfa {
    /// Creates an automaton with an initial and a final state, and without transitions.
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// Creates an automaton with an initial and a final state, with capacity for about `states`
    /// states.
    pub fn with_capacity(states: usize) -> Self {
        let (edges, empty) = (Vec::with_capacity(states), Vec::with_capacity(states / 2));
        let mut all = Vec::with_capacity(states + 2);
        all.resize(2, State::BARE);
        let (runs, simulation) = (Vec::new(), Simulation::default());
        Self { states: all, edges, runs, empty, simulation, start: 0, end: 1 }
    }

    /// Returns the number of states, at least two.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns the size of the automaton in bytes.
    pub fn bytes(&self) -> usize {
        let Self { states, edges, runs, empty, simulation, .. } = self;
        size_of_val(&**states)
            + size_of_val(&**edges)
            + size_of_val(&**runs)
            + size_of_val(&**empty)
            + simulation.bytes()
    }

    /// Returns the number of transitions on symbols.
    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Adds a state without transitions. Returns the number of the state.
    pub fn state(&mut self) -> u32 {
        self.states.push(State::BARE);
        (self.states.len() - 1) as u32
    }

    /// Adds a transition from the state `from` to the state `target`, on the symbols from `lo` to
    /// `hi`, both inclusive.
    #[inline]
    pub fn edge(&mut self, from: u32, lo: Symbol, hi: Symbol, target: u32) {
        let place = self.edges.len() as u32;
        let State { run, before, .. } = &mut self.states[from as usize];
        if run.to != place {
            if run.from != run.to {
                let earlier = self.runs.len() as u32;
                self.runs.push((*run, std::mem::replace(before, earlier)));
            }
            run.from = place;
        }
        run.to = place + 1;
        self.edges.push(Edge { lo, hi, target });
    }

    /// Adds an empty transition, which reads no symbol, from the state `from` to the state
    /// `target`.
    pub fn empty(&mut self, from: u32, target: u32) {
        let last = &mut self.states[from as usize].empty;
        let before = std::mem::replace(last, self.empty.len() as u32);
        self.empty.push((target, before));
    }

    /// Returns the transitions of a state on symbols, in no particular order. Their ranges may
    /// overlap.
    pub fn edges(&self, state: u32) -> impl Iterator<Item = Edge> + '_ {
        self.runs(state).flat_map(|run| run.iter().rev().copied())
    }

    /// Returns the transitions of a state on symbols, as slices of the list of all transitions.
    /// Transitions in one slice were added directly after each other and are in that order. The
    /// last added slice comes first.
    pub(super) fn runs(&self, state: u32) -> impl Iterator<Item = &[Edge]> {
        let State { run, before, .. } = self.states[state as usize];
        let runs = std::iter::once(run).chain(linked(&self.runs, before));
        runs.map(|run| &self.edges[run.from as usize..run.to as usize])
    }

    /// Returns the transitions of a state on symbols, if they are consecutive in the list of all
    /// transitions. Returns `None` if transitions of other states were added in between.
    #[inline]
    pub(super) fn only_run(&self, state: u32) -> Option<&[Edge]> {
        let State { run, before, .. } = self.states[state as usize];
        (before == NONE).then(|| &self.edges[run.from as usize..run.to as usize])
    }

    /// Returns the target states of a state's empty transitions, the last added first.
    pub fn empties(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        linked(&self.empty, self.states[state as usize].empty)
    }

    /// Whether a state has transitions on symbols.
    pub fn has_edges(&self, state: u32) -> bool {
        let Run { from, to } = self.states[state as usize].run;
        from != to
    }

    /// Whether a state has empty transitions.
    pub(super) fn has_empties(&self, state: u32) -> bool {
        self.states[state as usize].empty != NONE
    }

    /// Returns the automaton without transitions to dead states (states from which the final state
    /// is unreachable). O(states and transitions).
    #[must_use]
    pub fn without_dead(&self) -> Self {
        let count = self.states.len();
        let into: Vec<(u32, u32)> = (0..count as u32)
            .flat_map(|state| {
                let targets = self.edges(state).map(|edge| edge.target).chain(self.empties(state));
                targets.map(move |target| (target, state))
            })
            .collect();
        let mut is_live = vec![false; count];
        for state in Lists::of_pairs(count, into.iter().copied()).reachable([self.end]) {
            is_live[state as usize] = true;
        }
        let (simulation, start, end) = (self.simulation.clone(), self.start, self.end);
        let mut live = Self { simulation, start, end, ..Self::with_capacity(count) };
        (2..count).for_each(|_| _ = live.state());
        for from in 0..count as u32 {
            let edges = self.edges(from).filter(|edge| is_live[edge.target as usize]);
            edges.for_each(|edge| live.edge(from, edge.lo, edge.hi, edge.target));
            let empties = self.empties(from).filter(|&target| is_live[target as usize]);
            empties.for_each(|target| live.empty(from, target));
        }
        live
    }

    /// Adds a copy of the deterministic automaton `dfa`. An empty transition leads from the
    /// existing state `from` to the copy's initial state. Empty transitions lead from the copy's
    /// accepting states to `to`. O(size of `dfa`).
    pub fn embed(&mut self, dfa: &Dfa, from: u32, to: u32) {
        let base = self.states.len() as u32;
        self.empty(from, base);
        self.states.reserve(dfa.states.len());
        for state in &dfa.states {
            let from = self.edges.len() as u32;
            let edges = state.edges.iter();
            self.edges.extend(edges.map(|edge| Edge { target: base + edge.target, ..*edge }));
            let mut empty = NONE;
            if state.accepting {
                empty = self.empty.len() as u32;
                self.empty.push((to, NONE));
            }
            let run = Run { from, to: self.edges.len() as u32 };
            self.states.push(State { run, before: NONE, empty });
        }
    }
}

/// Returns the values of a linked list within `list`, the last added first. Each member has its
/// value and the index of the member before. `last` is the index of the last member. An index that
/// is out of range, such as [`NONE`], ends the list.
fn linked<T: Copy>(list: &[(T, u32)], last: u32) -> impl Iterator<Item = T> + '_ {
    let mut next = list.get(last as usize);
    std::iter::from_fn(move || {
        let &(value, before) = next?;
        next = list.get(before as usize);
        Some(value)
    })
}
