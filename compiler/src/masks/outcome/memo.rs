//! A memo of outcomes at trie nodes below the root: each is found by one walk and used by all. A grammar's memo lives
//! while the grammar is compiled; the memo of the vocabulary's states lives as long as the compiler.
//!
//! A grammar of hundreds of similar strings reaches the same states at the same nodes from most of its states. So
//! nearly all of the work is to find these outcomes. If each walker found them for itself, a second thread would be of
//! no use. An outcome does not depend on its finder, so two walkers may find one at the same time.
//!
//! A long-lived compiler has to forget. Outcomes are in two generations. When the young generation takes half of the
//! permitted memory, it becomes the old one, and old outcomes that were not used meanwhile are dropped.
//!
//! Cost: a lock of a shard for each look-up, some 20 ns without contention.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::Outcome;
use super::arena::{Arena, KeptOutcome, words_of};

/// The number of parts of a memo, each with its own lock. It is a multiple of the usual number of threads, so that two
/// threads seldom wait for the same lock.
const SHARDS: usize = 16;

/// The most 32-bit words that a memo keeps, some 32 MB of memory in all. Beyond it, outcomes (consumed tokens and exit
/// nodes) that were not used lately are dropped.
const MOST: usize = 4 << 20;

/// The key of an outcome (consumed tokens and exit nodes) in a memo. The first number is a state, or the id of an
/// equivalence class of states. The second is the trie node of the outcome.
type Key = (u32, u32);

/// A map from [`Key`] to outcome (consumed tokens and exit nodes), for use by several threads.
#[derive(Debug)]
pub(crate) struct Memo {
    /// The parts of the map, each with its own lock. The sum of the two numbers of a key selects the part.
    shards: Vec<Mutex<Shard>>,
    /// The most 32-bit words that one generation of a part may take: the young or the old outcomes (consumed tokens and
    /// exit nodes).
    most: usize,
}

/// One part of a memo. Its outcomes (consumed tokens and exit nodes) are in two generations, so that unused ones are
/// dropped.
#[derive(Debug, Default)]
struct Shard {
    /// Maps keys to outcomes (consumed tokens and exit nodes) that were added or used since the last change of
    /// generations.
    young: FxHashMap<Key, KeptOutcome>,
    /// Maps keys to outcomes (consumed tokens and exit nodes) of the generation before. An old outcome moves to the
    /// young ones when it is used.
    old: FxHashMap<Key, KeptOutcome>,
    /// The size of the young outcomes (consumed tokens and exit nodes) in 32-bit words, as [`size`] counts it.
    size: usize,
    /// The memory of the young outcomes (consumed tokens and exit nodes).
    keeper: Arena,
}

impl Default for Memo {
    fn default() -> Self {
        Self::new(MOST)
    }
}

impl Memo {
    /// Returns an empty memo for outcomes (consumed tokens and exit nodes) of about `most` words in all.
    fn new(most: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, most: most / SHARDS / 2 }
    }

    /// Returns the outcome (consumed tokens and exit nodes) of a key, or `None` if it was never inserted or is
    /// forgotten.
    pub(crate) fn get(&self, key: Key) -> Option<KeptOutcome> {
        let mut shard = self.shard(key);
        if let Some(outcome) = shard.young.get(&key) {
            return Some(outcome.clone());
        }
        let outcome = shard.old.remove(&key)?;
        let (young, forgotten) =
            shard.add(key, outcome.len(), self.most, |keeper| keeper.copy(&outcome));
        drop(shard);
        drop(forgotten);
        Some(young)
    }

    /// Inserts an outcome (consumed tokens and exit nodes) and returns its stored copy. No lock needs to be held while
    /// the outcome is computed.
    pub(crate) fn insert(&self, key: Key, outcome: &Outcome) -> KeptOutcome {
        let words = words_of(outcome);
        let keep = |keeper: &mut Arena| keeper.keep(outcome);
        let (kept, forgotten) = self.shard(key).add(key, words, self.most, keep);
        // The lock is released before the forgotten outcomes are freed.
        drop(forgotten);
        kept
    }

    /// Locks the part of the memo that holds a key.
    fn shard(&self, key: Key) -> MutexGuard<'_, Shard> {
        // Keys of one node differ in the class, and keys of one class in the node, so the sum spreads both.
        let at = key.0.wrapping_add(key.1) as usize % SHARDS;
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    /// Adds to this part of the memo a young outcome (consumed tokens and exit nodes) of `words` words. `keep` copies
    /// it into the arena that it is given. If the young generation would exceed `most` words, it becomes the old one.
    /// Also returns the old outcomes that are then dropped.
    fn add(
        &mut self,
        key: Key,
        words: usize,
        most: usize,
        keep: impl FnOnce(&mut Arena) -> KeptOutcome,
    ) -> (KeptOutcome, FxHashMap<Key, KeptOutcome>) {
        let size = size(words);
        let mut forgotten = FxHashMap::default();
        if self.size + size > most {
            let young = std::mem::take(&mut self.young);
            forgotten = std::mem::replace(&mut self.old, young);
            (self.size, self.keeper) = (0, Arena::default());
        }
        self.size += size;
        let kept = keep(&mut self.keeper);
        self.young.insert(key, kept.clone());
        (kept, forgotten)
    }
}

/// Returns the size of an outcome (consumed tokens and exit nodes) of `words` words, in words of 32 bits. The outcome's
/// share of the tables is included.
fn size(words: usize) -> usize {
    16 + words
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use crate::threads::Threads;

    fn outcome((class, node): Key) -> Outcome {
        Outcome { exits: vec![class, node], ..Outcome::default() }
    }

    fn exits(kept: &KeptOutcome) -> Vec<u32> {
        kept.exits().collect()
    }

    #[test]
    fn what_some_threads_note_all_find() {
        let remembered = Memo::default();
        let keys = || (0..40).flat_map(|class| (0..40).map(move |node| (class, node)));
        let note = |half: u32| {
            let mine = keys().filter(|key| key.1 % 2 == half);
            mine.for_each(|key| _ = remembered.insert(key, &outcome(key)));
        };
        Threads::new(NonZero::new(2)).both(true, || note(0), || note(1));
        for key in keys() {
            assert_eq!(
                remembered.get(key).map(|kept| exits(&kept)),
                Some(outcome(key).exits),
                "{key:?}"
            );
        }
        assert!(remembered.get((40, 0)).is_none());
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let most = 1000 * SHARDS;
        let remembered = Memo::new(most);
        let often = (7, 7);
        remembered.insert(often, &outcome(often));
        for node in 0..100_000 {
            remembered.insert((0, node), &outcome((0, node)));
            let kept = remembered.get(often).map(|kept| exits(&kept));
            assert_eq!(kept, Some(outcome(often).exits), "after {node} others");
        }
        assert!(remembered.get((0, 0)).is_none());
        let held = |shard: &Mutex<Shard>| {
            let shard = shard.lock().unwrap();
            let all = shard.young.values().chain(shard.old.values());
            all.map(|kept| size(kept.len())).sum::<usize>()
        };
        assert!(remembered.shards.iter().map(held).sum::<usize>() <= most);
    }
}
