//! The near-bound counters: as few as keep the number of states with exact counts below the limit.
//!
//! Several counters are chosen if one is not enough, the one with the most increments per token first, since its exact
//! counts are the most states. A counter that is refused beside others is left out from then on. When no choice of
//! several is left, each counter is tried alone, and none at the end.
//!
//! Cost: a rule is explored at most twice as often as there are counters, and once more.

use std::cmp::Reverse;

use super::machine::Machine;
use super::refused::Refused;

/// Choices that are left.
pub(super) struct NearBoundChoice {
    /// The counters that may be chosen together, the one with the most increments per token first. Empty if one is
    /// enough.
    together: Vec<usize>,
    /// The fewest counters of the next choice of several.
    least: usize,
    /// Counters to try alone, in reverse order.
    alone: Vec<usize>,
    /// Whether the choice of none is left.
    is_none_left: bool,
    /// The last choice.
    last: Vec<usize>,
}

impl NearBoundChoice {
    /// Returns the choice of no counter.
    pub(super) fn none() -> Self {
        let (together, alone, last) = (Vec::new(), Vec::new(), Vec::new());
        Self { together, least: 2, alone, is_none_left: true, last }
    }

    /// Returns the choices for a machine, given a limit on states with exact counts.
    pub(super) fn new(machine: &Machine, limit: usize) -> Self {
        if machine.unrolled_states(&[]) < limit {
            return Self::none();
        }
        let mut counters: Vec<usize> = (0..machine.counters.len()).collect();
        counters.sort_by_key(|&counter| Reverse(machine.increments_a_token[counter]));
        let alone = counters.iter().rev().copied().collect();
        let is_one_enough = machine.unrolled_states(&counters[..1]) < limit;
        let together = if is_one_enough { Vec::new() } else { counters };
        Self { together, alone, ..Self::none() }
    }

    /// Returns the next choice of counters. `None` if none is left.
    pub(super) fn next_choice(&mut self, machine: &Machine, limit: usize) -> Option<Vec<usize>> {
        self.last.clear();
        let count = self.together.len();
        if self.least <= count {
            let few = |len: &usize| machine.unrolled_states(&self.together[..*len]) < limit;
            let len = (self.least..count).find(few).unwrap_or(count);
            self.last.extend_from_slice(&self.together[..len]);
            return Some(self.last.clone());
        }
        if let Some(counter) = self.alone.pop() {
            self.last.push(counter);
            return Some(self.last.clone());
        }
        std::mem::take(&mut self.is_none_left).then(Vec::new)
    }

    /// Notes why the last choice was refused.
    pub(super) fn refuse(&mut self, refused: Refused) {
        if self.last.len() < 2 {
            return;
        }
        match refused {
            Refused::NearBound(counter) => self.together.retain(|&other| other != counter),
            Refused::Limit => self.least = self.last.len() + 1,
            // Mostly due to the counter with the fewest increments: after its last one, the language continues
            // differently.
            _ => self.together.retain(|counter| Some(counter) != self.last.last()),
        }
    }
}
