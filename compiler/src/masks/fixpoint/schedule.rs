//! Processes a list of items, on several threads if that saves time, and takes the results in the order of the items.
//!
//! One thread takes the results in order. While the next result is missing, it works on items itself. The other threads
//! only work on items. So the output does not depend on the number of threads, and is produced while other items are in
//! progress.
//!
//! Items are distributed in contiguous parts, since neighbouring states reach the same configurations. Some items take
//! a thousand times as long as others. So when no part is left, a thread steals half of the items that another has not
//! begun.
//!
//! Results of other threads are freed when all work is done. If memory is returned to an allocator's other thread while
//! that thread allocates, the two wait for each other.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use super::work_range::WorkRange;
use super::worker::Worker;
use crate::budget::Budget;
use crate::masks::encode::encoder::Computed;
use crate::masks::limits::MaskError;
use crate::masks::shortcuts::ShortcutCounts;
use crate::threads::Context;

/// The time that one thread works alone before further threads start. Each further thread has to compute the
/// transitions of states anew.
const WORTH_A_THREAD: Duration = Duration::from_micros(300);

/// The time of work after which the remaining time is estimated for the first time, from that of the first items.
const PREDICTABLE: Duration = Duration::from_micros(60);
/// The estimated time of the remaining items of work from which on further threads start. It is long, since the first
/// items take longest.
const FORESEEN: Duration = Duration::from_micros(1000);

/// The number of items of work between two checks of the clock on a single thread. A check takes as long as the mask of
/// a simple state.
const A_LOOK: usize = 8;

/// The steps of the budget that are charged for each item of work besides its walks. So the budget's clock is checked
/// often enough.
const STEPS_AN_ITEM: usize = 1 << 10;

/// The number of parts for each thread into which the items of work are split. Large parts are good because a walker
/// reuses its caches from item to item. With more than one part, the results of the first are taken while the others
/// are in progress.
const PARTS: usize = 2;

/// An item of work: a state with a mask to compute, or a pair of a return state and a set of exits (nodes where a
/// callee returns).
pub(crate) trait Item: Sync {
    /// Returns the id of the grammar's state that an error at this item names.
    fn state(&self) -> u32;
}

impl Item for u32 {
    fn state(&self) -> u32 {
        *self
    }
}

/// An item that is a pair of a return state and the id of a set of exits (nodes where a callee returns).
impl Item for (u32, u32) {
    fn state(&self) -> u32 {
        self.0
    }
}

/// A result whose buffers can be reused.
pub(crate) trait Recycle: Sized {
    /// Returns the buffers of this result to the worker that made it. Does nothing by default.
    fn give_back(self, _: &mut Worker<'_>) {}
}

impl Recycle for Computed {
    fn give_back(self, worker: &mut Worker<'_>) {
        worker.walker.give_back(self.outcome);
    }
}

impl Recycle for Option<Computed> {
    fn give_back(self, worker: &mut Worker<'_>) {
        self.into_iter().for_each(|found| found.give_back(worker));
    }
}

impl<R> Recycle for Vec<R> {}

/// The workers (walkers with their caches) of a computation. Each is used by one thread at a time and keeps its caches.
pub(crate) struct Workers<'a, F> {
    /// The workers that no thread uses.
    idle: Mutex<Vec<Worker<'a>>>,
    /// Makes a worker.
    new: F,
    /// The budget and the threads of the computation.
    context: Context<'a>,
    /// Whether some list of items of work was long enough for several threads. Later lists then use several threads at
    /// once.
    are_many: AtomicBool,
}

impl<'a, F: Fn() -> Worker<'a> + Sync> Workers<'a, F> {
    /// Returns a pool without workers (walkers with their caches). `new` makes a worker when none is idle.
    pub(crate) fn new(new: F, context: Context<'a>) -> Self {
        Self { idle: Mutex::default(), new, context, are_many: AtomicBool::new(false) }
    }

    /// Returns the number of threads that may work at once.
    pub(crate) fn threads(&self) -> usize {
        self.context.threads.count()
    }

    /// Returns the budget on which the work is counted.
    pub(super) fn budget(&self) -> &'a Budget {
        self.context.budget
    }

    /// Returns how often shortcuts (savings in trie walks) took effect so far, in all idle workers.
    pub(super) fn counts(&self) -> ShortcutCounts {
        let mut counts = ShortcutCounts::default();
        locked(&self.idle).iter().for_each(|worker| counts.append(&worker.walker.cursor.counts));
        counts
    }

    /// Calls `work` with an idle worker (a walker with its caches), or with a new one.
    fn with<R>(&self, work: impl FnOnce(&mut Worker<'a>) -> R) -> R {
        let next = locked(&self.idle).pop();
        let mut walker = next.unwrap_or_else(&self.new);
        let result = work(&mut walker);
        locked(&self.idle).push(walker);
        result
    }

    /// Charges the budget for one item of work. Returns whether the budget is spent.
    fn are_late(&self) -> bool {
        self.context.budget.spend(STEPS_AN_ITEM).is_err()
    }

    /// Processes the items with `work`, and passes the results to `take` in order. Which thread processes an item
    /// depends on timing, but no result does. With several threads, the thread that found a result also calls `ahead`
    /// on it. `ahead` does work that needs no earlier result.
    ///
    /// # Errors
    ///
    /// [`MaskError`] if the budget is spent or `take` fails.
    pub(crate) fn in_order<'i, T: Item, R: Recycle + Send + Sync>(
        &self,
        items: &'i [T],
        work: impl Fn(&mut Worker<'a>, &'i T) -> R + Sync,
        ahead: impl Fn(&mut Worker<'a>, &mut R) + Sync,
        take: impl FnMut(&'i T, &mut R) -> Result<(), MaskError>,
    ) -> Result<(), MaskError> {
        self.in_order_with(items, work, |_| false, ahead, take)
    }

    /// Processes the items with `work`, and passes the results to `take` in order. Threads without work help with items
    /// that others have begun: `help` does a piece of such work, and returns false if there was none. With several
    /// threads, the thread that found a result also calls `ahead` on it, before `take` does.
    ///
    /// # Errors
    ///
    /// [`MaskError`] if the budget is spent or `take` fails.
    pub(crate) fn in_order_with<'i, T: Item, R: Recycle + Send + Sync>(
        &self,
        items: &'i [T],
        work: impl Fn(&mut Worker<'a>, &'i T) -> R + Sync,
        help: impl Fn(&mut Worker<'a>) -> bool + Sync,
        ahead: impl Fn(&mut Worker<'a>, &mut R) + Sync,
        mut take: impl FnMut(&'i T, &mut R) -> Result<(), MaskError>,
    ) -> Result<(), MaskError> {
        let spent = |states: usize| {
            let next = items.get(states).or(items.last()).map_or(NONE, T::state);
            MaskError::Spent { states, total: items.len(), state: next }
        };
        let threads = self.threads();
        let mut done = 0;
        if !self.are_many.load(Ordering::Relaxed) {
            let start = Instant::now();
            self.with(|walker| {
                for item in items {
                    let mut result = work(walker, item);
                    take(item, &mut result)?;
                    result.give_back(walker);
                    done += 1;
                    if self.are_late() {
                        return Err(spent(done));
                    }
                    // The first items may take long, before their walks are memoised. Then a second thread should start
                    // soon.
                    if threads == 1 && done % A_LOOK != 1 {
                        continue;
                    }
                    let (time, left) = (start.elapsed(), items.len() - done);
                    let is_worth = time > WORTH_A_THREAD
                        || time > PREDICTABLE && time * left as u32 > FORESEEN * done as u32;
                    if threads > 1 && is_worth {
                        self.are_many.store(true, Ordering::Relaxed);
                        break;
                    }
                }
                Ok(())
            })?;
        }
        let rest = &items[done..];
        if rest.is_empty() {
            return Ok(());
        }
        let parts = WorkParts::new(rest, rest.len().div_ceil(threads * PARTS), threads);
        let work_on_next = |worker: usize, walker: &mut Worker<'a>| {
            let work_ahead = |item: &'i T| {
                if self.are_late() {
                    parts.stop();
                }
                let mut result = work(walker, item);
                ahead(walker, &mut result);
                result
            };
            parts.work_on_next(worker, work_ahead) || help(walker)
        };
        let work_on_next = &work_on_next;
        let mut taken: Vec<Vec<R>> = Vec::new();
        self.context.threads.scope(|scope| {
            let others =
                scope.into_iter().flat_map(|scope| (1..threads).map(move |at| (scope, at)));
            for (scope, worker) in others {
                scope.spawn(move || self.with(|walker| while work_on_next(worker, walker) {}));
            }
            self.with(|walker| {
                let mut left = rest;
                while !left.is_empty() {
                    let at = rest.len() - left.len();
                    let results = parts.results(at, || work_on_next(0, walker));
                    if self.are_late() {
                        parts.stop();
                        return Err(spent(done));
                    }
                    // Results are missing if a thread panicked; the scope then passes the panic on.
                    let Some(mut results) = results else { return Ok(()) };
                    for (item, result) in left.iter().zip(&mut results) {
                        take(item, result).inspect_err(|_| parts.stop())?;
                    }
                    done += results.len();
                    left = &left[results.len()..];
                    taken.push(results);
                }
                Ok(())
            })
        })
    }
}

/// A list of items of work, given to workers in contiguous parts, and the results so far.
struct WorkParts<'a, T, R> {
    /// All items.
    items: &'a [T],
    /// The greatest number of items in a part of the work.
    size: usize,
    /// The index of the first item that was given to no thread yet.
    next: AtomicUsize,
    /// For each worker, the range of its given items that no thread has begun.
    given: Vec<WorkRange>,
    /// Maps the index of a part's first item to the results of that item and of those directly after it.
    results: Mutex<FxHashMap<usize, Vec<R>>>,
    /// The number of threads that look for items or work on some.
    at_work: AtomicUsize,
}

impl<'a, T, R> WorkParts<'a, T, R> {
    /// Prepares the work on `items`, in parts of `size` items, for `workers` workers (one thread each).
    fn new(items: &'a [T], size: usize, workers: usize) -> Self {
        Self {
            items,
            size,
            next: AtomicUsize::new(0),
            given: (0..workers).map(|_| WorkRange::new(0..0)).collect(),
            results: Mutex::default(),
            at_work: AtomicUsize::new(0),
        }
    }

    /// Lets the worker with the index `worker` work on the next part of the items. If no part is left, it works on
    /// items that another worker was given and has not begun. Returns false if there were none.
    fn work_on_next(&self, worker: usize, mut work: impl FnMut(&'a T) -> R) -> bool {
        let _here = AtWork::new(&self.at_work);
        let Some(part) = self.next_part().or_else(|| self.part_of_another()) else { return false };
        let first = part.start;
        let mut results = Vec::with_capacity(part.len());
        self.given[worker].set(part);
        while let Some(at) = self.given[worker].next() {
            results.push(work(&self.items[at]));
        }
        if !results.is_empty() {
            locked(&self.results).insert(first, results);
        }
        true
    }

    /// Takes the next part, as a range of item indexes. `None` if all parts were given out.
    fn next_part(&self) -> Option<Range<usize>> {
        let first = self.next.fetch_add(self.size, Ordering::SeqCst);
        let end = self.items.len();
        (first < end).then(|| first..end.min(first + self.size))
    }

    /// Takes the second half of the items that a worker was given and has not begun, as a range of item indexes. The
    /// worker is the one with the most such items. `None` if there are none.
    fn part_of_another(&self) -> Option<Range<usize>> {
        loop {
            let most = self.given.iter().max_by_key(|rest| rest.len())?;
            if most.len() == 0 {
                return None;
            }
            // The worker may have begun its last items meanwhile.
            if let Some(half) = most.last_half() {
                return Some(half);
            }
        }
    }

    /// Drops all items that no thread has begun, so that they are not worked on. A thread that just takes a part may
    /// still begin it.
    fn stop(&self) {
        self.next.store(self.items.len(), Ordering::SeqCst);
        self.given.iter().for_each(|given| given.set(0..0));
    }

    /// Returns the results of item `at` and of the items directly after it in the same part. While they are missing,
    /// this thread calls `work_on_next`. `None` if no thread will produce them.
    fn results(&self, at: usize, mut work_on_next: impl FnMut() -> bool) -> Option<Vec<R>> {
        loop {
            let are_given_out = self.next.load(Ordering::SeqCst) >= self.items.len();
            // A thread with items counts as working until their results are stored.
            let is_idle = self.at_work.load(Ordering::SeqCst) == 0;
            let results = locked(&self.results).remove(&at);
            if results.is_some() || are_given_out && is_idle {
                return results;
            }
            if !work_on_next() {
                std::thread::yield_now();
            }
        }
    }
}

/// Counts a thread as working, in a shared counter, as long as this value lives.
pub(crate) struct AtWork<'a>(&'a AtomicUsize);

impl<'a> AtWork<'a> {
    /// Increments the counter `count`. Dropping the returned value decrements it.
    pub(crate) fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Locks a mutex, also if another thread panicked while it held the lock.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::threads::Threads;

    /// Processes the items of `parts` with `work`, on this thread and three others. Returns the results in order, up to
    /// the first missing one.
    fn taken(parts: &WorkParts<'_, u32, u32>, work: impl Fn(u32) -> u32 + Sync) -> Vec<u32> {
        let next = |worker| parts.work_on_next(worker, |&item| work(item));
        let mut taken = Vec::new();
        Threads::new(NonZero::new(4)).scope(|scope| {
            let scope = scope.expect("there are others");
            (1..4).for_each(|worker| scope.spawn(move || while next(worker) {}));
            while taken.len() < parts.items.len() {
                let Some(results) = parts.results(taken.len(), || next(0)) else { return };
                taken.extend(results);
            }
        });
        taken
    }

    #[test]
    fn results_come_in_order_whoever_finds_them() {
        let items: Vec<u32> = (0..500).collect();
        for size in [1, 7, 500] {
            let parts = WorkParts::new(&items, size, 4);
            let work = |item: u32| {
                // The first items of a part take longest.
                (0..1000 - item).fold(0, |sum: u32, step| std::hint::black_box(sum ^ step));
                item + 1
            };
            assert!(taken(&parts, work).into_iter().eq(1..=500), "in parts of {size}");
        }
    }

    #[test]
    fn a_panic_ends_the_work() {
        let items: Vec<u32> = (0..100).collect();
        let parts = WorkParts::new(&items, 1, 4);
        let work = |item| if item == 50 { panic!("as the test wants") } else { item };
        assert!(catch_unwind(AssertUnwindSafe(|| taken(&parts, work))).is_err());
    }

    #[test]
    fn what_a_worker_has_not_begun_is_done_by_others() {
        let items: Vec<u32> = (0..8).collect();
        let parts = WorkParts::new(&items, 8, 2);
        let mut by_other = Vec::new();
        let is_begun = parts.work_on_next(0, |_| {
            // The other worker takes half of the seven that are left, and then half of the three that are left of
            // these.
            while by_other.len() < 6 && parts.work_on_next(1, |&item| by_other.push(item)) {}
        });
        assert!(is_begun);
        assert_eq!(by_other, [4, 5, 6, 7, 2, 3]);
    }

    #[test]
    fn no_item_is_begun_after_a_stop() {
        let items = [0; 10];
        let parts: WorkParts<'_, u32, u32> = WorkParts::new(&items, 5, 1);
        let stopping = |&item: &u32| {
            parts.stop();
            item
        };
        assert!(parts.work_on_next(0, stopping));
        assert!(!parts.work_on_next(0, stopping));
        assert_eq!(parts.results(0, || false), Some(vec![0]));
        assert_eq!(parts.results(1, || false), None);
    }
}
