//! The content graph: all formulas that are reachable from a root, and which of them are empty.
//!
//! A node is a formula over values with its scalars and automata. The automata name the formulas of children. Emptiness is
//! the least fixpoint: a node is inhabited if it has a scalar, or if one of its automata reaches an end over inhabited
//! children. Only an infinite value would satisfy any other node. Afterwards states and edges to empty nodes are removed, so
//! the grammar has no dead ends.
//!
//! Cost: each edge is visited twice, so the fixpoint is linear in the graph.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::node::Content;
use super::steps::{Automaton, End, Step, Steps};
use crate::algebra::logic::formula::FormulaId;

/// The graph.
#[derive(Debug)]
pub(crate) struct ContentGraph {
    pub(crate) formulas: IndexSet<FormulaId, FxBuildHasher>,
    pub(crate) contents: Vec<Content>,
    pub(crate) holds: Vec<bool>,
}

impl ContentGraph {
    /// The formula of the whole.
    pub(crate) fn root(&self) -> FormulaId {
        self.formulas[0]
    }

    /// Every formula, in the order of discovery.
    pub(crate) fn formulas(&self) -> impl Iterator<Item = FormulaId> + '_ {
        self.formulas.iter().copied()
    }

    /// Number of formulas.
    pub(crate) fn len(&self) -> usize {
        self.contents.len()
    }

    /// Index of a formula.
    pub(crate) fn index(&self, formula: FormulaId) -> usize {
        self.formulas.get_index_of(&formula).expect("children are nodes of the graph")
    }

    /// The content of a formula.
    pub(crate) fn content(&self, formula: FormulaId) -> &Content {
        self.content_at(self.index(formula))
    }

    /// The content of the formula with an index.
    pub(crate) fn content_at(&self, index: usize) -> &Content {
        &self.contents[index]
    }

    /// Whether some value satisfies the formula.
    pub(crate) fn holds(&self, formula: FormulaId) -> bool {
        self.holds[self.index(formula)]
    }

    /// Replaces the formulas of children by others, given by index.
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

    /// Computes the nodes that are not empty. Returns all automata, in their order.
    pub(crate) fn fixpoint(&mut self) -> Vec<Steps> {
        let mut automata = Vec::new();
        // By value, the last edge that needs it; by edge, the automaton, its states and the edge before.
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
                    // An automaton with marks is looked at as a whole, once for each value that turns out to exist.
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
        // By the first of all states of an automaton and its number there.
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
                        // A repetition that needs a member ends once some member can be written.
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

    /// Removes the states and edges that no finite value passes. `automata` are those of [`fixpoint`](Self::fixpoint).
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

/// The results of the fixpoint.
enum Event {
    /// The node holds something.
    Holds(usize),
    /// The state of the automaton can be reached.
    Reached(usize, u32),
    /// A member that leads back to the state of the automaton can be written.
    Looped(usize, u32),
}

/// The steps of all automata of a content, arrays before objects.
fn steps_of(content: &Content) -> impl Iterator<Item = Steps> + '_ {
    let arrays = content.arrays.iter().flatten().map(Automaton::steps);
    arrays.chain(content.objects.iter().flatten().map(Automaton::steps))
}

/// Removes repeated elements.
fn dedup<T: Eq + std::hash::Hash>(items: &mut Vec<T>) {
    if items.len() < 2 {
        return;
    }
    let mut seen = FxHashSet::default();
    let new: Vec<bool> = items.iter().map(|item| seen.insert(item)).collect();
    let mut new = new.into_iter();
    items.retain(|_| new.next().unwrap_or(true));
}
