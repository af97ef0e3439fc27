//! Threads for what is measured on several.
//!
//! Each is held on a processor of its own where the system lets us: a kernel may put a thread that it wakes on the
//! processor of the one that woke it and leave both there for as long as a compilation takes, so that a second thread
//! is worth nothing in some runs and all of it in others.

use std::io;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// How many run at once.
pub fn at_once() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A pool of some threads. One alone is left where it is.
///
/// # Errors
///
/// Where threads can't be started.
pub fn pool(threads: usize) -> io::Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    let pool = match threads {
        1 => pool,
        _ => pool.start_handler(hold),
    };
    pool.build().map_err(io::Error::other)
}

/// Holds this thread on one of the processors that it may run on, another for each number.
#[cfg(target_os = "linux")]
fn hold(number: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else { return };
    let allowed: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).collect();
    let mut one = CpuSet::new();
    one.set(allowed[number % allowed.len()]);
    // Where it is refused, the thread runs where the system likes.
    let _ = sched_setaffinity(None, &one);
}

#[cfg(not(target_os = "linux"))]
fn hold(_: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_the_processors_between_them() {
        let pool = pool(2).unwrap();
        assert_eq!(pool.current_num_threads(), 2);
        #[cfg(target_os = "linux")]
        {
            use rustix::thread::{CpuSet, sched_getaffinity};

            let processors = |set: CpuSet| (0..CpuSet::MAX_CPU).filter(move |&cpu| set.is_set(cpu));
            let ours: Vec<usize> = sched_getaffinity(None).map(processors).unwrap().collect();
            let theirs = pool.broadcast(|_| sched_getaffinity(None).unwrap());
            let theirs: Vec<usize> = theirs.into_iter().flat_map(processors).collect();
            let expected: Vec<usize> = ours.iter().copied().cycle().take(2).collect();
            assert_eq!(theirs, expected);
        }
    }
}
