//! The counters by which masks are near_bound: as few as leave few states that spell counts.
//!
//! Several counters are near_bound where one is not enough, the one of which a token makes the most increments first, since spelling it is
//! most states. A counter that cannot be near_bound beside others is left out from then on; where no choice of several is left, each is tried alone,
//! and none in the end.
//!
//! Cost: a rule is explored at most twice as often as there are counters, and once more.

use std::cmp::Reverse;

use super::machine::Machine;
use super::refused::Refused;

/// Choices that are left.
pub(super) struct NearBoundChoice {
    /// The counters that may be near_bound beside others, the one of which a token makes the most increments first; none where one is enough.
    together: Vec<usize>,
    /// The fewest counters of the next choice of several.
    least: usize,
    /// Counters that are to be tried alone, in reverse order.
    alone: Vec<usize>,
    /// Whether the choice of none is left.
    is_none_left: bool,
    /// The last choice.
    last: Vec<usize>,
}

impl NearBoundChoice {
    /// The choice of none alone.
    pub(super) fn none() -> Self {
        let (together, alone, last) = (Vec::new(), Vec::new(), Vec::new());
        Self { together, least: 2, alone, is_none_left: true, last }
    }

    /// The choices for a machine, that states which spell counts be fewer than a limit.
    pub(super) fn new(machine: &Machine, limit: usize) -> Self {
        if machine.spelled(&[]) < limit {
            return Self::none();
        }
        let mut counters: Vec<usize> = (0..machine.counters.len()).collect();
        counters.sort_by_key(|&counter| Reverse(machine.increments_a_token[counter]));
        let alone = counters.iter().rev().copied().collect();
        let is_one_enough = machine.spelled(&counters[..1]) < limit;
        let together = if is_one_enough { Vec::new() } else { counters };
        Self { together, alone, ..Self::none() }
    }

    /// The next choice of counters; nothing where none is left.
    pub(super) fn next_choice(&mut self, machine: &Machine, limit: usize) -> Option<Vec<usize>> {
        self.last.clear();
        let count = self.together.len();
        if self.least <= count {
            let few = |len: &usize| machine.spelled(&self.together[..*len]) < limit;
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
            // Most often the counter with the fewest increments: where its last one was, the language goes on otherwise.
            _ => self.together.retain(|counter| Some(counter) != self.last.last()),
        }
    }
}
