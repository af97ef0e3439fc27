//! Opened artifacts and refusals in memory, bounded in number and bytes, with eviction of the least recently used.
//!
//! A hit returns the kept handle, so that all users share one map of the file and everything derived from it.
//! Eviction does not affect users who hold the handle.
//!
//! Cost: a hash of 32 bytes and some pointers for each request, under a lock that nobody holds for longer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use grammarc_artifacts::GrammarArtifact;
use lru::LruCache;
use rustc_hash::FxBuildHasher;

use super::digest::Digest;
use crate::diagnostics::Diagnostic;

/// The time since the recorded last use of a file after which a hit updates the record.
pub(super) const TOUCH_AFTER: Duration = Duration::from_secs(3600);

/// An artifact in memory, with the findings of its compilation.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The opened artifact.
    pub(super) artifact: GrammarArtifact,
    /// The findings of the compilation; empty if the artifact came from a file.
    pub(super) findings: Arc<[Diagnostic]>,
}

/// An answer that holds for all equal requests: the artifact, or the errors of a refusal.
pub(super) type Answer = Result<Kept, Arc<[Diagnostic]>>;

/// The entry in memory that a request is answered with.
#[derive(Debug)]
pub(super) struct Remembered {
    /// The artifact or the refusal.
    pub(super) answer: Answer,
    /// Whether the recorded time of the file's last use is old and should be updated.
    pub(super) touch: bool,
}

/// The bounds on the contents of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// The most artifacts.
    pub(super) entries: usize,
    /// The most bytes of all artifacts together, mapped files included.
    pub(super) bytes: usize,
    /// The most refusals.
    pub(super) refusals: usize,
}

/// The most bytes of all refusals' texts together. Beyond it, the least recently used refusals are dropped.
const REFUSAL_BYTES: usize = 4 << 20;

/// An opened artifact, with the time of its last use.
#[derive(Clone, Debug)]
struct Opened {
    /// The artifact.
    kept: Kept,
    /// The time when the artifact's file was last used, as far as this process knows.
    touched: Instant,
}

/// The artifacts and refusals in memory.
#[derive(Debug)]
pub(super) struct Memory {
    /// The opened artifacts, by key or content.
    artifacts: Bounded<Opened>,
    /// The errors of refused requests, by key.
    refusals: Bounded<Arc<[Diagnostic]>>,
}

impl Memory {
    /// Returns an empty memory with these bounds.
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            artifacts: Bounded::new(bounds.entries, bounds.bytes),
            refusals: Bounded::new(bounds.refusals, REFUSAL_BYTES),
        }
    }

    /// Returns a copy, which shares the opened artifacts.
    pub(super) fn copy(&self) -> Self {
        Self { artifacts: self.artifacts.copy(), refusals: self.refusals.copy() }
    }

    /// Returns the entry of a digest, and makes it the most recently used. `None` if there is none.
    pub(super) fn get(&mut self, digest: &Digest) -> Option<Remembered> {
        if let Some(opened) = self.artifacts.get(digest) {
            let touch = opened.touched.elapsed() >= TOUCH_AFTER;
            if touch {
                opened.touched = Instant::now();
            }
            return Some(Remembered { answer: Ok(opened.kept.clone()), touch });
        }
        let refusal = self.refusals.get(digest)?;
        Some(Remembered { answer: Err(refusal.clone()), touch: false })
    }

    /// Adds an artifact. Returns the number of artifacts that were dropped to make room.
    pub(super) fn keep(&mut self, digest: Digest, kept: Kept) -> usize {
        let bytes = kept.artifact.byte_length();
        self.artifacts.keep(digest, Opened { kept, touched: Instant::now() }, bytes)
    }

    /// Adds the errors of a refused request.
    pub(super) fn refuse(&mut self, digest: Digest, diagnostics: Arc<[Diagnostic]>) {
        let bytes = diagnostics.iter().map(length).sum();
        self.refusals.keep(digest, diagnostics, bytes);
    }

    /// Makes the recorded last use of every file old.
    #[cfg(test)]
    pub(super) fn age(&mut self) {
        for (_, (opened, _)) in &mut self.artifacts.entries {
            opened.touched = opened.touched.checked_sub(TOUCH_AFTER).expect("a clock that has run");
        }
    }
}

/// Returns the size of a diagnostic in bytes, about.
fn length(diagnostic: &Diagnostic) -> usize {
    let Diagnostic { message, help, pointer, labels, .. } = diagnostic;
    let texts = [help, pointer].into_iter().flatten().map(String::len);
    let labels = labels.iter().map(|label| size_of_val(label) + label.text.len());
    size_of_val(diagnostic) + message.len() + texts.sum::<usize>() + labels.sum::<usize>()
}

/// Values by digest, bounded in number and in total weight. The least recently used values are dropped first.
#[derive(Debug)]
struct Bounded<V> {
    /// Maps a digest to a value and its weight.
    entries: LruCache<Digest, (V, usize), FxBuildHasher>,
    /// The most values.
    most: usize,
    /// The most weight of all values together.
    most_weight: usize,
    /// The weight of all values together.
    weight: usize,
}

impl<V: Clone> Bounded<V> {
    /// Returns an empty map with these bounds.
    fn new(most: usize, most_weight: usize) -> Self {
        let entries = LruCache::unbounded_with_hasher(FxBuildHasher);
        Self { entries, most, most_weight, weight: 0 }
    }

    /// Returns a copy, with the values in the same order of use.
    fn copy(&self) -> Self {
        let mut copy = Self::new(self.most, self.most_weight);
        // The least recently used first.
        for (&digest, (value, weight)) in self.entries.iter().rev() {
            copy.keep(digest, value.clone(), *weight);
        }
        copy
    }

    /// Returns the value of a digest, and makes it the most recently used.
    fn get(&mut self, digest: &Digest) -> Option<&mut V> {
        self.entries.get_mut(digest).map(|(value, _)| value)
    }

    /// Adds a value, unless its weight alone exceeds the bound or no values are permitted. Returns the number of values
    /// that were dropped to make room.
    fn keep(&mut self, digest: Digest, value: V, weight: usize) -> usize {
        if self.most == 0 || weight > self.most_weight {
            return 0;
        }
        if let Some((_, before)) = self.entries.put(digest, (value, weight)) {
            self.weight -= before;
        }
        self.weight += weight;
        let mut left = 0;
        while self.entries.len() > self.most || self.weight > self.most_weight {
            let Some((_, (_, weight))) = self.entries.pop_lru() else { break };
            self.weight -= weight;
            left += 1;
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The oracle: keys, values and weights, in the order of use.
    #[derive(Default)]
    struct List(Vec<(u8, u16, usize)>);

    impl List {
        fn get(&mut self, key: u8) -> Option<u16> {
            let at = self.0.iter().position(|&(found, ..)| found == key)?;
            let entry = self.0.remove(at);
            self.0.push(entry);
            Some(entry.1)
        }

        fn keep(&mut self, (key, value, weight): (u8, u16, usize), most: usize, heaviest: usize) {
            if most == 0 || weight > heaviest {
                return;
            }
            self.0.retain(|&(found, ..)| found != key);
            self.0.push((key, value, weight));
            let weight =
                |list: &[(u8, u16, usize)]| list.iter().map(|entry| entry.2).sum::<usize>();
            while self.0.len() > most || weight(&self.0) > heaviest {
                self.0.remove(0);
            }
        }
    }

    proptest! {
        #[test]
        fn what_was_not_asked_for_the_longest_leaves(
            most in 0usize..5,
            heaviest in 0usize..40,
            calls in prop::collection::vec((0u8..8, any::<bool>(), any::<u16>(), 0usize..20), 0..60),
        ) {
            let (mut bounded, mut list) = (Bounded::new(most, heaviest), List::default());
            for (key, asks, value, weight) in calls {
                let digest = Digest([key; 32]);
                if asks {
                    prop_assert_eq!(bounded.get(&digest).copied(), list.get(key));
                } else {
                    bounded.keep(digest, value, weight);
                    list.keep((key, value, weight), most, heaviest);
                }
                let order = bounded.entries.iter().rev().map(|(digest, (value, weight))| (digest.0[0], *value, *weight));
                prop_assert!(order.eq(list.0.iter().copied()));
                let copy = bounded.copy();
                prop_assert!(copy.entries.iter().eq(bounded.entries.iter()));
                prop_assert_eq!(copy.weight, bounded.weight);
            }
        }
    }
}
