//! The content graph: all formulas that are reachable from the root, and which of them are empty.
//!
//! A node is a formula over values with the scalars and automata it comes to; the automata name the formulas of
//! children. Emptiness is the least fixpoint: a node holds something where it has a scalar, or where the end of one of
//! its automata is reached over children that hold something. A node that the fixpoint leaves out could only be
//! satisfied by an infinite value. Each edge is looked at twice, so the fixpoint is linear in the graph. Afterwards,
//! states and edges that lead nowhere are gone, so that what is written from the graph has no dead ends.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::cardinality as plenty;
use crate::algebra::automata::items::{ItemAutomaton, ItemState};
use crate::algebra::automata::members::{Member, MemberAutomaton, MemberState};
use crate::algebra::types::scalars::Scalars;
use crate::algebra::{Algebra, FormulaId};
use crate::values::numbers::NumberSet;
use crate::values::strings::StringSet;

/// The content of a formula over values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Content {
    /// Scalars.
    pub(crate) scalars: Scalars,
    /// Arrays; `None` for all of them.
    pub(crate) arrays: Option<Vec<ItemAutomaton>>,
    /// Objects; `None` for all of them.
    pub(crate) objects: Option<Vec<MemberAutomaton>>,
}

/// The graph.
#[derive(Debug)]
pub(crate) struct ContentGraph {
    formulas: IndexSet<FormulaId, FxBuildHasher>,
    pub(crate) contents: Vec<Content>,
    pub(crate) holds: Vec<bool>,
}

/// Explores all formulas that a formula applies, and removes what is empty.
pub(crate) fn build(
    algebra: &mut Algebra<'_>,
    root: FormulaId,
) -> Result<ContentGraph, Diagnostic> {
    let (mut graph, automata) = explored(algebra, root)?;
    graph.prune(automata);
    plenty::give_up_scarce(algebra, &mut graph.contents, &graph.formulas);
    Ok(graph)
}

/// Whether some value satisfies a formula, exactly. Explores what it applies where neither a scalar does nor the empty array
/// or object.
pub(crate) fn holds(algebra: &mut Algebra<'_>, formula: FormulaId) -> Result<bool, Diagnostic> {
    if !algebra.scalars(formula)?.is_none() {
        return Ok(true);
    }
    let (objects, arrays) = (algebra.resolved_objects(formula)?, algebra.array_formula(formula)?);
    if algebra.object_may_end(objects) || algebra.array_may_end(arrays) {
        return Ok(true);
    }
    if let Some(&known) = algebra.held.get(&formula) {
        return Ok(known);
    }
    let held = explored(algebra, formula)?.0.holds[0];
    algebra.held.insert(formula, held);
    Ok(held)
}

/// The graph of all formulas that a formula applies, with the nodes that are not empty, and all automata in their order.
pub(crate) fn explored(
    algebra: &mut Algebra<'_>,
    root: FormulaId,
) -> Result<(ContentGraph, Vec<Steps>), Diagnostic> {
    let size = algebra.schemas.len();
    let mut formulas: IndexSet<FormulaId, FxBuildHasher> =
        IndexSet::with_capacity_and_hasher(size, FxBuildHasher);
    formulas.insert(root);
    let mut contents = Vec::with_capacity(size);
    while let Some(&formula) = formulas.get_index(contents.len()) {
        if let Some(place) = algebra.place(formula) {
            algebra.at = place;
        }
        let content = Content {
            scalars: algebra.written_scalars(formula)?,
            arrays: algebra.item_automata(formula)?,
            objects: algebra.member_automata(formula)?,
        };
        content.for_each_value(|value| _ = formulas.insert(value));
        contents.push(content);
        algebra.grow()?;
    }
    let mut graph = ContentGraph { holds: vec![false; contents.len()], formulas, contents };
    let automata = graph.fixpoint();
    Ok((graph, automata))
}

impl Content {
    /// Every value.
    pub(crate) fn all() -> Self {
        let (numbers, strings) = (NumberSet::all().into(), StringSet::all());
        let scalars = Scalars { null: true, no: true, yes: true, numbers, strings };
        Self { scalars, arrays: None, objects: None }
    }

    /// No value.
    pub(crate) fn none() -> Self {
        let (numbers, strings) = (NumberSet::none().into(), StringSet::none());
        let scalars = Scalars { null: false, no: false, yes: false, numbers, strings };
        Self { scalars, arrays: Some(Vec::new()), objects: Some(Vec::new()) }
    }

    /// Whether all values are objects, and there are some.
    pub(crate) fn has_objects_alone(&self) -> bool {
        let has_arrays = self.arrays.as_ref().is_none_or(|arrays| !arrays.is_empty());
        let has_objects = self.objects.as_ref().is_none_or(|objects| !objects.is_empty());
        self.scalars.is_none() && !has_arrays && has_objects
    }

    /// Whether every value is held.
    pub(crate) fn is_all(&self) -> bool {
        let Scalars { null, no, yes, numbers, strings } = &self.scalars;
        let constants = *null && *no && *yes;
        let structured = self.arrays.is_none() && self.objects.is_none();
        constants && structured && numbers.is_all() && strings.is_all()
    }

    /// Calls `visit` with the formula of every child.
    pub(crate) fn for_each_value(&self, mut visit: impl FnMut(FormulaId)) {
        for state in self.arrays.iter().flatten().flat_map(|automaton| &automaton.states) {
            state.items.iter().for_each(|&(value, _)| visit(value));
        }
        for state in self.objects.iter().flatten().flat_map(|automaton| &automaton.states) {
            state.members.iter().for_each(|member| visit(member.value));
        }
    }

    /// Calls `change` with the formula of every child.
    pub(crate) fn for_each_value_mut(&mut self, mut change: impl FnMut(&mut FormulaId)) {
        for automaton in self.arrays.iter_mut().flatten() {
            let states = automaton.states.iter_mut();
            states.flat_map(|state| &mut state.items).for_each(|(value, _)| change(value));
        }
        for automaton in self.objects.iter_mut().flatten() {
            let states = automaton.states.iter_mut();
            states
                .flat_map(|state| &mut state.members)
                .for_each(|member| change(&mut member.value));
        }
    }

    fn automata(&self) -> impl Iterator<Item = Steps> + '_ {
        let arrays = self.arrays.iter().flatten().map(ItemAutomaton::steps);
        arrays.chain(self.objects.iter().flatten().map(MemberAutomaton::steps))
    }
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
    fn fixpoint(&mut self) -> Vec<Steps> {
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
            for steps in content.automata() {
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

    fn prune(&mut self, automata: Vec<Steps>) {
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

/// Whether an automaton may end in a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    No,
    Yes,
    /// After a member that leads back to the state.
    AfterOne,
}

/// An edge as far as emptiness is concerned.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    from: u32,
    /// The child that has to be written.
    pub(crate) value: Option<FormulaId>,
    to: u32,
    /// The mark that is passed, as a bit.
    marks: u32,
}

/// An automaton as far as emptiness is concerned.
pub(crate) struct Steps {
    /// Sorted by source.
    pub(crate) edges: Vec<Step>,
    ends: Vec<End>,
    /// All marks, as bits.
    marks: u32,
}

impl Steps {
    fn edges_of(&self, state: u32) -> &[Step] {
        let from = self.edges.partition_point(|edge| edge.from < state);
        let to = self.edges.partition_point(|edge| edge.from <= state);
        &self.edges[from..to]
    }

    /// The states that reach an end. With marks, a state must also be able to pass every mark that is left, and then reach an
    /// end. A member may be written again, so a mark that cannot be passed any more has not been passed either: such a
    /// state never reaches an end.
    pub(crate) fn alive(&self, holds: impl Fn(FormulaId) -> bool) -> Vec<bool> {
        let mut alive = vec![true; self.ends.len()];
        loop {
            let open = |edge: &&Step| alive[edge.to as usize] && edge.value.is_none_or(&holds);
            let mut back = vec![Vec::new(); self.ends.len()];
            for edge in self.edges.iter().filter(open) {
                back[edge.to as usize].push(edge.from);
            }
            let ends = |state: u32| match self.ends[state as usize] {
                End::Yes => true,
                End::AfterOne => self.edges_of(state).iter().any(|edge| open(&edge)),
                End::No => false,
            };
            let passes = |state: u32| {
                let steps = self.edges_of(state).iter().filter(open);
                steps.fold(0, |marks, edge| marks | edge.marks) == self.marks
            };
            let states = 0..self.ends.len() as u32;
            let mut ending = vec![false; self.ends.len()];
            let mut stack: Vec<u32> = states.filter(|&state| ends(state)).collect();
            while let Some(state) = stack.pop() {
                if !std::mem::replace(&mut ending[state as usize], true) {
                    stack.extend(&back[state as usize]);
                }
            }
            if self.marks != 0 {
                (0..).zip(&mut ending).for_each(|(state, ending)| *ending &= passes(state));
            }
            if alive == ending || self.marks == 0 {
                return ending;
            }
            alive = ending;
        }
    }

    /// Whether it is plain that every state and every edge is on a way from the start to an end: no child is empty, and
    /// states come after one that leads to them and before one that they lead to, but for those that may end.
    fn is_whole(&self, holds: impl Fn(FormulaId) -> bool) -> bool {
        let mut reached = vec![false; self.ends.len()];
        let mut alive: Vec<bool> = self.ends.iter().map(|&end| end == End::Yes).collect();
        reached[0] = true;
        for &Step { from, value, to, .. } in &self.edges {
            if !reached[from as usize] || !value.is_none_or(&holds) {
                return false;
            }
            reached[to as usize] = true;
            alive[from as usize] |= to > from || self.ends[from as usize] == End::AfterOne;
        }
        let all = |states: &[bool]| states.iter().all(|&state| state);
        self.marks == 0 && all(&reached) && all(&alive)
    }

    /// New numbers of the states on a path from the start to an end. `None` if there is no such path.
    fn renumbered(&self, holds: impl Fn(FormulaId) -> bool) -> Option<Vec<Option<u32>>> {
        let open = |edge: &&Step| edge.value.is_none_or(&holds);
        let ending = self.alive(&holds);
        let mut numbers = vec![None; self.ends.len()];
        let mut next = 0;
        let mut seen = vec![false; self.ends.len()];
        let mut queue = std::collections::VecDeque::from([0]);
        while let Some(state) = queue.pop_front() {
            if !ending[state as usize] || std::mem::replace(&mut seen[state as usize], true) {
                continue;
            }
            numbers[state as usize] = Some(next);
            next += 1;
            queue.extend(self.edges_of(state).iter().filter(open).map(|edge| edge.to));
        }
        numbers[0].map(|_| numbers)
    }
}

fn end(end: bool, repeat: Option<crate::read::schema::Bounds>) -> End {
    match (end, repeat) {
        (false, _) => End::No,
        (true, Some(bounds)) if bounds.min > 0 => End::AfterOne,
        (true, _) => End::Yes,
    }
}

/// The states with new numbers, in their order.
fn renumber<S: Default>(
    states: &mut Vec<S>,
    numbers: &[Option<u32>],
    mut change: impl FnMut(&mut S),
) {
    let count = numbers.iter().flatten().count();
    let mut new: Vec<S> = std::iter::repeat_with(S::default).take(count).collect();
    for (mut state, number) in std::mem::take(states).into_iter().zip(numbers) {
        if let Some(number) = number {
            change(&mut state);
            new[*number as usize] = state;
        }
    }
    *states = new;
}

impl ItemAutomaton {
    fn steps(&self) -> Steps {
        let mut edges = Vec::with_capacity(self.states.iter().map(|state| state.items.len()).sum());
        for (from, state) in (0..).zip(&self.states) {
            let items = state.items.iter();
            let step = |&(value, to)| Step { from, value: Some(value), to, marks: 0 };
            edges.extend(items.map(step));
        }
        let ends = self.states.iter().map(|state| end(state.end, state.repeat)).collect();
        Steps { edges, ends, marks: 0 }
    }

    /// Leaves what is on a way from the start to an end; whether there is such a way.
    fn prune(&mut self, steps: &Steps, holds: &impl Fn(FormulaId) -> bool) -> bool {
        if steps.is_whole(holds) {
            return true;
        }
        if !self.counters.is_empty() && self.keeps_counters(holds) == Some(false) {
            return false;
        }
        let Some(numbers) = steps.renumbered(holds) else { return false };
        renumber(&mut self.states, &numbers, |state: &mut ItemState| {
            state.items.retain(|&(value, to)| holds(value) && numbers[to as usize].is_some());
            for (_, to) in &mut state.items {
                *to = numbers[*to as usize].unwrap_or_default();
            }
        });
        true
    }
}

impl MemberAutomaton {
    fn steps(&self) -> Steps {
        let mut edges = Vec::with_capacity(self.size());
        for (from, state) in (0..).zip(&self.states) {
            edges.extend(state.skip.map(|to| Step { from, value: None, to, marks: 0 }));
            edges.extend(state.members.iter().map(|member| Step {
                from,
                value: Some(member.value),
                to: member.to,
                marks: member.mark.map_or(0, |mark| 1 << mark),
            }));
        }
        let ends = self.states.iter().map(|state| end(state.end, state.repeat)).collect();
        Steps { edges, ends, marks: self.marks }
    }

    /// Leaves what is on a way from the start to an end; whether there is such a way.
    fn prune(&mut self, steps: &Steps, holds: &impl Fn(FormulaId) -> bool) -> bool {
        if steps.is_whole(holds) {
            return true;
        }
        let Some(numbers) = steps.renumbered(holds) else { return false };
        renumber(&mut self.states, &numbers, |state: &mut MemberState| {
            state
                .members
                .retain(|member| holds(member.value) && numbers[member.to as usize].is_some());
            for Member { to, .. } in &mut state.members {
                *to = numbers[*to as usize].unwrap_or_default();
            }
            state.skip = state.skip.and_then(|to| numbers[to as usize]);
        });
        true
    }
}

/// Drops what occurs again.
fn dedup<T: Eq + std::hash::Hash>(items: &mut Vec<T>) {
    if items.len() < 2 {
        return;
    }
    let mut seen = rustc_hash::FxHashSet::default();
    let new: Vec<bool> = items.iter().map(|item| seen.insert(item)).collect();
    let mut new = new.into_iter();
    items.retain(|_| new.next().unwrap_or(true));
}
