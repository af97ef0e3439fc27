//! Many matchers at once: their masks in one bitmask, or applied to one array of logits.
//!
//! A batch has a bitmask of `[rows, row_words]` or logits of `[rows, row_len]`. It also has a list of matchers with
//! their row indices in ascending order. The matchers may have different grammars if one row length fits all of them.
//! Rows without a matcher are unconstrained.
//!
//! With the feature `rayon`, `par_` functions split the work among the threads of the current pool by halving the list.
//! Each row is written by one thread, the split allocates nothing, and the result is that of the sequential function.
//!
//! Tests: `src/tests/batches.rs`; of trees `src/tests/drafts.rs`.

use std::ops::Range;

use crate::apply::logit::Logit;
use crate::error::{BatchError, BufferError};
use crate::mask::union::{check_rows, check_words};
use crate::matcher::Matcher;

/// A matcher and the index of its row in the batch: `(row, matcher)`.
pub type RowOf<'m> = (usize, &'m mut Matcher);

/// What happens to the rows of a bitmask that have no matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlisted {
    /// Rows without a matcher do not change.
    Keep,
    /// Rows without a matcher allow every token: all their bits become one.
    AllowAll,
}

/// Writes the mask of each listed matcher to its row of a bitmask. A row has `row_words` words of 32 tokens, as
/// [`Mask::fill`] writes them. Bits beyond the matcher's logit width become zero. `unlisted` decides about rows without
/// a matcher.
///
/// `matchers` lists pairs of row index and matcher, in ascending order of the index.
///
/// O(rows x `row_words`), without allocation.
///
/// # Errors
///
/// The bitmask is not a whole number of rows, or a row is too short for a matcher's mask. Or `matchers` is not
/// ascending by row, or has a row beyond the bitmask. No row is written then.
///
/// [`Mask::fill`]: crate::Mask::fill
pub fn fill_batch(
    matchers: &mut [RowOf<'_>],
    bitmask: &mut [u32],
    row_words: usize,
    unlisted: Unlisted,
) -> Result<(), BatchError> {
    let rows = check(matchers, bitmask.len(), row_words, |matcher| {
        check_words(matcher.logit_width(), row_words)
    })?;
    fill_rows(matchers, bitmask, 0..rows, row_words, unlisted);
    Ok(())
}

/// Fills a bitmask as [`fill_batch`] does, on the threads of the current rayon pool.
///
/// # Errors
///
/// The errors of [`fill_batch`]. No row is written then.
#[cfg(feature = "rayon")]
pub fn par_fill_batch(
    matchers: &mut [RowOf<'_>],
    bitmask: &mut [u32],
    row_words: usize,
    unlisted: Unlisted,
) -> Result<(), BatchError> {
    let rows = check(matchers, bitmask.len(), row_words, |matcher| {
        check_words(matcher.logit_width(), row_words)
    })?;
    let fill = |matchers: &mut [RowOf<'_>], bitmask: &mut [u32], rows| {
        fill_rows(matchers, bitmask, rows, row_words, unlisted);
    };
    split(matchers, bitmask, 0..rows, row_words, &fill);
    Ok(())
}

/// Applies the mask of each listed matcher to its row of `row_len` logits, as [`Mask::apply`] does. `row_len` must be
/// the logit width of every matcher. Rows without a matcher do not change.
///
/// `matchers` lists pairs of row index and matcher, in ascending order of the index.
///
/// O(listed rows x `row_len`), without allocation.
///
/// # Errors
///
/// The logits are not a whole number of rows, or a matcher has another logit width. Or `matchers` is not ascending by
/// row, or has a row beyond the logits. No row is written then.
///
/// [`Mask::apply`]: crate::Mask::apply
pub fn apply_batch<L: Logit>(
    matchers: &mut [RowOf<'_>],
    logits: &mut [L],
    row_len: usize,
) -> Result<(), BatchError> {
    let rows = check(matchers, logits.len(), row_len, |matcher| logits_of(matcher, row_len))?;
    apply_rows(matchers, logits, 0..rows, row_len);
    Ok(())
}

/// Applies masks as [`apply_batch`] does, on the threads of the current rayon pool.
///
/// # Errors
///
/// The errors of [`apply_batch`]. No row is written then.
#[cfg(feature = "rayon")]
pub fn par_apply_batch<L: Logit>(
    matchers: &mut [RowOf<'_>],
    logits: &mut [L],
    row_len: usize,
) -> Result<(), BatchError> {
    let rows = check(matchers, logits.len(), row_len, |matcher| logits_of(matcher, row_len))?;
    let apply = |matchers: &mut [RowOf<'_>], logits: &mut [L], rows| {
        apply_rows(matchers, logits, rows, row_len);
    };
    split(matchers, logits, 0..rows, row_len, &apply);
    Ok(())
}

/// Fills a bitmask of `[rows, row_words]` for a tree of drafts, as [`Matcher::fill_drafts`] does for a chain. Row 0 has the
/// mask of the matcher's position, and row `i + 1` the mask after node `i`, whose token is `tokens[i]`. `parents[i]` is the
/// index of its parent, which is less than `i`, or `None` if the node follows the position. Returns for each node whether
/// its token is allowed after those on its path.
///
/// The row of a node that is not allowed is that of its parent, so no row allows a token that the grammar forbids there.
/// Further rows do not change. The matcher does not move. O(nodes x `row_words`), and a step for each node.
///
/// # Errors
///
/// The bitmask is not a whole number of rows, has no more rows than there are nodes, or its rows are too short for a mask.
/// Or the two lists differ in length, or a parent is not before its node. No row is written then.
pub fn fill_tree(
    matcher: &mut Matcher,
    tokens: &[u32],
    parents: &[Option<u32>],
    bitmask: &mut [u32],
    row_words: usize,
) -> Result<Vec<bool>, BatchError> {
    check_rows(matcher.logit_width(), bitmask.len(), row_words, tokens.len() + 1)?;
    if tokens.len() != parents.len() {
        return Err(BatchError::Tree { node: tokens.len().min(parents.len()) });
    }
    let is_wrong = |(node, parent): (usize, &Option<u32>)| {
        parent.is_some_and(|parent| parent as usize >= node)
    };
    if let Some(node) = parents.iter().enumerate().position(is_wrong) {
        return Err(BatchError::Tree { node });
    }
    matcher.mask().write(&mut bitmask[..row_words]);
    let mut last_child: Vec<usize> = vec![0; tokens.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            last_child[*parent as usize] = node;
        }
    }
    // The matcher after each node, until its last child.
    let mut after: Vec<Option<Matcher>> = Vec::with_capacity(tokens.len());
    let mut is_allowed = Vec::with_capacity(tokens.len());
    for (node, (&token, &parent)) in tokens.iter().zip(parents).enumerate() {
        let from = match parent {
            Some(parent) => after[parent as usize].as_ref(),
            None => Some(&*matcher),
        };
        let accepted = |mut matcher: Matcher| matcher.accept(token).is_ok().then_some(matcher);
        let mut reached = from.map(Matcher::fork).and_then(accepted);
        let (before, row) = bitmask.split_at_mut((node + 1) * row_words);
        match &mut reached {
            Some(matcher) => matcher.mask().write(&mut row[..row_words]),
            None => {
                let from = parent.map_or(0, |parent| parent as usize + 1) * row_words;
                row[..row_words].copy_from_slice(&before[from..from + row_words]);
            }
        }
        is_allowed.push(reached.is_some());
        after.push(reached.filter(|_| last_child[node] > node));
        if let Some(parent) = parent.map(|parent| parent as usize)
            && last_child[parent] == node
        {
            after[parent] = None;
        }
    }
    Ok(is_allowed)
}

/// Checks the row indices of a batch against an array of `len` elements, and returns the number of rows. `fits` checks
/// that a row of `row_len` elements fits a matcher. Returns an error for the first row that fails.
fn check(
    matchers: &[RowOf<'_>],
    len: usize,
    row_len: usize,
    fits: impl Fn(&Matcher) -> Result<(), BufferError>,
) -> Result<usize, BatchError> {
    let rows = len.checked_div(row_len).unwrap_or(0);
    if rows * row_len != len {
        return Err(BatchError::Length { len, row_len });
    }
    let mut least = 0;
    for (row, matcher) in matchers {
        if *row >= rows {
            return Err(BatchError::Row { row: *row, rows });
        }
        if *row < least {
            return Err(BatchError::Order { row: *row });
        }
        least = row + 1;
        fits(matcher).map_err(|source| BatchError::Buffer { row: *row, source })?;
    }
    Ok(rows)
}

/// Checks that a row of `found` logits has the logit width of a matcher. Returns an error if the lengths differ.
fn logits_of(matcher: &Matcher, found: usize) -> Result<(), BufferError> {
    let needed = matcher.logit_width() as usize;
    if found != needed {
        return Err(BufferError { unit: "logits", found, needed });
    }
    Ok(())
}

/// Fills the rows `rows` of a bitmask with the masks of `matchers`. `bitmask` holds these rows alone.
fn fill_rows(
    matchers: &mut [RowOf<'_>],
    bitmask: &mut [u32],
    rows: Range<usize>,
    row_words: usize,
    unlisted: Unlisted,
) {
    let mut matchers = matchers.iter_mut().peekable();
    for (row, words) in rows.zip(bitmask.chunks_exact_mut(row_words.max(1))) {
        match matchers.next_if(|(listed, _)| *listed == row) {
            Some((_, matcher)) => matcher.mask().write(words),
            None if unlisted == Unlisted::AllowAll => words.fill(u32::MAX),
            None => {}
        }
    }
}

/// Applies the masks of `matchers` to the rows `rows` of the logits. `logits` holds these rows alone.
fn apply_rows<L: Logit>(
    matchers: &mut [RowOf<'_>],
    logits: &mut [L],
    rows: Range<usize>,
    row_len: usize,
) {
    for (row, matcher) in matchers {
        let at = (*row - rows.start) * row_len;
        matcher.mask().write_over(&mut logits[at..at + row_len]);
    }
}

/// Largest number of matchers that one thread handles without a split. Their work takes some microseconds, about the
/// time to wake a thread. A longer list is halved.
#[cfg(feature = "rayon")]
const TOGETHER: usize = 8;

/// Halves a list of matchers, and the rows of `data` with it, until a part has at most [`TOGETHER`] matchers. Calls
/// `work` on each part with its matchers, its elements and its row range, on several threads.
#[cfg(feature = "rayon")]
fn split<T: Send>(
    matchers: &mut [RowOf<'_>],
    data: &mut [T],
    rows: Range<usize>,
    row_len: usize,
    work: &(impl Fn(&mut [RowOf<'_>], &mut [T], Range<usize>) + Sync),
) {
    if matchers.len() <= TOGETHER {
        return work(matchers, data, rows);
    }
    let (left, right) = matchers.split_at_mut(matchers.len() / 2);
    let middle = right[0].0;
    let (before, after) = data.split_at_mut((middle - rows.start) * row_len);
    rayon::join(
        || split(left, before, rows.start..middle, row_len, work),
        || split(right, after, middle..rows.end, row_len, work),
    );
}
