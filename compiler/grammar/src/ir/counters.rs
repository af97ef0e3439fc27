//! Merges counters of a graph that are never in use at the same time: register allocation by
//! liveness.
//!
//! A counter is *live* in a state if a step may still read it before it is reset. Otherwise its
//! count has no effect. In `a{1,64}(?:,a{1,64}(?:,a{1,64})?)?`, three counters have the same bounds
//! and no two are live at once, so they become one counter. Without merging, the states of the last
//! part would be multiplied by the counts of the two parts before.
//!
//! Two counters *interfere* if a step on one of them is taken while the other is live. Counters
//! with equal bounds are assigned to groups greedily, in their order.
//!
//! Cost: O(edges times counters) for the fixpoint, O(steps) and O(counters²) for the groups.

use super::expr::ExprGraph;
use super::graph::{Counter, Step};

/// The most counters of a graph whose liveness is computed, so that a set of counters fits in 32
/// bits. With more, all counters count as live everywhere.
pub(super) const MOST_COUNTERS: usize = 32;

impl Step {
    /// Returns the same kind of step (reset, increment or check) on the counter with the number
    /// `counter`.
    fn of(self, counter: u8) -> Self {
        match self {
            Self::Reset(_) => Self::Reset(counter),
            Self::Increment(_) => Self::Increment(counter),
            Self::Check(_) => Self::Check(counter),
        }
    }

    /// Returns the counters that are live before the step, given the counters `behind` that are
    /// live after it. A counter is live if a later step may read it before it is reset. Both are
    /// sets: bit `n` is counter `n`.
    pub fn live_before(self, behind: u32) -> u32 {
        let bit = 1 << self.counter();
        match self {
            Self::Reset(_) => behind & !bit,
            Self::Increment(_) | Self::Check(_) => behind | bit,
        }
    }
}

impl ExprGraph {
    /// For each state, returns its counter steps (resets, increments and checks) in the order in
    /// which they are taken on arrival.
    pub fn steps_by_state(&self) -> Vec<Vec<Step>> {
        let mut steps = vec![Vec::new(); self.states() as usize];
        self.steps().iter().for_each(|&(state, step)| steps[state as usize].push(step));
        steps
    }

    /// For each state, returns the set of counters that are live after its steps: bit `n` is
    /// counter `n`. A counter is live if a later step may read it before it is reset. With more
    /// than [`MOST_COUNTERS`] counters, all bits are set.
    pub(super) fn live_counters(&self) -> Vec<u32> {
        let states = self.states() as usize;
        if self.counters().len() > MOST_COUNTERS {
            return vec![u32::MAX; states];
        }
        let steps = self.steps_by_state();
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); states];
        self.edges().for_each(|(from, _, to)| into[to as usize].push(from));
        let mut live = vec![0; states];
        let mut open: Vec<u32> = (0..self.states()).collect();
        while let Some(state) = open.pop() {
            let state = state as usize;
            let before = steps[state].iter().rev().fold(live[state], |live, s| s.live_before(live));
            for &from in &into[state] {
                let behind = &mut live[from as usize];
                if before & !*behind != 0 {
                    *behind |= before;
                    open.push(from);
                }
            }
        }
        live
    }

    /// Returns a graph of the same strings with fewer counters. Counters are merged if they have
    /// equal bounds and are never in use at the same time. Returns `None` if no counters can be
    /// merged.
    pub fn with_shared_counters(&self) -> Option<Self> {
        let counters = self.counters();
        if counters.len() < 2 || counters.len() > MOST_COUNTERS {
            return None;
        }
        let mut interferes = vec![0_u32; counters.len()];
        for (steps, live) in self.steps_by_state().iter().zip(self.live_counters()) {
            steps.iter().rev().fold(live, |behind, step| {
                let before = step.live_before(behind);
                let counter = step.counter();
                for other in (0..counters.len()).filter(|other| (before | behind) >> other & 1 != 0)
                {
                    interferes[usize::from(counter)] |= 1 << other;
                    interferes[other] |= 1 << counter;
                }
                before
            });
        }
        // For each group of merged counters: their common bounds, and the counters as a bit set.
        let mut groups: Vec<(Counter, u32)> = Vec::new();
        let group_of = (0..).zip(counters).map(|(counter, &bounds): (usize, _)| {
            let has_room = |(of, members): &(Counter, u32)| {
                *of == bounds && members & interferes[counter] == 0
            };
            let group = groups.iter().position(has_room).unwrap_or_else(|| {
                groups.push((bounds, 0));
                groups.len() - 1
            });
            groups[group].1 |= 1 << counter;
            group as u8
        });
        let group_of: Vec<u8> = group_of.collect();
        if groups.len() == counters.len() {
            return None;
        }
        let steps = self.steps().iter();
        let steps =
            steps.map(|&(state, step)| (state, step.of(group_of[usize::from(step.counter())])));
        Some(self.counting(groups.into_iter().map(|group| group.0).collect(), steps.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automata::StateBudget;
    use crate::ir::Expr;

    /// Returns the graph of `a{1,9}`, followed by up to `more` optional `,a{1,9}`, with one counter
    /// for each.
    fn lists(more: u32) -> ExprGraph {
        let mut graph = ExprGraph::new();
        let mut from = ExprGraph::START;
        for part in 0..=more {
            let counter = graph.counter(Counter { min: 1, max: Some(9) });
            let letter = graph.state();
            graph.step(letter, Step::Reset(counter));
            graph.step(letter, Step::Increment(counter));
            let again = graph.state();
            graph.step(again, Step::Increment(counter));
            let first = if part == 0 { Expr::byte(b'a') } else { Expr::literal(",a") };
            graph.edge(from, first, letter);
            graph.edge(letter, Expr::byte(b'a'), again);
            graph.edge(again, Expr::byte(b'a'), again);
            let end = graph.state();
            graph.edge(letter, Expr::Empty, end);
            graph.edge(again, Expr::Empty, end);
            graph.edge(end, Expr::Empty, graph.end());
            from = end;
        }
        graph
    }

    #[test]
    fn counters_one_behind_the_other_are_one() {
        let graph = lists(3);
        let shared = graph.with_shared_counters().expect("they are never live at once");
        assert_eq!(shared.counters(), [Counter { min: 1, max: Some(9) }]);
        assert_eq!(shared.steps().len(), graph.steps().len());
        assert_eq!(shared.with_shared_counters(), None);
    }

    #[test]
    fn what_is_dead_multiplies_no_states() {
        let states = |more| {
            let graph = lists(more);
            let unrolled = graph.unrolled(StateBudget::of(10_000)).expect("it is small");
            unrolled.states()
        };
        assert_eq!(states(3) - states(2), states(2) - states(1));
    }

    #[test]
    fn counters_that_are_live_at_once_or_have_other_bounds_stay() {
        let mut graph = ExprGraph::new();
        let [one, other] = [(); 2].map(|()| graph.counter(Counter { min: 0, max: Some(9) }));
        let longer = graph.counter(Counter { min: 0, max: Some(10) });
        let [letter, end] = [(); 2].map(|()| graph.state());
        for step in [Step::Increment(one), Step::Increment(other)] {
            graph.step(letter, step);
        }
        graph.step(end, Step::Reset(longer));
        graph.step(end, Step::Increment(longer));
        graph.edge(ExprGraph::START, Expr::byte(b'a'), letter);
        graph.edge(letter, Expr::byte(b'a'), letter);
        graph.edge(letter, Expr::byte(b'"'), end);
        graph.edge(end, Expr::Empty, graph.end());
        assert_eq!(graph.with_shared_counters(), None);
    }
}
