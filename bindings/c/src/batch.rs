//! Batches of matchers in one call, and the masks along a draft.
//!
//! A batch acquires its matchers one by one and releases them together. A matcher that is listed twice is refused at its
//! second place because the first place has acquired it. Another thread's matcher is refused likewise. Nothing is written
//! then.

use std::ffi::c_void;

use grammarc_bindings::batch;
use grammarc_runtime::batch::{RowOf, Unlisted};
use grammarc_runtime::error::BatchError;
use grammarc_runtime::{Bf16, F16, Logit, Matcher};

use crate::args::{array, array_mut, optional};
use crate::error::grammarc_status::{self, *};
use crate::error::{Fault, status_of};
use crate::guard::guarded;
use crate::matcher::grammarc_matcher;
use crate::out_params::write_out;
use crate::single::{Exclusive as _, try_on};

/// The treatment of mask rows without a listed matcher.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_unlisted {
    /// The rows stay unchanged.
    GRAMMARC_KEEP = 0,
    /// The rows allow every token: all bits become 1.
    GRAMMARC_ALLOW_ALL = 1,
}

/// Matchers with their rows, in the order of the rows.
type Listed<'a> = Vec<(usize, &'a grammarc_matcher)>;

/// Returns the matchers of a batch, sorted by row. NULL for `rows` assigns the first rows in order.
///
/// # Safety
///
/// Both arrays exist, and the matchers are not freed meanwhile.
unsafe fn list<'a>(
    matchers: *const *mut grammarc_matcher,
    rows: *const usize,
    count: usize,
) -> Result<Listed<'a>, Fault> {
    let rows = optional("the rows", rows, count)?;
    let matchers = array("the matchers", matchers, count)?;
    let one = |(at, matcher): (usize, &*mut grammarc_matcher)| {
        let matcher = matcher.as_ref();
        let matcher = matcher.ok_or_else(|| Fault::argument("a matcher of the list is NULL"))?;
        Ok((rows.map_or(at, |rows| rows[at]), matcher))
    };
    let mut listed: Listed<'a> =
        matchers.iter().enumerate().map(one).collect::<Result<_, Fault>>()?;
    listed.sort_by_key(|&(row, _)| row);
    Ok(listed)
}

/// Acquires the matchers of a list, runs work with them, and releases them.
fn together(
    listed: &Listed<'_>,
    work: impl FnOnce(&mut [RowOf<'_>]) -> Result<(), BatchError>,
) -> grammarc_status {
    for (at, (_, matcher)) in listed.iter().enumerate() {
        if let Err(status) = matcher.single().take() {
            listed[..at].iter().for_each(|(_, before)| before.single().give_back(true));
            return status;
        }
    }
    let done = guarded(|| {
        let mine = |&(row, matcher): &(usize, &grammarc_matcher)| {
            // SAFETY: each matcher was acquired above, so no matcher is listed twice and no other call uses it.
            let matcher: &mut Matcher = unsafe { &mut *matcher.single().taken() };
            (row, matcher)
        };
        let mut list: Vec<RowOf<'_>> = listed.iter().map(mine).collect();
        work(&mut list)
    });
    listed.iter().for_each(|(_, matcher)| matcher.single().give_back(done.is_ok()));
    done.map_or(GRAMMARC_INTERNAL, batch_status)
}

/// Returns the status of a batch.
fn batch_status(result: Result<(), BatchError>) -> grammarc_status {
    match result {
        Ok(()) => GRAMMARC_OK,
        Err(BatchError::Order { .. }) => GRAMMARC_ARGUMENT,
        Err(_) => GRAMMARC_BUFFER,
    }
}

/// Returns the number of elements of a matrix.
fn cells(rows: usize, columns: usize) -> Result<usize, Fault> {
    let cells = rows.checked_mul(columns);
    cells.ok_or_else(|| Fault::argument("more cells than there are numbers"))
}

/// Writes the masks of `count` matchers to rows of a bitmask, as grammarc_matcher_fill() does for one. The matchers may have
/// different grammars.
///
/// The bitmask has `mask_rows` rows of `row_words` words each, without gaps. `rows[i]` is the row of matcher `i`; if `rows`
/// is NULL, matcher `i` has row `i`. `unlisted`, one of `grammarc_unlisted`, selects the treatment of the other rows. Up to
/// `threads` threads of the library share the work; with 0 or 1, the calling thread does it.
///
/// GRAMMARC_ARGUMENT if a matcher or a row is listed twice, or another thread uses a matcher. GRAMMARC_BUFFER if a row is
/// missing or too short. On failure nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_fill_batch(
    matchers: *const *mut grammarc_matcher,
    rows: *const usize,
    count: usize,
    mask: *mut u32,
    mask_rows: usize,
    row_words: usize,
    unlisted: u32,
    threads: usize,
) -> grammarc_status {
    status_of(|| {
        let unlisted = match unlisted {
            0 => Unlisted::Keep,
            1 => Unlisted::AllowAll,
            _ => return Err(Fault::argument("unlisted rows are kept or allow all")),
        };
        let listed = list(matchers, rows, count)?;
        let words = array_mut("the mask", mask, cells(mask_rows, row_words)?)?;
        Ok(together(&listed, |list| batch::fill(threads, list, words, row_words, unlisted)))
    })
}

/// Applies the masks of `count` matchers to rows of logits, as grammarc_matcher_apply() does for one.
///
/// The logits have `logit_rows` rows of `row_length` elements of type `dtype` each, without gaps. Rows without a listed
/// matcher stay unchanged. `rows`, `threads` and the failures are those of grammarc_fill_batch().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_apply_batch(
    matchers: *const *mut grammarc_matcher,
    rows: *const usize,
    count: usize,
    logits: *mut c_void,
    dtype: u32,
    logit_rows: usize,
    row_length: usize,
    threads: usize,
) -> grammarc_status {
    status_of(|| {
        let listed = list(matchers, rows, count)?;
        let cells = cells(logit_rows, row_length)?;
        match dtype {
            0 => apply::<f32>(&listed, logits, cells, row_length, threads),
            1 => apply::<F16>(&listed, logits, cells, row_length, threads),
            2 => apply::<Bf16>(&listed, logits, cells, row_length, threads),
            _ => Err(Fault::argument("there is no such type of logits")),
        }
    })
}

/// Applies masks to `cells` logits of one type.
///
/// # Safety
///
/// As [`array_mut`].
unsafe fn apply<L: Logit>(
    listed: &Listed<'_>,
    logits: *mut c_void,
    cells: usize,
    row_length: usize,
    threads: usize,
) -> Result<grammarc_status, Fault> {
    let logits = array_mut("the logits", logits.cast::<L>(), cells)?;
    Ok(together(listed, |list| batch::apply(threads, list, logits, row_length)))
}

/// Writes the masks for speculative decoding of `count` draft tokens. The matcher does not move.
///
/// The bitmask has `mask_rows` rows of `row_words` words each, without gaps. Row 0 is the mask of the next token, and row
/// `i + 1` is the mask after draft token `i`. From the first refused draft token on, rows are copies of the last computed
/// row. `*valid` is the number of leading draft tokens that are allowed; `valid` may be NULL.
///
/// GRAMMARC_BUFFER if there are fewer than `count + 1` rows, or they are too short. On failure nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_fill_drafts(
    matcher: *mut grammarc_matcher,
    drafts: *const u32,
    count: usize,
    mask: *mut u32,
    mask_rows: usize,
    row_words: usize,
    valid: *mut usize,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        let cells = cells(mask_rows, row_words)?;
        let drafts = array("the drafts", drafts, count)?;
        let words = array_mut("the mask", mask, cells)?;
        let filled = matcher.fill_drafts(drafts, words, row_words);
        Ok(batch_status(filled.map(|allowed| write_out(valid, allowed))))
    })
}

/// Accepts the `count` tokens of a known output, and writes the mask that each was drawn from.
///
/// The bitmask has `mask_rows` rows of `row_words` words each, without gaps. Row `i` is the mask before token `i`. From the
/// first refused token on, rows are copies of the last computed row. `*taken` is the number of accepted tokens; `taken` may
/// be NULL.
///
/// GRAMMARC_BUFFER if there are fewer than `count` rows, or they are too short. On failure nothing is written, and the
/// matcher does not move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_replay(
    matcher: *mut grammarc_matcher,
    tokens: *const u32,
    count: usize,
    mask: *mut u32,
    mask_rows: usize,
    row_words: usize,
    taken: *mut usize,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        let cells = cells(mask_rows, row_words)?;
        let tokens = array("the tokens", tokens, count)?;
        let words = array_mut("the mask", mask, cells)?;
        let filled = matcher.replay(tokens, words, row_words);
        Ok(batch_status(filled.map(|accepted| write_out(taken, accepted))))
    })
}
