//! The limits of one compilation: time, memory, and a flag by which its caller ends it.
//!
//! The caller makes one [`Budget`] and passes it to the front end and to the compiler. Every loop whose length
//! depends on the source [counts its steps](Budget::spend). Every few thousand steps the clock and the flag are
//! checked. A pass that keeps tables or automata reports their bytes ([`MemoryUse`]).
//!
//! Once a limit is met the budget is *spent* for good. All phases end at their next check, on every thread. So
//! [`Spent`] carries nothing. A phase that cannot fail may return early with a partial result, which is discarded.
//! The caller of the compilation asks the budget for the [reason](Budget::error).
//!
//! A budget decides whether there is an artifact, and never its bytes.
//!
//! Cost: a step decrements a thread-local number. The clock is read after [`STEPS`] steps, each of some nanoseconds.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::diagnostics::Diagnostic;

/// Default time after which a compilation gives up.
pub const TIME: Duration = Duration::from_secs(300);

/// Default limit on the bytes of tables and automata.
pub const MEMORY: usize = 1 << 30;

/// Steps between two readings of the clock.
const STEPS: usize = 1 << 13;

/// Time between two checks of the flag by a thread that waits.
const NAP: Duration = Duration::from_millis(4);

thread_local! {
    /// Steps until this thread reads the clock, whatever budget they are counted on.
    static LEFT: Cell<usize> = const { Cell::new(STEPS) };
}

/// A phase of a compilation, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Reading the source.
    Reading,
    /// Working out which values combinations of schemas hold for.
    Combining,
    /// Turning the source into rules.
    Lowering,
    /// Building the automata of rules.
    Building,
    /// Removing left recursion.
    LeftRecursion,
    /// Merging rules and laying out their states.
    LayingOut,
    /// Computing masks and the bound on configurations.
    Masks,
    /// Putting the artifact together.
    Emitting,
    /// Waiting for another request, which compiles the same source.
    Waiting,
}

impl Phase {
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

/// The limit of a [`Budget`] that was met, and how far the compilation had come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// The time was up.
    #[error("the time limit of {} s was met while {phase}", limit.as_secs_f64())]
    Time {
        /// The time allowed.
        limit: Duration,
        /// The phase at that time.
        phase: Phase,
    },
    /// The caller's flag was set.
    #[error("the compilation was cancelled while {phase}")]
    Cancelled {
        /// The phase at that time.
        phase: Phase,
    },
    /// Tables and automata would have taken more memory than allowed, by the compiler's own estimate.
    #[error("{} MiB of memory would exceed the limit of {} MiB while {phase}", asked >> 20, limit >> 20)]
    Memory {
        /// Bytes that were allowed.
        limit: usize,
        /// Bytes that were asked for.
        asked: usize,
        /// The phase at that time.
        phase: Phase,
    },
}

impl BudgetError {
    /// The code of the error's diagnostic.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Time { .. } => "budget::time",
            Self::Cancelled { .. } => "budget::cancelled",
            Self::Memory { .. } => "budget::memory",
        }
    }

    /// Advice on the error.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Time { .. } => {
                Some("simplify this part of the source, or raise the time limit (`--time-limit`)")
            }
            Self::Memory { .. } => Some(
                "simplify this part of the source, or raise the memory limit (`--memory-limit`)",
            ),
            Self::Cancelled { .. } => None,
        }
    }

    /// The diagnostic of the error, without a position in the source.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code(), self.to_string());
        diagnostic.help = self.help().map(str::to_owned);
        diagnostic
    }
}

/// A limit of the budget was met. [`Budget::error`] says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of the compilation is spent")]
pub struct Spent;

/// The limits of one compilation. Its time begins when it is made. `Send` and `Sync`; shared by reference.
#[derive(Debug)]
pub struct Budget {
    started: Instant,
    time: Option<Duration>,
    most_bytes: usize,
    cancel: Option<Arc<AtomicBool>>,
    bytes: AtomicUsize,
    steps: AtomicUsize,
    /// Number of the phase in [`Phase::ALL`].
    phase: AtomicU8,
    spent: OnceLock<BudgetError>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
    }
}

impl Budget {
    /// Five minutes from now, and 1 GiB.
    pub fn new() -> Self {
        Self::unlimited().time_limit(TIME).memory_limit(MEMORY)
    }

    /// Neither time nor memory is limited.
    pub fn unlimited() -> Self {
        Self {
            started: Instant::now(),
            time: None,
            most_bytes: usize::MAX,
            cancel: None,
            bytes: AtomicUsize::new(0),
            steps: AtomicUsize::new(0),
            phase: AtomicU8::new(Phase::Reading as u8),
            spent: OnceLock::new(),
        }
    }

    /// Wall time from when the budget was made, after which the compilation gives up.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time = Some(limit);
        self
    }

    /// Counts time that the compilation has already taken.
    #[must_use]
    pub fn already_taken(mut self, time: Duration) -> Self {
        self.started = self.started.checked_sub(time).unwrap_or(self.started);
        self
    }

    /// Limits the bytes of tables and automata together, as the compiler estimates them. The allocator and the source
    /// need memory beyond this.
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.most_bytes = bytes;
        self
    }

    /// A flag that ends the compilation within some milliseconds of being set.
    #[must_use]
    pub fn cancel_flag(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// The limit that was met, if one was.
    pub fn error(&self) -> Option<&BudgetError> {
        self.spent.get()
    }

    /// Bytes that tables and automata take now, as estimated.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Steps counted so far on all threads, up to 8,192 more or less for each. A measure of the work that does not
    /// depend on the machine and its load.
    pub fn steps(&self) -> usize {
        self.steps.load(Ordering::Relaxed)
    }

    /// Counts steps of work, of some nanoseconds each, and looks at the clock and the flag every so often.
    ///
    /// # Errors
    ///
    /// [`Spent`] from the look on that found a limit met.
    #[inline]
    pub fn spend(&self, steps: usize) -> Result<(), Spent> {
        let left = LEFT.get();
        if steps < left {
            LEFT.set(left - steps);
            return Ok(());
        }
        self.check_after(steps)
    }

    #[cold]
    fn check_after(&self, steps: usize) -> Result<(), Spent> {
        self.steps.fetch_add(steps, Ordering::Relaxed);
        self.check()
    }

    /// Checks the clock and the flag: before and after work of unknown length.
    ///
    /// # Errors
    ///
    /// [`Spent`] if a limit is met, now or before.
    #[cold]
    pub fn check(&self) -> Result<(), Spent> {
        // While the budget is spent, none are left and each step is checked.
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
            _ => {
                LEFT.set(STEPS);
                Ok(())
            }
        }
    }

    /// The time that a waiting thread may sleep before it [checks](Self::check) again. `None` if neither clock nor
    /// flag can end the wait.
    pub fn nap(&self) -> Option<Duration> {
        let left = self.time.map(|limit| limit.saturating_sub(self.started.elapsed()));
        // The limit is met only after it.
        let left = left.map(|left| left + Duration::from_micros(1));
        match (left, &self.cancel) {
            (Some(left), Some(_)) => Some(left.min(NAP)),
            (None, Some(_)) => Some(NAP),
            (left, None) => left,
        }
    }

    /// Sets the phase that runs from now on.
    pub fn begin(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Begins an account of memory: it grows, and is given back on drop.
    pub fn hold(&self) -> MemoryUse<'_> {
        MemoryUse::new(Some(self))
    }

    /// Replaces an error of the work by the budget's error if the budget is spent. The position in the source is
    /// kept.
    pub fn blame(&self, diagnostic: Diagnostic) -> Diagnostic {
        let Some(error) = self.error() else { return diagnostic };
        let Diagnostic { labels, pointer, .. } = diagnostic;
        Diagnostic { labels, pointer, ..error.to_diagnostic() }
    }

    /// Checks the clock and the flag for a front end, whose errors are diagnostics.
    ///
    /// # Errors
    ///
    /// One diagnostic if a limit is met, now or before.
    pub fn check_in_source(&self) -> Result<(), Vec<Diagnostic>> {
        match self.check() {
            Ok(()) => Ok(()),
            Err(Spent) => Err(self.error().map(BudgetError::to_diagnostic).into_iter().collect()),
        }
    }

    /// Whether another request is waited for.
    pub fn waits(&self) -> bool {
        self.phase() == Phase::Waiting
    }

    fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Ordering::Relaxed))]
    }

    fn end(&self, error: BudgetError) -> Spent {
        // If several threads exceed a limit, the first error is kept.
        _ = self.spent.set(error);
        Spent
    }

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

    fn give_back(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// An account of memory within a budget, if there is one. The bytes are given back on drop.
#[derive(Debug)]
pub struct MemoryUse<'b> {
    budget: Option<&'b Budget>,
    bytes: usize,
}

impl<'b> MemoryUse<'b> {
    /// Creates an empty record of memory use.
    pub(crate) fn new(budget: Option<&'b Budget>) -> Self {
        Self { budget, bytes: 0 }
    }

    /// Sets the total, which may rise or fall.
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

    /// Adds bytes to the total.
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
    fn less_is_given_back() {
        let budget = Budget::new();
        let mut held = budget.hold();
        for bytes in [10, 4, 7, 0] {
            assert_eq!(held.set(bytes), Ok(()));
            assert_eq!(budget.bytes(), bytes);
        }
    }
}
