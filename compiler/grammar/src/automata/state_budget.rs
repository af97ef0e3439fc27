//! The limits on the construction of one automaton: its number of states, and the budget of the
//! compilation.

use crate::budget::{Budget, MemoryUse};

/// The error of a construction beyond its limit on states, or with a spent budget of the
/// compilation. The reason for a spent budget is in the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the automaton needs more than {limit} states")]
pub struct StateLimit {
    /// The number of states that was allowed.
    pub limit: usize,
}

/// The most states that an automaton may have, with the budget of the compilation that builds the
/// automaton.
#[derive(Clone, Copy, Debug)]
pub struct StateBudget<'b> {
    /// The most states of the automaton. A construction that needs more fails with [`StateLimit`].
    pub states: usize,
    /// The budget of the compilation. `None` if time and memory are not limited.
    budget: Option<&'b Budget>,
}

impl StateBudget<'static> {
    /// Allows `states` states, without limits on time and memory. For automata whose size does not
    /// depend on a source.
    pub const fn of(states: usize) -> Self {
        Self { states, budget: None }
    }
}

impl<'b> StateBudget<'b> {
    /// Allows `states` states, and the time and memory that are left in the budget of a
    /// compilation.
    pub const fn new(states: usize, budget: &'b Budget) -> Self {
        Self { states, budget: Some(budget) }
    }

    /// Returns limits with another number of states and the same budget of the compilation.
    #[must_use]
    pub fn states(self, states: usize) -> Self {
        Self { states, ..self }
    }

    /// Returns the error of a construction that needs more states than allowed.
    pub fn error(self) -> StateLimit {
        StateLimit { limit: self.states }
    }

    /// Counts steps of work in the budget of the compilation.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the budget is spent.
    #[inline]
    pub fn spend(self, steps: usize) -> Result<(), StateLimit> {
        match self.budget {
            Some(budget) => budget.spend(steps).map_err(|_| self.error()),
            None => Ok(()),
        }
    }

    /// Creates an account of the memory that a construction holds, initially zero bytes. The budget
    /// gets the memory back when the account is dropped.
    pub fn held(self) -> MemoryUse<'b> {
        MemoryUse::new(self.budget)
    }

    /// Sets the total memory of a construction's account to `bytes` bytes.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the budget does not allow so many bytes.
    pub fn hold(self, held: &mut MemoryUse<'_>, bytes: usize) -> Result<(), StateLimit> {
        held.set(bytes).map_err(|_| self.error())
    }
}
