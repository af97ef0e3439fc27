//! Outcomes of own states at nodes below the root, found by one walker and used by all.
//!
//! A grammar of hundreds of like strings comes to the same wide states at the same nodes from most of its states, so
//! nearly all of the work is to learn these outcomes: were each walker to learn them for itself, a second thread would be
//! of no use.
//!
//! An outcome does not depend on who finds it, so that two walkers find one at the same time does no harm.
//!
//! Cost: a lock of a shard for each look-up, some 20 ns where no other thread holds it.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::outcome::Outcome;

/// Parts with a lock each: many more than threads, so that these seldom meet.
const SHARDS: usize = 64;

/// The class of the states that do the same below a node, and the node.
type Key = (u32, u32);

/// What was found, by [`Key`].
#[derive(Debug)]
pub(super) struct Remembered(Vec<Mutex<FxHashMap<Key, Arc<Outcome>>>>);

impl Default for Remembered {
    fn default() -> Self {
        Self((0..SHARDS).map(|_| Mutex::default()).collect())
    }
}

impl Remembered {
    /// The outcome that was found.
    pub(super) fn get(&self, key: Key) -> Option<Arc<Outcome>> {
        let shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        shard.get(&key).map(Arc::clone)
    }

    /// Notes an outcome, for everyone.
    pub(super) fn insert(&self, key: Key, outcome: &Arc<Outcome>) {
        let mut shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        shard.insert(key, Arc::clone(outcome));
    }

    fn shard(&self, key: Key) -> &Mutex<FxHashMap<Key, Arc<Outcome>>> {
        // The map itself uses the hash's other bits.
        &self.0[(FxBuildHasher.hash_one(key) >> 32) as usize % SHARDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_threads_note_all_find() {
        let remembered = Remembered::default();
        let keys = || (0..40).flat_map(|class| (0..40).map(move |node| (class, node)));
        let outcome =
            |(class, node): Key| Outcome { exits: vec![class, node], ..Outcome::default() };
        let note = |half: u32| {
            let mine = keys().filter(|key| key.1 % 2 == half);
            mine.for_each(|key| remembered.insert(key, &Arc::new(outcome(key))));
        };
        rayon::join(|| note(0), || note(1));
        for key in keys() {
            assert_eq!(remembered.get(key).as_deref(), Some(&outcome(key)), "{key:?}");
        }
        assert_eq!(remembered.get((40, 0)), None);
    }
}
