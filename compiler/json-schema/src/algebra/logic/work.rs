//! Limits on the work of the algebra, and a meter of the work so far.
//!
//! An *attempt* is a computation that may use a part of the limits and may fail. Work and formulas of a failed attempt
//! are refunded as long as there is slack. So one hopeless attempt does not exhaust the limits of the whole schema.
//!
//! Cost: O(1) for each unit of work.

use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::budget::MemoryUse;

/// Limits on the computation that combines the schemas of a document into formulas and automata.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    /// Most states of one automaton over bytes, members or items. Also carries the budget of the whole compilation.
    pub(crate) states: StateBudget<'a>,
    /// Most states of all automata over members and items plus formulas over values ("shapes"). Beyond, the computation
    /// fails.
    pub(crate) shapes: usize,
    /// Most units of work and most formulas for the whole schema document. Beyond, the computation fails.
    pub(crate) all: WorkLimit,
}

/// An amount of work and a number of formulas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkLimit {
    /// Units of work: computed derivatives (formulas that remain after a member or item), and states of the sets of
    /// strings that distinguish derivatives.
    pub(crate) work: usize,
    /// Number of formulas in all three arenas: over values, over objects and over arrays.
    pub(crate) formulas: usize,
}

impl WorkLimit {
    /// Returns the smaller work and the smaller number of formulas.
    fn at_most(self, other: Self) -> Self {
        Self { work: self.work.min(other.work), formulas: self.formulas.min(other.formulas) }
    }

    /// Returns the sums of work and of formulas, saturating.
    fn and(self, other: Self) -> Self {
        Self {
            work: self.work.saturating_add(other.work),
            formulas: self.formulas.saturating_add(other.formulas),
        }
    }

    /// Returns the differences of work and of formulas, at least 0.
    fn without(self, other: Self) -> Self {
        Self {
            work: self.work.saturating_sub(other.work),
            formulas: self.formulas.saturating_sub(other.formulas),
        }
    }

    /// Returns work and formulas divided by `of`.
    pub(crate) fn part(self, of: usize) -> Self {
        Self { work: self.work / of, formulas: self.formulas / of }
    }

    /// Returns whether work or formulas exceed those of `most`.
    fn exceeds(self, most: Self) -> bool {
        self.work > most.work || self.formulas > most.formulas
    }
}

/// The size of the three arenas (stores) of formulas together: over values, over objects and over arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Number of formulas in all arenas.
    pub(crate) formulas: usize,
    /// Number of operands of all formulas in all arenas, added up.
    pub(crate) operands: usize,
}

/// Number of operands that count as much as one formula, so that formulas with many operands are limited too.
const OPERANDS: usize = 64;

/// Estimated bytes of memory for a formula, without its operands.
const BYTES_A_FORMULA: usize = 96;

/// Estimated budget steps for one unit of work.
const STEPS: usize = 1 << 7;

/// The state before an attempt (a computation with limits of its own, which may fail), to be restored at its end.
pub(crate) struct Attempt {
    /// The limit in force around the attempt.
    outer: WorkLimit,
    /// The work and formulas that were used before the attempt.
    before: WorkLimit,
}

/// A meter of work, with the limits in force.
pub(crate) struct WorkMeter<'a> {
    /// The limits for the whole schema document.
    pub(crate) limits: Limits<'a>,
    /// The memory of all formulas, as reported to the budget of the compilation.
    memory: MemoryUse<'a>,
    /// States of automata over members and items plus formulas over values ("shapes"), counted so far.
    pub(crate) shapes: usize,
    /// Units of work so far, without the refunded units of failed attempts.
    pub(crate) work: usize,
    /// The limit of the current attempt; outside attempts, the limit for the whole schema document.
    limit: WorkLimit,
    /// Work and formulas of failed attempts that may still be refunded.
    slack: WorkLimit,
    /// Number of formulas of failed attempts, which no longer count against the limit.
    refunded: usize,
}

impl<'a> WorkMeter<'a> {
    /// Creates a meter of work that has counted nothing.
    pub(crate) fn new(limits: Limits<'a>) -> Self {
        let all = limits.all;
        Self {
            limits,
            memory: limits.states.held(),
            shapes: 0,
            work: 0,
            limit: all,
            slack: all,
            refunded: 0,
        }
    }

    /// Returns the work and formulas of failed attempts that may still be refunded.
    pub(crate) fn slack(&self) -> WorkLimit {
        self.slack
    }

    /// Lowers the limit on work to at most `more` units from now on.
    pub(crate) fn lower_limit(&mut self, more: usize) {
        self.limit.work = self.limit.work.min(self.work.saturating_add(more));
    }

    /// Counts a unit of work. `size` is the present size of all arenas of formulas.
    ///
    /// # Errors
    ///
    /// The exceeded limit or budget, in words.
    pub(crate) fn spend(&mut self, size: Size) -> Result<(), String> {
        self.work += 1;
        let WorkLimit { work, formulas } = self.limit;
        if self.work > work {
            return Err(format!(
                "distinguishing the schema's combinations takes more than {work} steps"
            ));
        }
        if self.formulas(size) > formulas {
            return Err(format!("the schema's combinations take more than {formulas} formulas"));
        }
        let bytes = BYTES_A_FORMULA * size.formulas + size_of::<u32>() * size.operands;
        let allowed = self.limits.states;
        let held = allowed.spend(STEPS).and_then(|()| allowed.hold(&mut self.memory, bytes));
        held.map_err(|spent: StateLimit| spent.to_string())
    }

    /// Counts `states` more automaton states or formulas over values ("shapes") against their limit.
    ///
    /// # Errors
    ///
    /// The exceeded limit on states and formulas, in words.
    pub(crate) fn grow(&mut self, states: usize) -> Result<(), String> {
        self.shapes += states;
        match self.limits.shapes {
            most if self.shapes > most => {
                Err(format!("the schema unfolds to more than {most} shapes"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the number of formulas that count against the limit. Formulas with many operands count more than once.
    /// Formulas of failed attempts that were refunded do not count.
    fn formulas(&self, Size { formulas, operands }: Size) -> usize {
        formulas.max(operands / OPERANDS).saturating_sub(self.refunded)
    }

    /// Begins an attempt that may use at most `most`, and no more than the limit in force allows. `size` is the present
    /// size of all arenas of formulas.
    pub(crate) fn begin(&mut self, most: WorkLimit, size: Size) -> Attempt {
        let outer = self.limit;
        let before = WorkLimit { work: self.work, formulas: self.formulas(size) };
        self.limit = outer.at_most(before.and(most));
        Attempt { outer, before }
    }

    /// Ends an attempt, a computation with limits of its own. Returns whether it exceeded its own limit but not the
    /// limit around it. In that case, or if it `failed`, its work and formulas are refunded as far as the slack allows.
    pub(crate) fn end(&mut self, attempt: Attempt, size: Size, failed: bool) -> bool {
        let Attempt { outer, before } = attempt;
        let used = WorkLimit { work: self.work, formulas: self.formulas(size) };
        let is_over = used.exceeds(self.limit) && !used.exceeds(outer);
        self.limit = outer;
        if failed || is_over {
            let wasted = used.without(before).at_most(self.slack);
            self.slack = self.slack.without(wasted);
            self.work -= wasted.work;
            self.refunded += wasted.formulas;
        }
        is_over
    }
}
