//! Limits on the work of the algebra, and a meter of what was used.
//!
//! An *attempt* may use a part of the limits. Work and formulas of a failed attempt are refunded as long as there is slack,
//! so that one hopeless attempt does not exhaust the limits of the whole schema.
//!
//! Cost: O(1) for each unit of work.

use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::budget::MemoryUse;

/// Limits on the work of the algebra.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    /// Most states of one automaton over bytes, members or items. Carries the budget that all share.
    pub(crate) states: StateBudget<'a>,
    /// Most states of all automata over members and items together, and value formulas.
    pub(crate) shapes: usize,
    /// Most work and most formulas.
    pub(crate) all: WorkLimit,
}

/// An amount of work, and a number of formulas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkLimit {
    /// Units of work: derivatives, and states of the sets of strings that distinguish them.
    pub(crate) work: usize,
    /// Formulas in all arenas.
    pub(crate) formulas: usize,
}

impl WorkLimit {
    /// The minimum of each.
    fn at_most(self, other: Self) -> Self {
        Self { work: self.work.min(other.work), formulas: self.formulas.min(other.formulas) }
    }

    /// The sum of each.
    fn and(self, other: Self) -> Self {
        Self {
            work: self.work.saturating_add(other.work),
            formulas: self.formulas.saturating_add(other.formulas),
        }
    }

    /// The difference of each.
    fn without(self, other: Self) -> Self {
        Self {
            work: self.work.saturating_sub(other.work),
            formulas: self.formulas.saturating_sub(other.formulas),
        }
    }

    /// The given fraction of each.
    pub(crate) fn part(self, of: usize) -> Self {
        Self { work: self.work / of, formulas: self.formulas / of }
    }

    /// Whether work or formulas exceed those of `most`.
    fn exceeds(self, most: Self) -> bool {
        self.work > most.work || self.formulas > most.formulas
    }
}

/// The size of all arenas of formulas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Formulas.
    pub(crate) formulas: usize,
    /// Operands of all formulas.
    pub(crate) operands: usize,
}

/// Operands that count as one more formula.
const OPERANDS: usize = 64;

/// Estimated bytes of a formula, without its operands.
const BYTES_A_FORMULA: usize = 96;

/// Estimated steps of the budget for a unit of work.
const STEPS: usize = 1 << 7;

/// What a running attempt began with.
pub(crate) struct Attempt {
    outer: WorkLimit,
    before: WorkLimit,
}

/// A meter of work, with the limits in force.
pub(crate) struct WorkMeter<'a> {
    pub(crate) limits: Limits<'a>,
    /// Memory of the formulas.
    memory: MemoryUse<'a>,
    /// States of automata so far.
    pub(crate) shapes: usize,
    /// Units of work so far, without refunds.
    pub(crate) work: usize,
    /// The limit of the current attempt, or the limit on all work outside attempts.
    limit: WorkLimit,
    /// What failed attempts may still be refunded.
    slack: WorkLimit,
    /// Formulas of failed attempts, which no longer count.
    refunded: usize,
}

impl<'a> WorkMeter<'a> {
    /// A meter at zero.
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

    /// The slack that is left.
    pub(crate) fn slack(&self) -> WorkLimit {
        self.slack
    }

    /// Lowers the limit on work to at most `more` units from now.
    pub(crate) fn lower_limit(&mut self, more: usize) {
        self.limit.work = self.limit.work.min(self.work.saturating_add(more));
    }

    /// Counts a unit of work.
    ///
    /// # Errors
    ///
    /// The exceeded limit, in words.
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

    /// Counts states of automata.
    ///
    /// # Errors
    ///
    /// The exceeded limit, in words.
    pub(crate) fn grow(&mut self, states: usize) -> Result<(), String> {
        self.shapes += states;
        match self.limits.shapes {
            most if self.shapes > most => {
                Err(format!("the schema unfolds to more than {most} shapes"))
            }
            _ => Ok(()),
        }
    }

    /// The number of formulas that counts. Those with many operands count for more.
    fn formulas(&self, Size { formulas, operands }: Size) -> usize {
        formulas.max(operands / OPERANDS).saturating_sub(self.refunded)
    }

    /// Begins an attempt that may use at most `most`.
    pub(crate) fn begin(&mut self, most: WorkLimit, size: Size) -> Attempt {
        let outer = self.limit;
        let before = WorkLimit { work: self.work, formulas: self.formulas(size) };
        self.limit = outer.at_most(before.and(most));
        Attempt { outer, before }
    }

    /// Ends an attempt. Returns whether it exceeded its own limit and not the one around it. If it did, or if it `failed`, it is
    /// refunded.
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
