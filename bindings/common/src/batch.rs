//! Batches on a number of threads that the host chooses.
//!
//! One thread is the calling one, and rayon is not used then: its splitting outside of a pool would start the global
//! pool, which belongs to the host and does not survive a fork.

use grammarc_runtime::Logit;
use grammarc_runtime::batch::{
    RowOf, Unlisted, apply_batch, fill_batch, par_apply_batch, par_fill_batch,
};
use grammarc_runtime::error::BatchError;

use crate::pool::pool;

/// Fills the rows of matchers, on `threads` threads: see [`fill_batch`].
///
/// # Errors
///
/// The errors of [`fill_batch`].
pub fn fill(
    threads: usize,
    matchers: &mut [RowOf<'_>],
    words: &mut [u32],
    row_words: usize,
    unlisted: Unlisted,
) -> Result<(), BatchError> {
    match pool(threads) {
        Some(pool) => pool.install(|| par_fill_batch(matchers, words, row_words, unlisted)),
        None => fill_batch(matchers, words, row_words, unlisted),
    }
}

/// Applies the masks of matchers to their rows of logits, on `threads` threads: see [`apply_batch`].
///
/// # Errors
///
/// The errors of [`apply_batch`].
pub fn apply<L: Logit>(
    threads: usize,
    matchers: &mut [RowOf<'_>],
    logits: &mut [L],
    row_len: usize,
) -> Result<(), BatchError> {
    match pool(threads) {
        Some(pool) => pool.install(|| par_apply_batch(matchers, logits, row_len)),
        None => apply_batch(matchers, logits, row_len),
    }
}
