//! Edges of item and member automata, reduced for tests of emptiness: two states, and the formula of the child.
//!
//! Cost: linear in the automaton; for automata with marks (required keys in any order), up to once for each state.

use crate::algebra::automata::item_automaton::{ItemAutomaton, ItemState};
use crate::algebra::automata::member_automaton::{Member, MemberAutomaton, MemberState};
use crate::algebra::logic::formula::FormulaId;
use crate::read::schema::Bounds;

/// Whether an automaton may end in a state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// An array or object never ends in this state.
    No,
    /// An array or object may end in this state.
    Yes,
    /// An array or object may end in this state after at least one member or item of its loop.
    AfterOne,
}

/// An edge of an automaton over items or members, reduced for tests of whether the automaton accepts anything.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    /// Number of the automaton state where the edge begins.
    pub(crate) from: u32,
    /// The formula that the member's value or the item satisfies; `None` for an edge that leaves a key out.
    pub(crate) value: Option<FormulaId>,
    /// Number of the automaton state where the edge ends.
    pub(crate) to: u32,
    /// The mark (register bit of a required key) that the edge sets; 0 for none.
    marks: u32,
}

/// The edges and ends of an item or member automaton.
pub(crate) struct Steps {
    /// All edges of the automaton, sorted by the state where they begin.
    pub(crate) edges: Vec<Step>,
    /// For each state, whether the automaton may end there.
    pub(crate) ends: Vec<End>,
    /// The marks (register bits of required keys) that an accepted object sets, as a bit set; 0 without marks.
    pub(crate) marks: u32,
}

impl Steps {
    /// Returns the edges that begin at an automaton state.
    pub(crate) fn edges_of(&self, state: u32) -> &[Step] {
        let from = self.edges.partition_point(|edge| edge.from < state);
        let to = self.edges.partition_point(|edge| edge.from <= state);
        &self.edges[from..to]
    }

    /// Returns for each state whether an end is reachable over edges whose formulas satisfy `holds`. With marks (bits
    /// of required keys), every state on the way must also have edges for all marks. Since members may be repeated, the
    /// test need not know which marks are set already.
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

    /// Returns whether every state and edge is obviously on a path from the start to an end. `false` means unknown. The
    /// test requires that `holds` is `true` for the formula on each edge. Each state must have an edge from an earlier
    /// state. Each state must be an end, or have an edge to a later state.
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

    /// Returns for each automaton state its new number, in breadth-first order, or `None` if the state lies on no path
    /// from the start to an end. Returns `None` as a whole if there is no such path.
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

/// Returns how an automaton may end in a state. `end` says whether the state is an end, `repeat` the bounds of its
/// loop. With a lower bound above 0, at least one member or item must be written first.
fn end(end: bool, repeat: Option<Bounds>) -> End {
    match (end, repeat) {
        (false, _) => End::No,
        (true, Some(bounds)) if bounds.min > 0 => End::AfterOne,
        (true, _) => End::Yes,
    }
}

/// An automaton over the items of an array or the members of an object.
pub(crate) trait Automaton {
    /// Returns the edges and ends of the automaton.
    fn steps(&self) -> Steps;

    /// Removes the states and edges that lie on no path from the start to an end. Returns whether there is such a path.
    /// `steps` are the automaton's own edges. `holds` returns whether some value satisfies the formula of an edge.
    fn prune(&mut self, steps: &Steps, holds: &impl Fn(FormulaId) -> bool) -> bool;
}

/// Moves each automaton state to its number in `numbers` and removes states without a number. `change` adapts each
/// state that is kept.
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

impl Automaton for ItemAutomaton {
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

impl Automaton for MemberAutomaton {
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
