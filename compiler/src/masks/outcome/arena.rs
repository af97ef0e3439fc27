//! An arena for outcomes that are kept: their words are stored one after the other in large shared blocks of memory.
//!
//! There may be a hundred thousand outcomes, some kept for as long as the compiler lives. With one allocation for each,
//! they would be scattered over the heap among short-lived memory, and the allocator would search among the gaps. A
//! compiler that had seen a few hundred grammars then took a quarter longer for the next one.
//!
//! A block is written while others read earlier parts of it, so its words are atomic. A thread gets a [`KeptOutcome`]
//! from its writer, or under a lock that the writer held, so it sees the words.
//!
//! Cost: O(words) to keep an outcome; a clone increments the reference count of the block.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Outcome;
use super::spans::Span;

/// The number of 32-bit words in the first block. Each further block is twice as large as the last, up to [`LARGEST`].
const FIRST: usize = 1 << 10;
/// The most 32-bit words in a block. An outcome (consumed tokens and exit nodes) with more words gets a block of its
/// own size.
const LARGEST: usize = 1 << 16;

/// A block of 32-bit words, shared by all outcomes (consumed tokens and exit nodes) that are stored in it.
type Block = Arc<[AtomicU32]>;

/// An outcome (consumed tokens and exit nodes) that is stored in an arena. It has no delta (tokens of another mask).
#[derive(Clone, Debug)]
pub(crate) struct KeptOutcome {
    /// The block of memory that holds the words of the outcome (consumed tokens and exit nodes).
    block: Block,
    /// Range of words in the block with the bounds of the spans (ranges of token ranks), two words for each span. The
    /// exits (nodes where the rule returns) follow.
    spans: Range<u32>,
    /// The end of the exits (nodes where the rule returns) in the block, exclusive.
    end: u32,
}

impl KeptOutcome {
    /// Returns the bounds of the spans, which are ranges of ranks (token indexes in byte order).
    pub(crate) fn spans(&self) -> &[[AtomicU32; 2]] {
        self.block[self.spans.start as usize..self.spans.end as usize].as_chunks().0
    }

    /// Returns the exits: the trie nodes at which the rule returns.
    pub(crate) fn exits(&self) -> impl Iterator<Item = u32> + '_ {
        let exits = &self.block[self.spans.end as usize..self.end as usize];
        exits.iter().map(|exit| exit.load(Ordering::Relaxed))
    }

    /// Returns the number of 32-bit words that the outcome (consumed tokens and exit nodes) takes. A range of tokens
    /// takes two words, and an exit node takes one.
    pub(crate) fn len(&self) -> usize {
        (self.end - self.spans.start) as usize
    }
}

impl Span for [AtomicU32; 2] {
    fn range(&self) -> Range<u32> {
        let [start, end] = self.each_ref().map(|bound| bound.load(Ordering::Relaxed));
        start..end
    }
}

/// A growing store of outcomes (consumed tokens and exit nodes). Blocks live as long as an outcome in them.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    /// The block of memory that is being filled with outcomes (consumed tokens and exit nodes).
    block: Block,
    /// The number of 32-bit words in use in the block.
    used: usize,
}

/// Returns the number of 32-bit words that an outcome (consumed tokens and exit nodes) takes in an arena. A range of
/// tokens takes two words, and an exit node takes one.
pub(crate) fn words_of(outcome: &Outcome) -> usize {
    2 * outcome.spans.len() + outcome.exits.len()
}

impl Arena {
    /// Copies an outcome (consumed tokens and exit nodes) into the arena. The outcome must have no delta (tokens of
    /// another mask).
    pub(crate) fn keep(&mut self, outcome: &Outcome) -> KeptOutcome {
        debug_assert!(outcome.delta.is_none(), "what is kept says all of its tokens itself");
        let bounds = outcome.spans.iter().flat_map(|span| [span.start, span.end]);
        let words = bounds.chain(outcome.exits.iter().copied());
        self.write(2 * outcome.spans.len(), words_of(outcome), words)
    }

    /// Stores in this arena a copy of an outcome (consumed tokens and exit nodes) of another one.
    pub(crate) fn copy(&mut self, kept: &KeptOutcome) -> KeptOutcome {
        let words = &kept.block[kept.spans.start as usize..kept.end as usize];
        let words = words.iter().map(|word| word.load(Ordering::Relaxed));
        self.write(kept.spans.len(), kept.len(), words)
    }

    /// Stores `count` words of an outcome (consumed tokens and exit nodes). The first `spans` of these words are the
    /// bounds of ranges of token ranks, and the others are exit nodes.
    fn write(
        &mut self,
        spans: usize,
        count: usize,
        words: impl Iterator<Item = u32>,
    ) -> KeptOutcome {
        if self.block.len() - self.used < count {
            let size = (2 * self.block.len()).clamp(FIRST, LARGEST);
            let empty = (0..size.max(count)).map(|_| AtomicU32::new(0));
            (self.block, self.used) = (empty.collect(), 0);
        }
        let block = Arc::clone(&self.block);
        for (place, word) in block[self.used..].iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        let start = self.used as u32;
        self.used += count;
        KeptOutcome { block, spans: start..start + spans as u32, end: self.used as u32 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_kept_stays_as_it_is(
            lengths in prop::collection::vec((0u32..900, 0u32..900), 1..60),
            long in 0u32..100_000,
        ) {
            let outcome = |(spans, exits): (u32, u32)| Outcome {
                spans: (0..spans).map(|at| 3 * at + exits..3 * at + exits + 2).collect(),
                exits: (spans..spans + exits).collect(),
                ..Outcome::default()
            };
            let all: Vec<Outcome> = lengths.into_iter().chain([(3, long)]).map(outcome).collect();
            let (mut keeper, mut other) = (Arena::default(), Arena::default());
            let kept: Vec<KeptOutcome> = all.iter().map(|outcome| keeper.keep(outcome)).collect();
            let copies: Vec<KeptOutcome> = kept.iter().map(|kept| other.copy(kept)).collect();
            drop((keeper, other));
            for (outcome, kept) in all.iter().chain(&all).zip(kept.iter().chain(&copies)) {
                prop_assert_eq!(kept.spans().iter().map(Span::range).collect::<Vec<_>>(), &outcome.spans[..]);
                prop_assert_eq!(kept.exits().collect::<Vec<_>>(), &outcome.exits[..]);
                prop_assert_eq!(kept.len(), 2 * outcome.spans.len() + outcome.exits.len());
            }
        }
    }
}
