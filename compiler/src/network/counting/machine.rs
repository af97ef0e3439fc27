//! A graph with counters as a deterministic automaton whose steps are symbols, and the facts about its states.
//!
//! Each state of the graph with steps (increments, resets and checks of counters) gets an entry
//! state before it. One symbol above those of labels leads from the entry state to the state. The
//! symbol denotes the list of steps. So the automaton is determinized and minimized like any other.
//! Later passes, which add counts, treat such a symbol as an epsilon transition.
//!
//! Cost: that of the automaton, and O(states and edges) for each fact. A fact about counters costs
//! this once for each counter.

use rustc_hash::FxHashSet;

use crate::automata::{Dfa, Edge, Nfa, Symbol};
use crate::graph::Lists;
use crate::ir::thompson::build;
use crate::ir::{ByteSet, Counter, Expr, ExprGraph, Step};
use crate::network::error::NetworkErrorKind;
use crate::network::graph_parts::GraphParts;
use grammarc_grammar::lexicon::Lexicon;

/// The symbol of the first list of steps. The symbols of labels (calls or token sets) are far below
/// this value.
const STEPS: Symbol = 1 << 30;

/// The most counters of a graph whose counts are kept in a register. A graph with more counters is
/// unrolled.
pub(super) const MOST_COUNTERS: usize = 8;

/// A state of a [`Machine`].
#[derive(Default)]
pub(super) struct State {
    /// Edges on bytes and labels, in ascending order and disjoint.
    pub(super) edges: Vec<Edge>,
    /// Transitions that read nothing: the index of a list of steps in [`Machine::lists`], and the
    /// target state.
    pub(super) steps: Vec<(usize, u32)>,
    /// Whether the state is accepting.
    pub(super) accepting: bool,
    /// Bit set of the live counters: bit `n` is set if the value of counter `n` still matters from
    /// this state on.
    pub(super) live: u32,
    /// For each counter, the most increments on a path from this state until the counter is reset.
    /// `None` if there is no bound.
    pub(super) most_increments: Vec<Option<u32>>,
}

/// The automaton of a graph with counters. Its symbols are bytes, labels and lists of steps.
pub(in crate::network) struct Machine {
    /// The states by number. State 0 is the initial state.
    pub(super) states: Vec<State>,
    /// The distinct lists of steps (increments, resets and checks of counters) of the graph's
    /// states.
    pub(super) lists: Vec<Vec<Step>>,
    /// The bounds of each counter, by the counter's number.
    pub(super) counters: Vec<Counter>,
    /// Bit set of the counters whose minimum some step checks.
    pub(super) checked: u32,
    /// For each counter, an upper bound on the increments that one token can make.
    pub(super) increments_a_token: Vec<u32>,
    /// For each counter, the most increments on the shortest path from a state to the end, over all
    /// states. Shortest means the fewest bytes and labels.
    pub(super) increments_to_end: Vec<u32>,
}

impl Machine {
    /// Builds the machine of a graph. `increments_a_token` stays empty until
    /// [`Self::bound_increments`] is called.
    ///
    /// # Errors
    ///
    /// The errors of `parts`, such as a spent budget.
    pub(in crate::network) fn new<P: GraphParts>(
        parts: &mut P,
        graph: &ExprGraph,
    ) -> Result<Self, NetworkErrorKind> {
        let mut lists: Vec<Vec<Step>> = Vec::new();
        let steps = graph.steps_by_state();
        let mut nfa = Nfa::new();
        let first = nfa.len() as u32;
        (0..graph.states()).for_each(|_| _ = nfa.state());
        nfa.empty(nfa.start, first + ExprGraph::START);
        nfa.empty(first + graph.end(), nfa.end);
        // For each state of the graph with steps, the entry state at which the edges into it end.
        let mut before = vec![None; graph.states() as usize];
        for (state, list) in (0..).zip(&steps).filter(|(_, list)| !list.is_empty()) {
            let number = lists.iter().position(|known| known == list).unwrap_or(lists.len());
            if number == lists.len() {
                lists.push(list.clone());
            }
            let at = nfa.state();
            let symbol = STEPS + number as Symbol;
            nfa.edge(at, symbol, symbol, first + state);
            before[state as usize] = Some(at);
        }
        for (from, part, to) in graph.edges() {
            match before[to as usize] {
                None => build(parts, &mut nfa, part, first + from, first + to)?,
                // Steps may be taken only where the end of a part is unambiguous.
                Some(at) if !matches!(part, Expr::Empty) => {
                    let unit = parts.prefix_free(part)?;
                    nfa.embed(&unit, first + from, at);
                }
                Some(at) => nfa.empty(first + from, at),
            }
        }
        let dfa = parts.finish_counted(&nfa)?;
        let checks = lists.iter().flatten().map(|step| match *step {
            Step::Check(counter) => 1 << counter,
            Step::Reset(_) | Step::Increment(_) => 0,
        });
        let checked = checks.fold(0, |all: u32, check| all | check);
        let mut machine = Self {
            checked,
            states: states_of(&dfa),
            lists,
            counters: graph.counters().to_vec(),
            increments_a_token: Vec::new(),
            increments_to_end: Vec::new(),
        };
        machine.find_live();
        machine.find_most_increments();
        machine.increments_to_end = machine.find_increments_to_end();
        Ok(machine)
    }

    /// Sets `increments_a_token`: for each counter, an upper bound on the increments that one token
    /// of the vocabulary can make. The bound follows from the fewest bytes between two increments.
    /// `bytes` are the bytes of which the graph's strings consist.
    pub(in crate::network) fn bound_increments(&mut self, lexicon: &dyn Lexicon, bytes: ByteSet) {
        for counter in 0..self.counters.len() {
            let apart = self.bytes_between_increments(counter);
            let begun =
                apart.map_or(0, |apart| lexicon.most_repetitions(bytes, bytes, apart.max(1)));
            // The first increment may end a repetition that began before the token.
            self.increments_a_token.push(begun + 1);
        }
    }

    /// Returns a digest of the states and the lists of steps. Machines that differ only in the
    /// bounds of their counters have equal digests.
    pub(super) fn structure(&self) -> [u8; 32] {
        let mut digest = blake3::Hasher::new();
        let mut add = |numbers: [u32; 3]| _ = digest.update(bytemuck::bytes_of(&numbers));
        for (number, state) in (0..).zip(&self.states) {
            state.edges.iter().for_each(|edge| add([edge.lo, edge.hi, edge.target]));
            state.steps.iter().for_each(|&(list, to)| add([STEPS, list as u32, to]));
            add([u32::MAX, number, 0]);
        }
        for list in &self.lists {
            for step in list {
                let (kind, counter) = match *step {
                    Step::Reset(counter) => (0, counter),
                    Step::Increment(counter) => (1, counter),
                    Step::Check(counter) => (2, counter),
                };
                add([kind, counter.into(), 0]);
            }
            add([u32::MAX, u32::MAX, 0]);
        }
        digest.finalize().into()
    }

    /// Estimates how many states the rule would have, given the indices of the near-bound counters
    /// (their masks depend on the count). The estimate is the number of states times, for each
    /// counter, the counts that have to be exact.
    pub(super) fn unrolled_states(&self, near_bound: &[usize]) -> usize {
        let near = (0..).zip(&self.counters).map(|(number, bounds): (usize, _)| {
            let token =
                if near_bound.contains(&number) { 0 } else { self.increments_a_token[number] };
            let room = token + self.increments_to_end[number];
            1 + bounds.max.unwrap_or(bounds.min).min(room) as usize
        });
        near.fold(self.states.len(), usize::saturating_mul)
    }

    /// Returns how often the list of steps at index `list` increments a counter.
    pub(super) fn increments(&self, list: usize, counter: usize) -> u32 {
        let increments =
            |step: &&Step| matches!(step, Step::Increment(of) if usize::from(*of) == counter);
        self.lists[list].iter().filter(increments).count() as u32
    }

    /// Whether the list of steps at index `list` resets a counter.
    fn resets(&self, list: usize, counter: usize) -> bool {
        self.lists[list]
            .iter()
            .any(|step| matches!(step, Step::Reset(of) if usize::from(*of) == counter))
    }

    /// Whether the maximum of counter `other` may end the increments of `counter`. Then `other` has
    /// a maximum, and some cycle increments both counters and does not reset `other`. O(edges).
    pub(super) fn is_ended_by(&self, counter: usize, other: usize) -> bool {
        let kept = |list: usize| !self.resets(list, other);
        let pairs = (0..).zip(&self.states).flat_map(|(from, state): (u32, _)| {
            let on = state.edges.iter().map(|edge| edge.target);
            let steps = state.steps.iter().filter(|step| kept(step.0)).map(|step| step.1);
            on.chain(steps).map(move |to| (from, to))
        });
        let component = Lists::of_pairs(self.states.len(), pairs).components();
        let cycles = |counter: usize| {
            let component = &component;
            let steps = (0..).zip(&self.states).flat_map(|(from, state): (usize, _)| {
                state.steps.iter().map(move |&(list, to)| (from, list, to as usize))
            });
            let increments = steps.filter(move |&(from, list, to)| {
                kept(list) && self.increments(list, counter) > 0 && component[from] == component[to]
            });
            increments.map(|(from, ..)| component[from]).collect::<FxHashSet<u32>>()
        };
        self.counters[other].max.is_some() && !cycles(counter).is_disjoint(&cycles(other))
    }

    /// Computes the live counters of each state as a least fixpoint against the direction of the
    /// edges. An increment or a check of a counter makes it live before the step. A reset makes it
    /// dead.
    fn find_live(&mut self) {
        let of = |lists: &[Vec<Step>], list: usize, after: u32| {
            lists[list].iter().rev().fold(after, |live, step| step.live_before(live))
        };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for index in (0..self.states.len()).rev() {
                let state = &self.states[index];
                let on = state.edges.iter().map(|edge| self.states[edge.target as usize].live);
                let steps = state.steps.iter();
                let steps =
                    steps.map(|&(list, to)| of(&self.lists, list, self.states[to as usize].live));
                let live = on.chain(steps).fold(0, |all, live| all | live);
                changed |= std::mem::replace(&mut self.states[index].live, live) != live;
            }
        }
    }

    /// Computes `most_increments` of each state by the longest paths. A counter has no bound if a
    /// cycle increments it. The relaxation runs as many rounds as there are states. A number that
    /// still grows after that belongs to a cycle.
    fn find_most_increments(&mut self) {
        let count = self.states.len();
        for counter in 0..self.counters.len() {
            let mut most: Vec<Option<u32>> = vec![Some(0); count];
            let mut changed = true;
            let mut rounds = 0;
            while std::mem::take(&mut changed) {
                rounds += 1;
                for index in (0..count).rev() {
                    let state = &self.states[index];
                    let on = state.edges.iter().map(|edge| most[edge.target as usize]);
                    let steps = state.steps.iter().map(|&(list, to)| {
                        let after = match self.resets(list, counter) {
                            true => Some(0),
                            false => most[to as usize],
                        };
                        after.map(|after| after + self.increments(list, counter))
                    });
                    let new = on.chain(steps).try_fold(0, |all: u32, more| Some(all.max(more?)));
                    if new != most[index] {
                        changed = true;
                        // More increments than states: a path passes some state twice with an increment between.
                        let is_endless =
                            rounds > count || new.is_some_and(|most| most > count as u32);
                        most[index] = if is_endless { None } else { new };
                    }
                }
            }
            self.states
                .iter_mut()
                .zip(most)
                .for_each(|(state, most)| state.most_increments.push(most));
        }
    }

    /// Returns for each counter the most increments on a shortest path to the end. One shortest
    /// path is examined for each state.
    fn find_increments_to_end(&self) -> Vec<u32> {
        let mut paths: Vec<Option<(u32, Vec<u32>)>> = vec![None; self.states.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (index, state) in self.states.iter().enumerate().rev() {
                let mut best = state.accepting.then(|| (0, vec![0; self.counters.len()]));
                let mut take = |path: (u32, Vec<u32>)| {
                    if best.as_ref().is_none_or(|best| path.0 < best.0) {
                        best = Some(path);
                    }
                };
                for edge in &state.edges {
                    if let Some((length, increments)) = &paths[edge.target as usize] {
                        take((length + 1, increments.clone()));
                    }
                }
                for &(list, to) in &state.steps {
                    if let Some((length, increments)) = &paths[to as usize] {
                        let more = (0..).zip(increments);
                        let increments = more.map(|(counter, increments)| {
                            increments + self.increments(list, counter)
                        });
                        take((*length, increments.collect()));
                    }
                }
                let shorter =
                    |known: &(u32, Vec<u32>)| best.as_ref().is_some_and(|best| best.0 < known.0);
                let is_better = paths[index].as_ref().map_or(best.is_some(), shorter);
                if is_better {
                    paths[index] = best;
                    changed = true;
                }
            }
        }
        let mut most = vec![0; self.counters.len()];
        for (_, increments) in paths.iter().flatten() {
            most.iter_mut()
                .zip(increments)
                .for_each(|(most, increments)| *most = (*most).max(*increments));
        }
        most
    }

    /// Returns the fewest bytes between two increments of a counter. Returns `None` if no path
    /// increments the counter twice.
    fn bytes_between_increments(&self, counter: usize) -> Option<u32> {
        let mut least: Option<u32> = None;
        let steps = self.states.iter().flat_map(|state| &state.steps);
        let mut begins: Vec<u32> =
            steps.filter(|step| self.increments(step.0, counter) > 0).map(|step| step.1).collect();
        begins.sort_unstable();
        begins.dedup();
        // Breadth-first search from all targets of increments at once: the first increment found is
        // the nearest.
        let mut seen = vec![false; self.states.len()];
        let mut layer = begins;
        for bytes in 0.. {
            let mut next = Vec::new();
            let mut at = 0;
            while let Some(&state) = layer.get(at) {
                at += 1;
                if std::mem::replace(&mut seen[state as usize], true) {
                    continue;
                }
                for &(list, to) in &self.states[state as usize].steps {
                    if self.increments(list, counter) > 0 {
                        least = least.or(Some(bytes));
                    }
                    layer.push(to);
                }
                next.extend(self.states[state as usize].edges.iter().map(|edge| edge.target));
            }
            if least.is_some() || next.is_empty() {
                return least;
            }
            layer = next;
        }
        least
    }
}

/// Returns the states of an automaton. Symbols from [`STEPS`] on become lists of steps, other
/// symbols become edges.
fn states_of(dfa: &Dfa) -> Vec<State> {
    let states = dfa.states.iter().map(|state| {
        let mut new = State { accepting: state.accepting, ..State::default() };
        for edge in &state.edges {
            // An edge may cover several symbols of lists of steps.
            if edge.lo < STEPS {
                new.edges.push(*edge);
            } else {
                let lists = (edge.lo..=edge.hi).map(|symbol| (symbol - STEPS) as usize);
                new.steps.extend(lists.map(|list| (list, edge.target)));
            }
        }
        new
    });
    states.collect()
}
