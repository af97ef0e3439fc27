//! Drafts for speculative decoding: the tokens that a grammar forces, spelled as the model's tokenizer would.
//!
//! A host that verifies drafts feeds them to the model with the last token, and keeps those that the model would have
//! drawn. So a draft changes how many calls of the model an output takes, never which output is drawn.
//!
//! A draft begins with the tokens that are the only ones allowed. After them come the bytes that every continuation
//! begins with, encoded by the model's tokenizer. The longest tokens that spell the bytes would be wrong in many cases,
//! because few tokenizers choose these.
//!
//! A draft is a function of the position and of the last tokens. Drafts are kept by the
//! [exported](crate::export) position and the last token, because sequences of one grammar often meet at a position.
//! The draft that is kept may have been made after other tokens before the last. It is allowed all the same.
//!
//! | file | content |
//! | --- | --- |
//! | `run` | the draft of one position: forced tokens and forced bytes |
//! | `tree` | drafts that branch where few tokens are allowed |
//!
//! Tests: `tests.rs`, against walks of the mask; `tests/tests/suite` of the workspace with real tokenizers.

mod run;
#[cfg(test)]
mod tests;
mod tree;

use std::cell::Cell;
use std::fmt;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;

pub use self::run::MAX_DRAFT;
pub use self::tree::DraftTree;
use crate::matcher::Matcher;

/// Most drafts that a drafter keeps. The least recently used is dropped first.
const KEPT: NonZero<usize> = NonZero::new(4096).expect("not zero");

/// Encodes text that continues other text: no control tokens, nothing added at the beginning. `None` if the tokenizer
/// cannot encode the text.
type Encode = dyn Fn(&str) -> Option<Vec<u32>> + Send + Sync;

/// Drafts by exported position and last token.
type Kept = LruCache<Box<[u8]>, Arc<[u32]>>;

/// Proposes the tokens that a grammar forces next, for a host that verifies them. One drafter serves all grammars of a
/// vocabulary, and any number of threads.
pub struct Drafter {
    encode: Box<Encode>,
    kept: Mutex<Kept>,
}

impl Drafter {
    /// Returns a drafter. `encode` encodes text with the model's tokenizer, without control tokens and without anything
    /// at the beginning. It returns `None` for text that the tokenizer cannot encode.
    pub fn new(encode: impl Fn(&str) -> Option<Vec<u32>> + Send + Sync + 'static) -> Self {
        Self { encode: Box::new(encode), kept: Mutex::new(LruCache::new(KEPT)) }
    }

    /// Writes the draft of a position to `draft`: at most `most` tokens and at most [`MAX_DRAFT`], all allowed one after
    /// the other. `draft` is cleared first, and is empty where nothing is forced. `last` are the last tokens of the
    /// output, six of which are enough. The matcher does not move.
    ///
    /// The last token of a draft may be shorter than the one that the model would draw. To add tokens without
    /// verification, use [`injection`](Self::injection).
    ///
    /// O(bytes of the exported position) for a draft that is kept, otherwise the cost of its encoding and of a step for
    /// each token.
    pub fn draft(&self, matcher: &mut Matcher, last: &[u32], most: usize, draft: &mut Vec<u32>) {
        draft.clear();
        if most > 0 {
            let kept = self.kept(matcher, last);
            draft.extend_from_slice(&kept[..kept.len().min(most)]);
            // The draft may have been made under other limits.
            draft.truncate(matcher.validate(draft));
        }
    }

    /// Writes to `run` the tokens that a host may add to the output without asking the model, under the conditions of
    /// [`draft`](Self::draft). If a longer token that begins with the last one is allowed, the last one is left to the
    /// model. Even so, a model may have spelled some runs otherwise. No run is kept, because a kept one may have been made
    /// after other tokens.
    pub fn injection(&self, matcher: &mut Matcher, last: &[u32], most: usize, run: &mut Vec<u32>) {
        *run = run::of(matcher, last, most.min(MAX_DRAFT), &*self.encode);
        let Some(&token) = run.last() else { return };
        let mut ahead = matcher.fork();
        let before = ahead.accept_many(&run[..run.len() - 1]);
        if before.is_err() || ahead.allows_longer(token) {
            run.pop();
        }
    }

    /// Returns the draft of a position after the tokens `last`, at most [`MAX_DRAFT`] tokens.
    fn kept(&self, matcher: &Matcher, last: &[u32]) -> Arc<[u32]> {
        let mut key = matcher.export();
        key.extend(last.last().map_or(u32::MAX, |&token| token).to_le_bytes());
        let key = key.into_boxed_slice();
        let known = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let has_failed = Cell::new(false);
        let encode = |text: &str| {
            let encoded = (self.encode)(text);
            has_failed.set(has_failed.get() || encoded.is_none());
            encoded
        };
        let made: Arc<[u32]> = run::of(matcher, last, MAX_DRAFT, &encode).into();
        // An encoder may fail for reasons of its own, and then do better the next time. Another thread may have made the
        // same draft meanwhile.
        if !has_failed.get() {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).put(key, Arc::clone(&made));
        }
        made
    }
}

impl fmt::Debug for Drafter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("Drafter").field("kept", &kept).finish_non_exhaustive()
    }
}
