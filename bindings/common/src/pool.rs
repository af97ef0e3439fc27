//! The threads that batches run on.
//!
//! One pool for each number of threads, made when a batch first asks for it. A process that was forked has its memory and
//! none of its threads, so it makes its own; the parent's are left where they are, since nothing may be waited for that a
//! thread of the parent was in the middle of.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack of a thread, in bytes. Said here, since rayon asks the environment otherwise.
const STACK: usize = 2 << 20;

/// Most threads of a pool.
const MOST: usize = 256;

/// Pools by process and number of threads.
static POOLS: Mutex<BTreeMap<(u32, usize), Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// The pool of so many threads. None where the calling thread is to do the work alone: for one thread, and where none can
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

/// Threads of this process's pools.
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
