//! Unrolls graphs. A state of the result is a pair of a state of the graph and the required keys
//! visited so far, or the counts.
//!
//! Counts of counters that are not live are set to zero. So counters that follow each other add
//! their states and do not multiply them.
//!
//! Cost: O(states and edges of the result).

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Expr;
use super::counters::MOST_COUNTERS;
use super::expr::ExprGraph;
use super::graph::Step;
use crate::automata::{StateBudget, StateLimit};

impl ExprGraph {
    /// Returns a graph with the same strings and without required keys and counters. A state of the
    /// result is a state of this graph together with the keys visited so far, or with the counts.
    /// Without keys and counters, returns this graph.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the result exceeds the limits.
    pub fn unrolled(&self, allowed: StateBudget<'_>) -> Result<Cow<'_, Self>, StateLimit> {
        if !self.has_registers() {
            return Ok(Cow::Borrowed(self));
        }
        let all = self.required_keys();
        let mut keys = vec![0; self.states() as usize];
        self.required_key_states().iter().for_each(|&(state, key)| keys[state as usize] = 1 << key);
        if self.counters().is_empty() {
            let on = |to: u32, met: &u32| Some(met | keys[to as usize]);
            return self.unrolled_by(0, on, |met| *met == all, allowed).map(Cow::Owned);
        }
        let (steps, live) = (self.steps_by_state(), self.live_counters());
        let zero = vec![0; self.counters().len()];
        let on = |to: u32, counts: &Vec<u32>| {
            let mut counts = counts.clone();
            let passes = |step: &Step| self.take(*step, &mut counts);
            if !steps[to as usize].iter().all(passes) {
                return None;
            }
            // The count of a counter that is not live has no effect, so it is set to zero.
            let numbered = counts.iter_mut().zip(0..MOST_COUNTERS);
            let dead = numbered.filter(|(_, counter)| live[to as usize] >> counter & 1 == 0);
            dead.for_each(|(count, _)| *count = 0);
            Some(counts)
        };
        self.unrolled_by(zero, on, |_| true, allowed).map(Cow::Owned)
    }

    /// Applies a counter step (reset, increment or check) to `counts`, the count of each counter.
    /// Returns `false` if the path ends: a maximum is exceeded, or a count is below its minimum.
    fn take(&self, step: Step, counts: &mut [u32]) -> bool {
        match step {
            Step::Reset(counter) => {
                counts[usize::from(counter)] = 0;
                true
            }
            Step::Increment(counter) => {
                let bounds = self.counters()[usize::from(counter)];
                let count = &mut counts[usize::from(counter)];
                let goes = bounds.max.is_none_or(|max| *count < max);
                *count = bounds.saturated(count.saturating_add(1));
                goes
            }
            Step::Check(counter) => {
                counts[usize::from(counter)] >= self.counters()[usize::from(counter)].min
            }
        }
    }

    /// Builds the product of the graph with values of the type `M`, such as the set of keys visited
    /// so far. The result has one state for each reachable pair of a state and a value. `none` is
    /// the value at the start.
    ///
    /// `on` returns the value after an edge into a state, or `None` if the edge cannot be taken.
    /// `ends` decides whether the end state accepts with a value.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the result exceeds the limits.
    fn unrolled_by<M: Clone + Eq + std::hash::Hash>(
        &self,
        none: M,
        on: impl Fn(u32, &M) -> Option<M>,
        ends: impl Fn(&M) -> bool,
        allowed: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        let mut held = allowed.held();
        let mut from = vec![Vec::new(); self.states() as usize];
        self.edges().for_each(|(source, part, to)| from[source as usize].push((part, to)));
        let mut result = Self::new();
        let mut known = FxHashMap::from_iter([((Self::START, none.clone()), Self::START)]);
        let mut open = VecDeque::from([(Self::START, none)]);
        while let Some(place) = open.pop_front() {
            let at = known[&place];
            if place.0 == self.end() && ends(&place.1) {
                let end = result.end();
                result.edge(at, Expr::Empty, end);
            }
            for &(part, to) in &from[place.0 as usize] {
                let Some(met) = on(to, &place.1) else { continue };
                let to = (to, met);
                let to = *known.entry(to.clone()).or_insert_with(|| {
                    open.push_back(to);
                    result.state()
                });
                result.edge(at, part.clone(), to);
            }
            if known.len() > allowed.states {
                return Err(allowed.error());
            }
            allowed.spend(from[place.0 as usize].len())?;
            allowed.hold(&mut held, size_of_val(result.parts()))?;
        }
        Ok(result)
    }
}
