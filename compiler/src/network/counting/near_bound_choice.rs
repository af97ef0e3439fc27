//! The choice of near-bound counters: counters whose masks depend on the remaining count, which
//! saves states with exact counts.
//!
//! The choice has as few counters as keep the number of states with exact counts below the limit.
//! If one counter is not enough, several are chosen. The counter with the most increments per token
//! comes first, because its exact counts are the most states. A counter that is refused beside
//! others is left out from then on. When no choice of several is left, each counter is tried alone,
//! and no counter at the end.
//!
//! Cost: the exploration of a rule runs at most twice for each counter, and once more.

use std::cmp::Reverse;

use super::machine::Machine;
use super::refused::Refused;

/// The choices of near-bound counters (their masks depend on the count) that have not been tried
/// yet.
pub(super) struct NearBoundChoice {
    /// The counters that may be chosen together, the one with the most increments per token first.
    /// Empty if a single counter is enough.
    together: Vec<usize>,
    /// The fewest counters that the next choice of several may have.
    least: usize,
    /// The counters to try alone. The last element is tried first.
    alone: Vec<usize>,
    /// Whether the choice of no counter has not been tried yet.
    is_none_left: bool,
    /// The counters of the last choice, for [`Self::refuse`].
    last: Vec<usize>,
}

impl NearBoundChoice {
    /// Returns a list of choices with one entry: no near-bound counter (its masks depend on the
    /// count) at all.
    pub(super) fn none() -> Self {
        let (together, alone, last) = (Vec::new(), Vec::new(), Vec::new());
        Self { together, least: 2, alone, is_none_left: true, last }
    }

    /// Returns the choices for a machine. `limit` is the number of states with exact counts that
    /// makes near-bound counters (their masks depend on the count) worthwhile.
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

    /// Returns the near-bound counters (their masks depend on the count) to try next. Returns
    /// `None` if all choices have been tried.
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

    /// Records why the last choice failed, and leaves out choices that would fail as well.
    pub(super) fn refuse(&mut self, refused: Refused) {
        if self.last.len() < 2 {
            return;
        }
        match refused {
            Refused::NearBound(counter) => self.together.retain(|&other| other != counter),
            Refused::Limit => self.least = self.last.len() + 1,
            // The failure is mostly due to the counter with the fewest increments: after its last
            // increment, the language continues differently.
            _ => self.together.retain(|counter| Some(counter) != self.last.last()),
        }
    }
}
