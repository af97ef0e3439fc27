//! Work on a list of items, on several threads where it is worth it, with the results taken in the order of the items.
//!
//! One thread takes the results, in order, as far as they are there, and works on items while the next is not; the others
//! only work. So what is made of the results does not depend on the number of threads, and goes on beside the work.
//!
//! Results of other threads are dropped when all work is done: memory that is given back to an allocator's other thread
//! while that one allocates makes the two wait for each other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::compute::MaskError;
use super::draw::Found;
use super::walk::Walker;

/// Time after which a second thread is worth it, which has to learn the states' moves anew.
const WORTH_A_THREAD: Duration = Duration::from_micros(300);

/// Items between two looks at the clock: it takes as long as the mask of a simple state.
const A_LOOK: usize = 8;

/// Parts that the items are worked on in, for each thread. Neighbouring states lead to the same sets.
const PARTS: usize = 32;

/// A result that was taken.
pub(super) trait Returned: Sized {
    /// Gives its room back to the walker that found it.
    fn give_back(self, _: &mut Walker<'_>) {}
}

impl Returned for Found {
    fn give_back(self, walker: &mut Walker<'_>) {
        walker.give_back(self.outcome);
    }
}

impl Returned for Option<Found> {
    fn give_back(self, walker: &mut Walker<'_>) {
        self.into_iter().for_each(|found| found.give_back(walker));
    }
}

impl<R> Returned for Vec<R> {}

impl Returned for () {}

/// The walkers of a computation. Each is used by one thread at a time and keeps what it has learnt.
pub(super) struct Walkers<'a, F> {
    idle: Mutex<Vec<Walker<'a>>>,
    new: F,
    deadline: Option<Instant>,
    /// Whether a second thread has been worth it.
    are_many: AtomicBool,
}

impl<'a, F: Fn() -> Walker<'a> + Sync> Walkers<'a, F> {
    /// None yet; `new` makes one. They work until the deadline.
    pub(super) fn new(new: F, deadline: Option<Instant>) -> Self {
        Self { idle: Mutex::default(), new, deadline, are_many: AtomicBool::new(false) }
    }

    fn with<R>(&self, work: impl FnOnce(&mut Walker<'a>) -> R) -> R {
        let next = locked(&self.idle).pop();
        let mut walker = next.unwrap_or_else(&self.new);
        let result = work(&mut walker);
        locked(&self.idle).push(walker);
        result
    }

    fn are_late(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| now > deadline)
    }

    /// Works on the items, and has each result taken, in order. Which items are worked on by one thread alone depends on
    /// the time, and nothing that is made of the results does. What taking a result can do without those before it is done
    /// `ahead` by whichever thread has found it, where there are several.
    pub(super) fn in_order<'i, T: Sync, R: Returned + Send + Sync>(
        &self,
        items: &'i [T],
        work: impl Fn(&mut Walker<'a>, &'i T) -> R + Sync,
        ahead: impl Fn(&mut Walker<'a>, &mut R) + Sync,
        take: impl FnMut(&'i T, &R) -> Result<(), MaskError>,
    ) -> Result<(), MaskError> {
        self.in_order_with(items, work, |_| false, ahead, take)
    }

    /// The same for items that threads without work can help with: `help` does so, and says whether there was anything
    /// that it could do.
    pub(super) fn in_order_with<'i, T: Sync, R: Returned + Send + Sync>(
        &self,
        items: &'i [T],
        work: impl Fn(&mut Walker<'a>, &'i T) -> R + Sync,
        help: impl Fn(&mut Walker<'a>) -> bool + Sync,
        ahead: impl Fn(&mut Walker<'a>, &mut R) + Sync,
        mut take: impl FnMut(&'i T, &R) -> Result<(), MaskError>,
    ) -> Result<(), MaskError> {
        let time = |states| MaskError::Time { states, total: items.len() };
        let threads = rayon::current_num_threads();
        let mut done = 0;
        if !self.are_many.load(Ordering::Relaxed) {
            let start = Instant::now();
            self.with(|walker| {
                for item in items {
                    let result = work(walker, item);
                    take(item, &result)?;
                    result.give_back(walker);
                    done += 1;
                    // The first may take long, before their walks are known: a second thread is to come soon.
                    if threads == 1 && done % A_LOOK != 1 {
                        continue;
                    }
                    let now = Instant::now();
                    if self.are_late(now) {
                        return Err(time(done));
                    }
                    if threads > 1 && now - start > WORTH_A_THREAD {
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
        let parts = Parts::new(rest, rest.len().div_ceil(threads * PARTS));
        let work_ahead = |walker: &mut Walker<'a>, item: &'i T| {
            let mut result = work(walker, item);
            ahead(walker, &mut result);
            result
        };
        let work_on_next = |walker: &mut Walker<'a>| {
            let work = |part: &'i [T]| part.iter().map(|item| work_ahead(walker, item)).collect();
            parts.work_on_next(work) || help(walker)
        };
        rayon::in_place_scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| self.with(|walker| while work_on_next(walker) {}));
            }
            self.with(|walker| {
                for (at, &part) in parts.items.iter().enumerate() {
                    if self.are_late(Instant::now()) {
                        parts.stop();
                        return Err(time(done));
                    }
                    // Where there are no results, the scope passes the panic on that ended the work.
                    let results = parts.results(at, || work_on_next(walker));
                    let Some(results) = results else { return Ok(()) };
                    for (item, result) in part.iter().zip(results) {
                        take(item, result).inspect_err(|_| parts.stop())?;
                    }
                    done += part.len();
                }
                Ok(())
            })
        })
    }
}

/// Items in contiguous parts, and the results of the parts that are done.
struct Parts<'a, T, R> {
    items: Vec<&'a [T]>,
    results: Vec<OnceLock<Vec<R>>>,
    /// The first part that no thread works on.
    next: AtomicUsize,
    /// Threads that look for a part or work on one.
    at_work: AtomicUsize,
}

impl<'a, T, R> Parts<'a, T, R> {
    fn new(items: &'a [T], size: usize) -> Self {
        let items: Vec<&[T]> = items.chunks(size).collect();
        let results = items.iter().map(|_| OnceLock::new()).collect();
        Self { items, results, next: AtomicUsize::new(0), at_work: AtomicUsize::new(0) }
    }

    /// Works on the next part; says whether there was one.
    fn work_on_next(&self, work: impl FnOnce(&'a [T]) -> Vec<R>) -> bool {
        let _here = AtWork::new(&self.at_work);
        let at = self.next.fetch_add(1, Ordering::SeqCst);
        let Some(items) = self.items.get(at) else { return false };
        self.results[at].get_or_init(|| work(items));
        true
    }

    /// Lets no thread begin with another part.
    fn stop(&self) {
        self.next.store(self.items.len(), Ordering::SeqCst);
    }

    /// The results of a part, once they are there; until then, this thread works. None where no thread will bring them.
    fn results(&self, at: usize, mut work_on_next: impl FnMut() -> bool) -> Option<&[R]> {
        loop {
            let are_given_out = self.next.load(Ordering::SeqCst) >= self.items.len();
            // Whoever was given a part is at work until its results are there.
            let is_idle = self.at_work.load(Ordering::SeqCst) == 0;
            let results = self.results[at].get();
            if results.is_some() || are_given_out && is_idle {
                return results.map(Vec::as_slice);
            }
            if !work_on_next() {
                std::thread::yield_now();
            }
        }
    }
}

/// Counts a thread while it looks for work or does it.
pub(super) struct AtWork<'a>(&'a AtomicUsize);

impl<'a> AtWork<'a> {
    pub(super) fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Has the parts worked on by this thread and three others, and returns the results in order, as far as they come.
    fn taken(parts: &Parts<'_, u32, u32>, work: impl Fn(u32) -> u32 + Sync) -> Vec<u32> {
        let next = || parts.work_on_next(|part| part.iter().map(|&item| work(item)).collect());
        let mut taken = Vec::new();
        rayon::in_place_scope(|scope| {
            (0..3).for_each(|_| scope.spawn(|_| while next() {}));
            for at in 0..parts.items.len() {
                taken.extend_from_slice(parts.results(at, next).unwrap_or_default());
            }
        });
        taken
    }

    #[test]
    fn results_come_in_order_whoever_finds_them() {
        let items: Vec<u32> = (0..500).collect();
        for size in [1, 7, 500] {
            let parts = Parts::new(&items, size);
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
        let parts = Parts::new(&items, 1);
        let work = |item| if item == 50 { panic!("as the test wants") } else { item };
        assert!(catch_unwind(AssertUnwindSafe(|| taken(&parts, work))).is_err());
    }

    #[test]
    fn no_part_is_begun_after_a_stop() {
        let items = [0; 10];
        let parts: Parts<'_, u32, u32> = Parts::new(&items, 1);
        assert!(parts.work_on_next(<[u32]>::to_vec));
        parts.stop();
        assert!(!parts.work_on_next(<[u32]>::to_vec));
        assert_eq!(parts.results(0, || false), Some(&[0][..]));
        assert_eq!(parts.results(1, || false), None);
    }
}
