//! The content graph: all formulas that are reachable from a root, and whether some value satisfies each.
//!
//! A node is a formula over values with its scalars and automata. The edges of the automata name the formulas of
//! children, which are nodes again. The satisfiable nodes are the least fixpoint. A node is satisfiable if it has a
//! scalar, or if one of its automata reaches an end over satisfiable children. Any other node has at most infinite
//! values. Afterwards, states and edges to unsatisfiable nodes are removed, so the grammar has no dead ends.
//!
//! Cost: the fixpoint visits each edge twice, so it is linear in the graph.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::node::Content;
use super::steps::{Automaton, End, Step, Steps};
use crate::algebra::logic::formula::FormulaId;

/// The content graph of a schema: each formula with the values that satisfy it. The formulas on edges of its automata
/// are nodes as well. The three tables have one entry for each formula, in equal order.
#[derive(Debug)]
pub(crate) struct ContentGraph {
    /// The formulas over values, in the order of discovery; the root comes first.
    pub(crate) formulas: IndexSet<FormulaId, FxBuildHasher>,
    /// For each formula, the scalars that satisfy it, and automata of the arrays and objects that satisfy it.
    pub(crate) contents: Vec<Content>,
    /// For each formula, whether some finite value satisfies it.
    pub(crate) holds: Vec<bool>,
}

impl ContentGraph {
    /// Returns the formula of the whole document.
    pub(crate) fn root(&self) -> FormulaId {
        self.formulas[0]
    }

    /// Returns every formula of the graph, in the order of discovery.
    pub(crate) fn formulas(&self) -> impl Iterator<Item = FormulaId> + '_ {
        self.formulas.iter().copied()
    }

    /// Returns the number of formulas of the graph.
    pub(crate) fn len(&self) -> usize {
        self.contents.len()
    }

    /// Returns the index of a formula in the tables of the graph. Panics if the formula is no node of the graph.
    pub(crate) fn index(&self, formula: FormulaId) -> usize {
        self.formulas.get_index_of(&formula).expect("children are nodes of the graph")
    }

    /// Returns the content of a formula: the scalars, arrays and objects that satisfy it. Panics if the formula is no
    /// node of the graph.
    pub(crate) fn content(&self, formula: FormulaId) -> &Content {
        self.content_at(self.index(formula))
    }

    /// Returns the content of the formula with this index: the scalars, arrays and objects that satisfy it.
    pub(crate) fn content_at(&self, index: usize) -> &Content {
        &self.contents[index]
    }

    /// Returns whether some finite value satisfies a formula.
    pub(crate) fn holds(&self, formula: FormulaId) -> bool {
        self.holds[self.index(formula)]
    }

    /// Replaces on every edge the formula with index `i` by the formula with index `to[i]`. Edges and automata that
    /// become equal are merged.
    pub(crate) fn rename(&mut self, to: &[usize]) {
        let Self { formulas, contents, .. } = self;
        for content in contents {
            let mut changed = false;
            content.for_each_value_mut(|value| {
                let new = formulas.get_index_of(value).map_or(*value, |index| formulas[to[index]]);
                changed |= new != *value;
                *value = new;
            });
            if !changed {
                continue;
            }
            for automaton in content.arrays.iter_mut().flatten() {
                automaton.states.iter_mut().for_each(|state| dedup(&mut state.items));
            }
            for automaton in content.objects.iter_mut().flatten() {
                let members = automaton.states.iter_mut().map(|state| &mut state.members);
                for several in members.filter(|members| members.len() > 1) {
                    let mut all = std::mem::take(several).into_vec();
                    dedup(&mut all);
                    *several = all.into();
                }
            }
            content.arrays.iter_mut().for_each(dedup);
            content.objects.iter_mut().for_each(dedup);
        }
    }

    /// Computes which formulas of the graph some finite value satisfies. Returns the edges of all automata, in the
    /// order of the formulas, with arrays before objects.
    pub(crate) fn fixpoint(&mut self) -> Vec<Steps> {
        let mut automata = Vec::new();
        // `last` maps each value to the last edge that needs it. `needs` maps each edge to its automaton, its two
        // states and the previous edge with this value.
        let mut last: Vec<Option<usize>> = vec![None; self.contents.len()];
        let mut needs: Vec<(usize, u32, u32, Option<usize>)> = Vec::new();
        let mut states = 0;
        let mut queue = Vec::new();
        for (index, content) in self.contents.iter().enumerate() {
            let all = content.arrays.is_none() || content.objects.is_none();
            if all || !content.scalars.is_none() {
                self.holds[index] = true;
                queue.push(Event::Holds(index));
            }
            for steps in steps_of(content) {
                for &Step { from, value, to, .. } in &steps.edges {
                    let Some(value) = value else { continue };
                    let last = &mut last[self.index(value)];
                    // An automaton with marks (register bits of required keys) is tested as a whole, once for each
                    // value that turns out to be satisfiable.
                    let known = last.is_some_and(|edge| needs[edge].0 == automata.len());
                    if steps.marks == 0 || !known {
                        let before = last.replace(needs.len());
                        needs.push((automata.len(), from, to, before));
                    }
                }
                if steps.marks == 0 {
                    queue.push(Event::Reached(automata.len(), 0));
                }
                let first = states;
                states += steps.ends.len();
                automata.push((index, first, steps));
            }
        }
        // For each state of all automata, whether it is reachable: the index is that of the automaton's first state
        // plus the state's number.
        let mut reached = vec![false; states];
        while let Some(event) = queue.pop() {
            match event {
                Event::Holds(index) => {
                    let mut edge = last[index];
                    while let Some((automaton, from, to, before)) = edge.map(|edge| needs[edge]) {
                        edge = before;
                        let (owner, first, steps) = &automata[automaton];
                        if steps.marks != 0 {
                            let holds = |value| self.holds(value);
                            if !self.holds[*owner] && steps.alive(holds)[0] {
                                self.holds[*owner] = true;
                                queue.push(Event::Holds(*owner));
                            }
                            continue;
                        }
                        if !reached[first + from as usize] {
                            continue;
                        }
                        queue.push(Event::Reached(automaton, to));
                        // A repetition that needs a member may end once some member can be written.
                        if from == to {
                            queue.push(Event::Looped(automaton, from));
                        }
                    }
                }
                Event::Reached(automaton, state) => {
                    let (owner, first, steps) = &automata[automaton];
                    if std::mem::replace(&mut reached[first + state as usize], true) {
                        continue;
                    }
                    if steps.ends[state as usize] == End::Yes && !self.holds[*owner] {
                        self.holds[*owner] = true;
                        queue.push(Event::Holds(*owner));
                    }
                    for &Step { from, value, to, .. } in steps.edges_of(state) {
                        if value.is_none_or(|value| self.holds(value)) {
                            queue.push(Event::Reached(automaton, to));
                            if from == to {
                                queue.push(Event::Looped(automaton, from));
                            }
                        }
                    }
                }
                Event::Looped(automaton, state) => {
                    let (owner, _, steps) = &automata[automaton];
                    if steps.ends[state as usize] == End::AfterOne && !self.holds[*owner] {
                        self.holds[*owner] = true;
                        queue.push(Event::Holds(*owner));
                    }
                }
            }
        }
        automata.into_iter().map(|(.., steps)| steps).collect()
    }

    /// Removes the automaton states and edges that no finite value passes. `automata` is the result of
    /// [`fixpoint`](Self::fixpoint).
    pub(crate) fn prune(&mut self, automata: Vec<Steps>) {
        let Self { formulas, contents, holds } = self;
        let holds =
            |value: FormulaId| formulas.get_index_of(&value).is_some_and(|index| holds[index]);
        let mut automata = automata.into_iter();
        for content in contents {
            if let Some(arrays) = &mut content.arrays {
                arrays.retain_mut(|automaton| {
                    automata.next().is_some_and(|steps| automaton.prune(&steps, &holds))
                });
            }
            if let Some(objects) = &mut content.objects {
                objects.retain_mut(|automaton| {
                    automata.next().is_some_and(|steps| automaton.prune(&steps, &holds))
                });
            }
        }
    }
}

/// A fact that the computation of satisfiable formulas has found.
enum Event {
    /// Some value satisfies the formula with this index.
    Holds(usize),
    /// The state of the automaton is reachable: indices of automaton and state.
    Reached(usize, u32),
    /// Some value satisfies the formula on an edge of the loop at the state: indices of automaton and state.
    Looped(usize, u32),
}

/// Returns the edges of each automaton of a content (the values that satisfy a formula), arrays before objects.
fn steps_of(content: &Content) -> impl Iterator<Item = Steps> + '_ {
    let arrays = content.arrays.iter().flatten().map(Automaton::steps);
    arrays.chain(content.objects.iter().flatten().map(Automaton::steps))
}

/// Removes repeated elements from a list and keeps the first of each.
fn dedup<T: Eq + std::hash::Hash>(items: &mut Vec<T>) {
    if items.len() < 2 {
        return;
    }
    let mut seen = FxHashSet::default();
    let new: Vec<bool> = items.iter().map(|item| seen.insert(item)).collect();
    let mut new = new.into_iter();
    items.retain(|_| new.next().unwrap_or(true));
}
