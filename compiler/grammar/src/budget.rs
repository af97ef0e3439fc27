//! The limits of one compilation: time, memory, and a flag with which the caller cancels the
//! compilation.
//!
//! The caller creates one [`Budget`] and passes it to the front end and to the compiler. Every loop
//! whose length depends on the source [counts its steps](Budget::spend). Every few thousand steps,
//! the clock and the flag are checked. A pass that keeps tables or automata reports their size in
//! bytes ([`MemoryUse`]).
//!
//! Once a limit is exceeded, the budget is *spent* for good. All phases end at their next check, on
//! every thread, so [`Spent`] carries no data. A phase that cannot fail may return early with a
//! partial result, which is discarded. The caller of the compilation asks the budget for the
//! [reason](Budget::error).
//!
//! A budget decides whether a compilation yields an artifact. It never changes the bytes of the
//! artifact.
//!
//! Cost: a step decrements a thread-local number. The clock is read after [`STEPS`] steps, which
//! take a few nanoseconds each.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::diagnostics::Diagnostic;

/// The default time limit of a compilation, 5 minutes. After that, the compilation ends with an
/// error.
pub const TIME: Duration = Duration::from_secs(300);

/// The default limit on the bytes of tables and automata, 1 GiB. Beyond that, the compilation ends
/// with an error.
pub const MEMORY: usize = 1 << 30;

/// The number of steps of one thread between two readings of the clock. The number is low enough to react within
/// milliseconds, and high enough to make readings cheap.
const STEPS: usize = 1 << 13;

/// The longest time that a waiting thread sleeps before it checks the cancellation flag again.
const NAP: Duration = Duration::from_millis(4);

thread_local! {
    /// The number of steps that this thread may still take before it reads the clock. All budgets share the number.
    static LEFT: Cell<usize> = const { Cell::new(STEPS) };
}

/// A phase of a compilation. Errors of the budget name the phase in which a limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Reading the source.
    Reading,
    /// Computing which values satisfy combinations of schemas.
    Combining,
    /// Translating the source into rules of the grammar IR.
    Lowering,
    /// Building the automata of rules.
    Building,
    /// Removing left recursion.
    LeftRecursion,
    /// Merging rules and laying out their states.
    LayingOut,
    /// Computing masks, and the bound on the configurations of a parse position.
    Masks,
    /// Writing the artifact.
    Emitting,
    /// Waiting for another request that compiles the same source.
    Waiting,
}

impl Phase {
    /// All phases, in the order of their numbers.
    const ALL: [Self; 9] = [
        Self::Reading,
        Self::Combining,
        Self::Lowering,
        Self::Building,
        Self::LeftRecursion,
        Self::LayingOut,
        Self::Masks,
        Self::Emitting,
        Self::Waiting,
    ];
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reading => "the source was read",
            Self::Combining => "combinations of schemas were worked out",
            Self::Lowering => "rules were made of the source",
            Self::Building => "the automata of rules were built",
            Self::LeftRecursion => "left recursion was removed",
            Self::LayingOut => "rules were merged and laid out",
            Self::Masks => "masks were computed",
            Self::Emitting => "the artifact was put together",
            Self::Waiting => "another compilation of the same source was waited for",
        })
    }
}

/// The limit of a [`Budget`] that was exceeded, and the phase in which that happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// The time limit was exceeded.
    #[error("the time limit of {} s was met while {phase}", limit.as_secs_f64())]
    Time {
        /// The time limit of the compilation.
        limit: Duration,
        /// The phase in which the time ran out.
        phase: Phase,
    },
    /// The caller set the cancellation flag.
    #[error("the compilation was cancelled while {phase}")]
    Cancelled {
        /// The phase in which the flag was found to be set.
        phase: Phase,
    },
    /// Tables and automata would have taken more memory than allowed. The size is the compiler's
    /// own estimate.
    #[error("{} MiB of memory would exceed the limit of {} MiB while {phase}", asked >> 20, limit >> 20)]
    Memory {
        /// The number of bytes allowed for all tables and automata together.
        limit: usize,
        /// The number of bytes that all tables and automata together would have taken.
        asked: usize,
        /// The phase in which the memory ran out.
        phase: Phase,
    },
    /// A part of the work took more steps than allowed ([`Budget::part`]).
    #[error("the limit of {limit} steps of work was met while {phase}")]
    Work {
        /// The number of steps allowed for the part.
        limit: usize,
        /// The phase in which the steps ran out.
        phase: Phase,
    },
}

impl BudgetError {
    /// Returns the code of the error's diagnostic, such as `budget::time`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Time { .. } => "budget::time",
            Self::Cancelled { .. } => "budget::cancelled",
            Self::Memory { .. } => "budget::memory",
            Self::Work { .. } => "budget::work",
        }
    }

    /// Returns advice for the user on how to avoid the error. Returns `None` for a cancelled
    /// compilation.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Time { .. } => {
                Some("simplify this part of the source, or raise the time limit (`--time-limit`)")
            }
            Self::Memory { .. } => Some(
                "simplify this part of the source, or raise the memory limit (`--memory-limit`)",
            ),
            Self::Work { .. } => Some("simplify this part of the source"),
            Self::Cancelled { .. } => None,
        }
    }

    /// Returns the diagnostic of the error. The diagnostic has no position in the source.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code(), self.to_string());
        diagnostic.help = self.help().map(str::to_owned);
        diagnostic
    }
}

/// The budget of the compilation is spent. [`Budget::error`] returns the limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of the compilation is spent")]
pub struct Spent;

/// The limits of one compilation. The time begins when the budget is created. `Send` and `Sync`;
/// threads share the budget by reference.
#[derive(Debug)]
pub struct Budget {
    /// The time at which the compilation began.
    started: Instant,
    /// The time limit. `None` if time is not limited.
    time: Option<Duration>,
    /// The limit on the estimated bytes of all tables and automata together. `usize::MAX` if memory
    /// is not limited.
    most_bytes: usize,
    /// The flag with which the caller cancels the compilation. `None` if the caller gave no flag.
    cancel: Option<Arc<AtomicBool>>,
    /// The estimated bytes that tables and automata take now.
    bytes: AtomicUsize,
    /// The steps of work counted so far on all threads, without those that threads have not
    /// reported yet.
    steps: AtomicUsize,
    /// The number of steps allowed. `usize::MAX` if work is not limited.
    most_steps: usize,
    /// The number of the current phase, an index into [`Phase::ALL`].
    phase: AtomicU8,
    /// The limit that was exceeded first. Empty until the budget is spent.
    spent: OnceLock<BudgetError>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
    }
}

impl Budget {
    /// Creates a budget with the default limits: five minutes from now and 1 GiB of memory.
    pub fn new() -> Self {
        Self::unlimited().time_limit(TIME).memory_limit(MEMORY)
    }

    /// Creates a budget without limits on time and memory.
    pub fn unlimited() -> Self {
        Self {
            started: Instant::now(),
            time: None,
            most_bytes: usize::MAX,
            cancel: None,
            bytes: AtomicUsize::new(0),
            steps: AtomicUsize::new(0),
            most_steps: usize::MAX,
            phase: AtomicU8::new(Phase::Reading as u8),
            spent: OnceLock::new(),
        }
    }

    /// Limits the wall time of the compilation, measured from the creation of the budget.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time = Some(limit);
        self
    }

    /// Counts `time` as already used: the compilation took it before the budget was created.
    #[must_use]
    pub fn already_taken(mut self, time: Duration) -> Self {
        self.started = self.started.checked_sub(time).unwrap_or(self.started);
        self
    }

    /// Limits the bytes of tables and automata together, as the compiler estimates them. The
    /// allocator and the source need more memory beyond this limit.
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.most_bytes = bytes;
        self
    }

    /// Sets a flag with which the caller cancels the compilation. The compilation ends within some
    /// milliseconds after the flag is set.
    #[must_use]
    pub fn cancel_flag(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// Creates a budget for a part of the work, which takes at most `steps` steps on one thread. The
    /// part has the same time limit and cancellation flag, and the memory that is left. If the part
    /// exceeds its steps or memory, this budget is not spent, and the caller may do without the
    /// part. Steps do not depend on the machine, so neither does that decision.
    ///
    /// # Errors
    ///
    /// [`Spent`] if this budget is spent.
    pub fn part(&self, steps: usize) -> Result<Self, Spent> {
        self.check()?;
        Ok(Self {
            started: self.started,
            time: self.time,
            most_bytes: self.most_bytes.saturating_sub(self.bytes()),
            cancel: self.cancel.clone(),
            bytes: AtomicUsize::new(0),
            steps: AtomicUsize::new(0),
            most_steps: steps,
            phase: AtomicU8::new(self.phase.load(Ordering::Relaxed)),
            spent: OnceLock::new(),
        })
    }

    /// Adds the steps of a [part](Self::part) that has ended.
    ///
    /// # Errors
    ///
    /// [`Spent`] if the time limit of both is exceeded, or the compilation is cancelled.
    pub fn end_part(&self, part: &Self) -> Result<(), Spent> {
        // The steps that the thread has taken since its last check belong to the part.
        _ = part.check();
        self.steps.fetch_add(part.steps(), Ordering::Relaxed);
        self.check()
    }

    /// Returns the limit that was exceeded, with the phase in which that happened. Returns `None`
    /// while the budget is not spent.
    pub fn error(&self) -> Option<&BudgetError> {
        self.spent.get()
    }

    /// Returns the bytes that tables and automata take now, as the compiler estimates them.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the steps counted so far on all threads. The number is exact up to 8,192 steps for
    /// each thread. It measures the work independently of the machine and its load.
    pub fn steps(&self) -> usize {
        self.steps.load(Ordering::Relaxed)
    }

    /// Counts `steps` steps of work, which take a few nanoseconds each. Checks the clock and the
    /// cancellation flag every 8,192 steps.
    ///
    /// # Errors
    ///
    /// [`Spent`] from the check that finds a limit exceeded, and at every check from then on.
    #[inline]
    pub fn spend(&self, steps: usize) -> Result<(), Spent> {
        let left = LEFT.get();
        if steps < left {
            LEFT.set(left - steps);
            return Ok(());
        }
        self.check_after(steps)
    }

    /// Adds steps to the total, and checks the clock and the cancellation flag. Fails if the budget
    /// is spent.
    #[cold]
    fn check_after(&self, steps: usize) -> Result<(), Spent> {
        self.steps.fetch_add(steps, Ordering::Relaxed);
        self.check()
    }

    /// Checks the clock and the cancellation flag. To be called before and after work of unknown
    /// length.
    ///
    /// # Errors
    ///
    /// [`Spent`] if a limit is exceeded, now or before.
    #[cold]
    pub fn check(&self) -> Result<(), Spent> {
        // While the budget is spent, no steps are left, so each step is checked.
        let taken = (STEPS - LEFT.replace(0)) % STEPS;
        self.steps.fetch_add(taken, Ordering::Relaxed);
        if self.spent.get().is_some() {
            return Err(Spent);
        }
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(self.end(BudgetError::Cancelled { phase: self.phase() }));
        }
        match self.time {
            Some(limit) if self.started.elapsed() > limit => {
                Err(self.end(BudgetError::Time { limit, phase: self.phase() }))
            }
            _ if self.steps() > self.most_steps => {
                let (limit, phase) = (self.most_steps, self.phase());
                Err(self.end(BudgetError::Work { limit, phase }))
            }
            _ => {
                LEFT.set(STEPS);
                Ok(())
            }
        }
    }

    /// Returns the time that a waiting thread may sleep before it [checks](Self::check) the budget
    /// again. Returns `None` if there is neither a time limit nor a cancellation flag, so that
    /// nothing can end the wait.
    pub fn nap(&self) -> Option<Duration> {
        let left = self.time.map(|limit| limit.saturating_sub(self.started.elapsed()));
        // The limit is exceeded only after its last instant.
        let left = left.map(|left| left + Duration::from_micros(1));
        match (left, &self.cancel) {
            (Some(left), Some(_)) => Some(left.min(NAP)),
            (None, Some(_)) => Some(NAP),
            (left, None) => left,
        }
    }

    /// Sets the current phase of the compilation, which error messages name.
    pub fn begin(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Creates an account of memory within this budget, of zero bytes. The budget gets the bytes
    /// back when the account is dropped.
    pub fn hold(&self) -> MemoryUse<'_> {
        MemoryUse::new(Some(self))
    }

    /// If the budget is spent, returns the diagnostic of its error, at the position of `diagnostic`
    /// in the source. Otherwise returns `diagnostic`. For errors that may only be a consequence of
    /// the spent budget.
    pub fn blame(&self, diagnostic: Diagnostic) -> Diagnostic {
        let Some(error) = self.error() else { return diagnostic };
        let Diagnostic { labels, pointer, .. } = diagnostic;
        Diagnostic { labels, pointer, ..error.to_diagnostic() }
    }

    /// Checks the clock and the cancellation flag, like [`check`](Self::check). Returns the error
    /// as a diagnostic, as front ends do.
    ///
    /// # Errors
    ///
    /// One diagnostic, if a limit is exceeded, now or before.
    pub fn check_in_source(&self) -> Result<(), Vec<Diagnostic>> {
        match self.check() {
            Ok(()) => Ok(()),
            Err(Spent) => Err(self.error().map(BudgetError::to_diagnostic).into_iter().collect()),
        }
    }

    /// Whether the compilation waits for another request that compiles the same source.
    pub fn waits(&self) -> bool {
        self.phase() == Phase::Waiting
    }

    /// Returns the current phase of the compilation.
    fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Ordering::Relaxed))]
    }

    /// Spends the budget for good. `error` becomes the reason, unless there was one before.
    fn end(&self, error: BudgetError) -> Spent {
        // If several threads exceed a limit, the first error is kept.
        _ = self.spent.set(error);
        Spent
    }

    /// Adds bytes to those that tables and automata take. Spends the budget, and fails, if the
    /// total exceeds the limit on memory.
    fn take(&self, bytes: usize) -> Result<(), Spent> {
        let asked = self.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        match asked > self.most_bytes {
            true => {
                let (limit, phase) = (self.most_bytes, self.phase());
                Err(self.end(BudgetError::Memory { limit, asked, phase }))
            }
            false => Ok(()),
        }
    }

    /// Subtracts bytes from those that tables and automata take.
    fn give_back(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The number of bytes that some data takes, counted within a budget. The budget gets the bytes
/// back when the account is dropped.
#[derive(Debug)]
pub struct MemoryUse<'b> {
    /// The budget in which the bytes are counted. `None` if memory is not limited.
    budget: Option<&'b Budget>,
    /// The bytes that the data takes now.
    bytes: usize,
}

impl<'b> MemoryUse<'b> {
    /// Creates an account of zero bytes within `budget`. With `None`, nothing is counted.
    pub(crate) fn new(budget: Option<&'b Budget>) -> Self {
        Self { budget, bytes: 0 }
    }

    /// Sets the bytes that the data takes to a new total, higher or lower than before. Fails if the
    /// budget's limit on memory is exceeded.
    pub fn set(&mut self, bytes: usize) -> Result<(), Spent> {
        let before = std::mem::replace(&mut self.bytes, bytes);
        let Some(budget) = self.budget else { return Ok(()) };
        match bytes.checked_sub(before) {
            Some(0) => Ok(()),
            Some(more) => budget.take(more),
            None => {
                budget.give_back(before - bytes);
                Ok(())
            }
        }
    }

    /// Adds bytes to those that the data takes. Fails if the budget's limit on memory is exceeded.
    pub fn add(&mut self, bytes: usize) -> Result<(), Spent> {
        self.set(self.bytes.saturating_add(bytes))
    }
}

impl Drop for MemoryUse<'_> {
    fn drop(&mut self) {
        self.budget.iter().for_each(|budget| budget.give_back(self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_that_is_spent_stays_so_and_says_why() {
        let budget = Budget::new().memory_limit(100);
        budget.begin(Phase::Building);
        let mut held = budget.hold();
        assert_eq!(held.set(60), Ok(()));
        let mut more = budget.hold();
        assert_eq!(more.add(41), Err(Spent));
        drop((held, more));
        assert_eq!(budget.bytes(), 0);
        assert_eq!(budget.check(), Err(Spent));
        let phase = Phase::Building;
        assert_eq!(budget.error(), Some(&BudgetError::Memory { limit: 100, asked: 101, phase }));
    }

    #[test]
    fn the_clock_and_the_flag_are_looked_at() {
        let late = Budget::new().time_limit(Duration::ZERO);
        let steps = (0..2 * STEPS).take_while(|_| late.spend(1).is_ok()).count();
        assert!(steps <= STEPS, "{steps}");
        assert!(matches!(late.error(), Some(BudgetError::Time { .. })));
        let flag = Arc::new(AtomicBool::new(false));
        let cancelled = Budget::new().cancel_flag(flag.clone());
        assert_eq!(cancelled.check(), Ok(()));
        assert_eq!(cancelled.nap(), Some(NAP), "a thread that waits looks as often");
        flag.store(true, Ordering::Relaxed);
        assert_eq!(cancelled.spend(STEPS), Err(Spent));
        assert_eq!(cancelled.spend(1), Err(Spent), "it stays so at every step");
        let phase = Phase::Reading;
        assert_eq!(cancelled.error(), Some(&BudgetError::Cancelled { phase }));
    }

    #[test]
    fn steps_are_counted() {
        let budget = Budget::new();
        (0..100_000).for_each(|_| assert_eq!(budget.spend(3), Ok(())));
        assert!(budget.steps().abs_diff(300_000) <= STEPS, "{}", budget.steps());
        assert_eq!(budget.spend(1 << 20), Ok(()));
        assert!(budget.steps().abs_diff(300_000 + (1 << 20)) <= STEPS, "{}", budget.steps());
    }

    #[test]
    fn a_part_ends_without_the_whole() {
        let budget = Budget::new().memory_limit(100);
        let mut held = budget.hold();
        assert_eq!(held.set(60), Ok(()));
        let part = budget.part(3 * STEPS).expect("nothing is spent");
        let taken = (0..10 * STEPS).take_while(|_| part.spend(1).is_ok()).count();
        assert!((3 * STEPS..=4 * STEPS).contains(&taken), "{taken}");
        let (limit, phase) = (3 * STEPS, Phase::Reading);
        assert_eq!(part.error(), Some(&BudgetError::Work { limit, phase }));
        assert_eq!(budget.end_part(&part), Ok(()));
        assert!(budget.steps() >= taken && budget.error().is_none());
        let part = budget.part(usize::MAX).expect("nothing is spent");
        assert_eq!(part.hold().add(41), Err(Spent), "40 bytes are left");
        assert_eq!(budget.end_part(&part), Ok(()));
        let flag = Arc::new(AtomicBool::new(false));
        let cancelled = Budget::new().cancel_flag(flag.clone());
        let part = cancelled.part(usize::MAX).expect("nothing is spent");
        flag.store(true, Ordering::Relaxed);
        assert_eq!(part.spend(STEPS), Err(Spent));
        assert_eq!(cancelled.end_part(&part), Err(Spent), "a flag is for the whole");
    }

    #[test]
    fn less_is_given_back() {
        let budget = Budget::new();
        let mut held = budget.hold();
        for bytes in [10, 4, 7, 0] {
            assert_eq!(held.set(bytes), Ok(()));
            assert_eq!(budget.bytes(), bytes);
        }
    }
}
