//! The threads of a compiler: a pool of its own, created when some work first needs it, and scopes
//! that run work on it.
//!
//! The calling thread always works too. So a pool has one thread less than allowed, and a compiler
//! with one thread has no pool. rayon's global pool is never used, because it belongs to the host
//! program.
//!
//! A forked process has the memory of its parent, but none of its threads. So a pool belongs to the
//! process that created it. A forked process creates its own pool, stored in an append-only list.
//! It does not wait for anything that a thread of the parent was doing.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Builder;

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use super::budget::Budget;

/// Stack size of a thread in bytes: the default of the standard library. Set explicitly, so that no
/// environment variable is read.
const STACK: usize = 2 << 20;

/// The number of parts for each thread into which [`Threads::map`] divides a list. Some parts take
/// longer than others, so there is more than one.
const PARTS: usize = 4;

/// The resources of a compilation: its limits on time and memory, and its threads.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The limits on time and memory.
    pub budget: &'a Budget,
    /// The threads on which work may run in parallel.
    pub threads: &'a Threads,
}

impl Context<'static> {
    /// Returns a context with one thread and without limits on time and memory.
    pub fn unlimited() -> Self {
        use std::sync::LazyLock;
        static BUDGET: LazyLock<Budget> = LazyLock::new(Budget::unlimited);
        static THREADS: LazyLock<Threads> = LazyLock::new(|| Threads::new(NonZero::new(1)));
        Self { budget: &BUDGET, threads: &THREADS }
    }
}

/// The threads of a compiler: the calling thread, and a pool of other threads.
#[derive(Debug)]
pub struct Threads {
    /// The number of threads, including the calling thread.
    count: usize,
    /// The pool with all threads other than the calling thread.
    pool: Pool,
}

/// The pool of threads of one process, and a link to the pool of a process forked from it. A forked
/// process has no threads of its parent.
#[derive(Debug)]
struct Pool {
    /// The id of the process that the pool belongs to.
    process: u32,
    /// The threads of the pool. Empty until they are first needed, `None` if no thread could be
    /// started.
    pool: OnceLock<Option<ThreadPool>>,
    /// The pool of a process that was forked from this one, once that process needs threads.
    forked: OnceLock<Box<Pool>>,
}

impl Pool {
    /// Creates the pool of the current process, without starting threads.
    fn new() -> Self {
        Self { process: std::process::id(), pool: OnceLock::new(), forked: OnceLock::new() }
    }

    /// Returns the pool of the current process. Starts `threads` threads at the first call. Returns
    /// `None` if no thread could be started.
    fn of_this_process(&self, threads: usize) -> Option<&ThreadPool> {
        let process = std::process::id();
        let mut one = self;
        while one.process != process {
            one = one.forked.get_or_init(|| Box::new(Self::new()));
        }
        let make = || {
            let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
            pool.thread_name(name).build().ok()
        };
        one.pool.get_or_init(make).as_ref()
    }
}

/// Returns the name of a thread of the pool, for debuggers.
fn name(thread: usize) -> String {
    format!("grammarc {thread}")
}

/// The threads to which a scope can give work: all but the calling thread. A scope ends when all
/// its work is done.
pub enum Others<'p, 'scope, 'env> {
    /// The threads of the compiler's pool.
    Pool(&'p Scope<'scope>),
    /// Threads of the operating system outside of any pool, one started for each piece of work.
    Plain(&'scope std::thread::Scope<'scope, 'env>),
}

impl<'scope> Others<'_, 'scope, '_> {
    /// Gives a piece of work to another thread, and returns at once.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'scope) {
        match self {
            Self::Pool(scope) => scope.spawn(|_| work()),
            Self::Plain(scope) => {
                let thread = Builder::new().name("grammarc".to_owned()).stack_size(STACK);
                thread.spawn_scoped(scope, work).expect("the system has a thread left");
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // After a fork the threads do not exist in this process, so the pool cannot be shut down.
        if self.process != std::process::id() {
            std::mem::forget(self.pool.take());
        }
    }
}

impl Threads {
    /// Creates the threads of a compiler. `None` uses one thread for each processor. The pool is
    /// started later, when work first needs it.
    pub fn new(count: Option<NonZero<usize>>) -> Self {
        let all = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Self { count: count.unwrap_or_else(all).get(), pool: Pool::new() }
    }

    /// Returns the number of threads, including the calling thread.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs `work` on the calling thread. `work` may spawn more work on the other threads through
    /// the scope. Returns when all work is done. `work` receives `None` if there are no other
    /// threads.
    ///
    /// A thread of a host's rayon pool must not wait for another pool. Meanwhile it would run jobs
    /// of the host, such as nested compilations. Such a thread gets plain threads for this scope.
    pub fn scope<'env, R>(
        &self,
        work: impl for<'p, 'scope> FnOnce(Option<&Others<'p, 'scope, 'env>>) -> R,
    ) -> R {
        let others = self.count - 1;
        if others == 0 {
            return work(None);
        }
        if rayon::current_thread_index().is_some() {
            return std::thread::scope(|scope| work(Some(&Others::Plain(scope))));
        }
        match self.pool.of_this_process(others) {
            Some(pool) => pool.in_place_scope(|scope| work(Some(&Others::Pool(scope)))),
            None => work(None),
        }
    }

    /// Runs two independent pieces of work and returns both results. They run in parallel if
    /// `worth` is true: the second is then worth waking up a thread.
    pub fn both<A, B: Send>(
        &self,
        worth: bool,
        one: impl FnOnce() -> A,
        other: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if !worth || self.count == 1 {
            return (one(), other());
        }
        let mut second = None;
        let first = {
            let second = &mut second;
            self.scope(|scope| {
                let other = || *second = Some(other());
                match scope {
                    Some(scope) => scope.spawn(other),
                    None => other(),
                }
                one()
            })
        };
        (first, second.expect("a scope ends when its work is done"))
    }

    /// Applies `work` to each item and returns the results in the order of the items. The items run
    /// in parallel if `worth` is true: they are then worth waking up threads. `new` creates the
    /// state that a thread keeps from one item to the next.
    pub fn map<T: Sync, S, R: Send>(
        &self,
        worth: bool,
        items: &[T],
        new: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &T) -> R + Sync,
    ) -> Vec<R> {
        if !worth || self.count == 1 {
            let mut kept = new();
            return items.iter().map(|item| work(&mut kept, item)).collect();
        }
        let size = items.len().div_ceil(self.count * PARTS).max(1);
        let parts: Vec<(&[T], Mutex<Vec<R>>)> =
            items.chunks(size).map(|part| (part, Mutex::default())).collect();
        let next = AtomicUsize::new(0);
        let work_on = || {
            let mut kept = new();
            while let Some((part, results)) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                let found = part.iter().map(|item| work(&mut kept, item)).collect();
                // No thread panics while it holds the lock.
                *results.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
        };
        self.scope(|scope| {
            for scope in scope.into_iter().flat_map(|scope| (1..self.count).map(move |_| scope)) {
                scope.spawn(work_on);
            }
            work_on();
        });
        let results = parts.into_iter().map(|(_, results)| results.into_inner());
        results.flat_map(|results| results.unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(count: usize) -> Threads {
        Threads::new(NonZero::new(count))
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [1, 2, 5] {
            let threads = some(count);
            for length in [0, 1, 7, 1000] {
                let items: Vec<usize> = (0..length).collect();
                let squares = threads.map(true, &items, || (), |(), &item| item * item);
                assert!(squares.into_iter().eq((0..length).map(|item| item * item)));
            }
            assert_eq!(threads.both(true, || 1, || 2), (1, 2));
        }
    }

    #[test]
    fn one_thread_has_no_pool_and_several_make_it_when_they_need_it() {
        let is_made = |threads: &Threads| threads.pool.pool.get().is_some();
        let one = some(1);
        one.both(true, || (), || ());
        assert!(!is_made(&one));
        let two = some(2);
        two.both(false, || (), || ());
        assert!(!is_made(&two));
        two.both(true, || (), || ());
        assert!(is_made(&two));
    }

    /// A waiting worker of a host's pool takes up no other job of that pool. Such a job would run
    /// on the same stack.
    #[test]
    fn jobs_of_a_hosts_pool_do_not_nest() {
        use std::cell::Cell;
        thread_local! {
            static DEPTH: Cell<usize> = const { Cell::new(0) };
        }
        let (threads, deepest) = (some(3), AtomicUsize::new(0));
        let host = ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
        host.scope(|scope| {
            for _ in 0..200 {
                scope.spawn(|_| {
                    DEPTH.set(DEPTH.get() + 1);
                    deepest.fetch_max(DEPTH.get(), Ordering::Relaxed);
                    let slow = || std::thread::sleep(std::time::Duration::from_micros(300));
                    threads.both(true, || (), slow);
                    DEPTH.set(DEPTH.get() - 1);
                });
            }
        });
        assert_eq!(deepest.into_inner(), 1);
    }

    #[test]
    fn a_pool_of_another_process_is_not_used() {
        let mut threads = some(2);
        threads.both(true, || (), || ());
        threads.pool.process = threads.pool.process.wrapping_add(1);
        assert_eq!(threads.both(true, || 1, || 2), (1, 2));
        assert!(threads.pool.forked.get().is_some());
    }
}
