//! The allowance for making an automaton: its states, and the budget that the work is taken from.

use crate::budget::{Budget, MemoryUse};

/// An automaton would have more states than the caller allows, or the budget of the compilation is spent, which says so
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the automaton needs more than {limit} states")]
pub struct StateLimit {
    /// Most states that were allowed.
    pub limit: usize,
}

/// States that an automaton may have, and the budget of the compilation that it is made for.
#[derive(Clone, Copy, Debug)]
pub struct StateBudget<'b> {
    /// Most states.
    pub states: usize,
    budget: Option<&'b Budget>,
}

impl StateBudget<'static> {
    /// Allows this number of states in any time: for automata whose size no source decides.
    pub const fn of(states: usize) -> Self {
        Self { states, budget: None }
    }
}

impl<'b> StateBudget<'b> {
    /// Allows this number of states within a budget.
    pub const fn new(states: usize, budget: &'b Budget) -> Self {
        Self { states, budget: Some(budget) }
    }

    /// Returns the same budget with another number of states.
    #[must_use]
    pub fn states(self, states: usize) -> Self {
        Self { states, ..self }
    }

    /// The error of a construction that needs more states.
    pub fn error(self) -> StateLimit {
        StateLimit { limit: self.states }
    }

    /// Counts steps of work.
    ///
    /// # Errors
    ///
    /// If the budget is spent.
    #[inline]
    pub fn spend(self, steps: usize) -> Result<(), StateLimit> {
        match self.budget {
            Some(budget) => budget.spend(steps).map_err(|_| self.error()),
            None => Ok(()),
        }
    }

    /// Begins an account of memory, with nothing held.
    pub fn held(self) -> MemoryUse<'b> {
        MemoryUse::new(self.budget)
    }

    /// Sets the total number of bytes that are held.
    ///
    /// # Errors
    ///
    /// If the budget has too few bytes.
    pub fn hold(self, held: &mut MemoryUse<'_>, bytes: usize) -> Result<(), StateLimit> {
        held.set(bytes).map_err(|_| self.error())
    }
}
