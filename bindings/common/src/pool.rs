//! The threads that batches run on.
//!
//! There is one pool for each number of threads, made for the first batch that needs it. A forked process has its
//! parent's memory and none of its threads, so it makes its own pools. The parent's pools are leaked, since dropping
//! one could wait for a thread of the parent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack of a thread, in bytes. Set here, since rayon otherwise reads the environment.
const STACK: usize = 2 << 20;

/// Maximum number of threads of a pool.
const MOST: usize = 256;

/// Pools by process and number of threads.
static POOLS: Mutex<BTreeMap<(u32, usize), Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// Returns the pool of `threads` threads. `None` if the calling thread does the work: for one thread, and if none can
/// be started.
pub(crate) fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let threads = threads.min(MOST);
    if threads < 2 {
        return None;
    }
    // A fork while another thread held the lock leaves it held for ever: such a child works on its own thread.
    let mut pools = match POOLS.try_lock() {
        Ok(pools) => pools,
        Err(std::sync::TryLockError::Poisoned(pools)) => pools.into_inner(),
        Err(std::sync::TryLockError::WouldBlock) => return None,
    };
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Some(Arc::clone(pool));
    }
    let name = |thread| format!("grammarc batch {thread}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
    let pool = Arc::new(pool.thread_name(name).build().ok()?);
    pools.insert(key, Arc::clone(&pool));
    Some(pool)
}

/// Returns the number of threads of this process's pools.
pub fn threads() -> usize {
    let pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let own = pools.iter().filter(|((process, _), _)| *process == std::process::id());
    own.map(|((_, threads), _)| threads).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_made_once_for_a_number_of_threads() {
        assert!(pool(1).is_none());
        let run = || pool(3).map(|pool| pool.install(rayon::current_num_threads));
        assert_eq!([run(), run()], [Some(3), Some(3)]);
        assert_eq!(threads(), 3);
    }
}
