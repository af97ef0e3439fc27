//! Work on a list of items, on several threads where it is worth it, with the results taken in the order of the items.
//!
//! One thread takes the results, in order, as far as they are there, and works on items while the next is not; the
//! others only work. So what is made of the results does not depend on the number of threads, and goes on beside the
//! work.
//!
//! Items are given out in parts, since neighbouring states lead to the same sets. Some take a thousand times as long as
//! others. So when no part is left, a thread steals half of the items that another has not begun.
//!
//! Results of other threads are dropped when all work is done: memory that is given back to an allocator's other thread
//! while that one allocates makes the two wait for each other.

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

/// Time after which a second thread is worth it, which has to learn the states' moves anew.
const WORTH_A_THREAD: Duration = Duration::from_micros(300);

/// Time after which the first items predict the time of the others. The first take longest.
const PREDICTABLE: Duration = Duration::from_micros(60);
/// Predicted time from which on a second thread is worth it.
const FORESEEN: Duration = Duration::from_micros(1000);

/// Items between two looks at the clock: it takes as long as the mask of a simple state.
const A_LOOK: usize = 8;

/// Steps of the budget that an item counts as besides its walks, so that the clock is looked at often enough.
const STEPS_AN_ITEM: usize = 1 << 10;

/// Parts that the items are worked on in, for each thread. A walker knows for the next item what it learns from one;
/// the results of the first are taken beside the work on the others.
const PARTS: usize = 2;

/// An item of a list that is worked on.
pub(crate) trait Item: Sync {
    /// Returns the own state that an error at the item names.
    fn state(&self) -> u32;
}

impl Item for u32 {
    fn state(&self) -> u32 {
        *self
    }
}

/// A return state and an exit class.
impl Item for (u32, u32) {
    fn state(&self) -> u32 {
        self.0
    }
}

/// A result whose buffers go back to the worker.
pub(crate) trait Recycle: Sized {
    /// Gives its room back to the walker that found it.
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

/// The walkers of a computation. Each is used by one thread at a time and keeps what it has learnt.
pub(crate) struct Workers<'a, F> {
    idle: Mutex<Vec<Worker<'a>>>,
    new: F,
    context: Context<'a>,
    /// Whether a second thread has been worth it.
    are_many: AtomicBool,
}

impl<'a, F: Fn() -> Worker<'a> + Sync> Workers<'a, F> {
    /// None yet; `new` makes one. They work until the budget is spent.
    pub(crate) fn new(new: F, context: Context<'a>) -> Self {
        Self { idle: Mutex::default(), new, context, are_many: AtomicBool::new(false) }
    }

    /// How many may work at once.
    pub(crate) fn threads(&self) -> usize {
        self.context.threads.count()
    }

    /// Returns the budget that the work is counted on.
    pub(super) fn budget(&self) -> &'a Budget {
        self.context.budget
    }

    /// How often shortcuts took effect so far.
    pub(super) fn counts(&self) -> ShortcutCounts {
        let mut counts = ShortcutCounts::default();
        locked(&self.idle).iter().for_each(|worker| counts.append(&worker.walker.cursor.counts));
        counts
    }

    fn with<R>(&self, work: impl FnOnce(&mut Worker<'a>) -> R) -> R {
        let next = locked(&self.idle).pop();
        let mut walker = next.unwrap_or_else(&self.new);
        let result = work(&mut walker);
        locked(&self.idle).push(walker);
        result
    }

    /// Whether the budget is spent, after an item.
    fn are_late(&self) -> bool {
        self.context.budget.spend(STEPS_AN_ITEM).is_err()
    }

    /// Processes the items, and takes the results in order. Which thread processes an item depends on timing, and no
    /// result does. With several threads, the part of taking a result that needs no earlier result is done `ahead`, by
    /// the thread that found it.
    pub(crate) fn in_order<'i, T: Item, R: Recycle + Send + Sync>(
        &self,
        items: &'i [T],
        work: impl Fn(&mut Worker<'a>, &'i T) -> R + Sync,
        ahead: impl Fn(&mut Worker<'a>, &mut R) + Sync,
        take: impl FnMut(&'i T, &mut R) -> Result<(), MaskError>,
    ) -> Result<(), MaskError> {
        self.in_order_with(items, work, |_| false, ahead, take)
    }

    /// The same for items that threads without work can help with: `help` does so, and says whether there was anything
    /// that it could do.
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
                    // The first may take long, before their walks are known: a second thread is to come soon.
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
                    // If there are none, the scope passes the panic on that ended the work.
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

/// Items in contiguous parts, and the results of what was done.
struct WorkParts<'a, T, R> {
    items: &'a [T],
    /// Most items of a part.
    size: usize,
    /// The first item that no thread was given.
    next: AtomicUsize,
    /// By worker, those of the items it was given that nobody has begun.
    given: Vec<WorkRange>,
    /// Results of items one behind the other, by the first of these.
    results: Mutex<FxHashMap<usize, Vec<R>>>,
    /// Threads that look for items or work on some.
    at_work: AtomicUsize,
}

impl<'a, T, R> WorkParts<'a, T, R> {
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

    /// Works on the next part, or on what another worker has left of its own; says whether there was anything.
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

    fn next_part(&self) -> Option<Range<usize>> {
        let first = self.next.fetch_add(self.size, Ordering::SeqCst);
        let end = self.items.len();
        (first < end).then(|| first..end.min(first + self.size))
    }

    /// Returns the second half of the items that a worker has not begun, of the worker with the most.
    fn part_of_another(&self) -> Option<Range<usize>> {
        loop {
            let most = self.given.iter().max_by_key(|rest| rest.len())?;
            if most.len() == 0 {
                return None;
            }
            // It may have gone on meanwhile.
            if let Some(half) = most.last_half() {
                return Some(half);
            }
        }
    }

    /// Lets no thread begin with another item, but for those that it is about to be given.
    fn stop(&self) {
        self.next.store(self.items.len(), Ordering::SeqCst);
        self.given.iter().for_each(|given| given.set(0..0));
    }

    /// Results of the items from one on, as far as they stand together, once they are there; until then, this thread
    /// works. None where no thread will bring them.
    fn results(&self, at: usize, mut work_on_next: impl FnMut() -> bool) -> Option<Vec<R>> {
        loop {
            let are_given_out = self.next.load(Ordering::SeqCst) >= self.items.len();
            // A thread that was given items is at work until their results are there.
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

/// Counts a thread while it looks for work or does it.
pub(crate) struct AtWork<'a>(&'a AtomicUsize);

impl<'a> AtWork<'a> {
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

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::threads::Threads;

    /// Has the parts worked on by this thread and three others, and returns the results in order, as far as they come.
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
            // Half of the seven that are left, and half of the three that are left of these.
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
