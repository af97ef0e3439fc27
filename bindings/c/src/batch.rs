//! Many matchers in one call, and the masks along a draft.
//!
//! A batch acquires its matchers one by one and releases them together. A matcher that is listed twice is refused at
//! its second place, since it is in use then; so is one that another thread uses. In both cases nothing was written.

use std::ffi::c_void;

use grammarc_bindings::batch;
use grammarc_runtime::batch::{RowOf, Unlisted};
use grammarc_runtime::error::BatchError;
use grammarc_runtime::{Bf16, F16, Logit, Matcher};

use crate::args::{array, array_mut};
use crate::error::Fault;
use crate::error::grammarc_status::{self, *};
use crate::guard::guarded;
use crate::matcher::{grammarc_matcher, on};
use crate::out_params::write_out;

/// The treatment of the rows of a mask that no matcher is listed for.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_unlisted {
    /// They stay as they are.
    GRAMMARC_KEEP = 0,
    /// They allow every token: all bits become one.
    GRAMMARC_ALLOW_ALL = 1,
}

/// Matchers with their rows, in the order of the rows.
type Listed<'a> = Vec<(usize, &'a grammarc_matcher)>;

/// Returns the list of a batch.
///
/// # Safety
///
/// Both arrays exist, and the matchers are not freed meanwhile.
unsafe fn list<'a>(
    matchers: *const *mut grammarc_matcher,
    rows: *const usize,
    count: usize,
) -> Result<Listed<'a>, Fault> {
    // SAFETY: the caller's promise.
    let (matchers, rows) = unsafe {
        let rows = match rows.is_null() {
            true => None,
            false => Some(array("the rows", rows, count)?),
        };
        (array("the matchers", matchers, count)?, rows)
    };
    let one = |(at, matcher): (usize, &*mut grammarc_matcher)| {
        // SAFETY: the caller's promise.
        let matcher = unsafe { matcher.as_ref() };
        let matcher = matcher.ok_or_else(|| Fault::argument("a matcher of the list is NULL"))?;
        Ok((rows.map_or(at, |rows| rows[at]), matcher))
    };
    let mut listed: Listed<'a> =
        matchers.iter().enumerate().map(one).collect::<Result<_, Fault>>()?;
    listed.sort_by_key(|&(row, _)| row);
    Ok(listed)
}

/// Acquires the matchers of a list, runs work with them, and releases them.
fn together<R>(
    listed: &Listed<'_>,
    work: impl FnOnce(&mut [RowOf<'_>]) -> R,
) -> Result<R, grammarc_status> {
    for (at, (_, matcher)) in listed.iter().enumerate() {
        if let Err(status) = matcher.inner.take() {
            listed[..at].iter().for_each(|(_, before)| before.inner.give_back(true));
            return Err(status);
        }
    }
    let done = guarded(|| {
        let mine = |&(row, matcher): &(usize, &grammarc_matcher)| {
            // SAFETY: each was taken just now, so none is there twice and nobody else has one.
            let matcher: &mut Matcher = unsafe { &mut *matcher.inner.taken() };
            (row, matcher)
        };
        let mut list: Vec<RowOf<'_>> = listed.iter().map(mine).collect();
        work(&mut list)
    });
    listed.iter().for_each(|(_, matcher)| matcher.inner.give_back(done.is_ok()));
    done.map_err(|_| GRAMMARC_INTERNAL)
}

fn settled(result: Result<(), BatchError>) -> grammarc_status {
    match result {
        Ok(()) => GRAMMARC_OK,
        Err(BatchError::Order { .. }) => GRAMMARC_ARGUMENT,
        Err(_) => GRAMMARC_BUFFER,
    }
}

/// Returns the status of work that may panic or be refused.
fn status_of(work: impl FnOnce() -> Result<grammarc_status, Fault>) -> grammarc_status {
    match guarded(work) {
        Ok(Ok(status)) => status,
        Ok(Err(fault)) => fault.status(),
        Err(_) => GRAMMARC_INTERNAL,
    }
}

fn cells(rows: usize, columns: usize) -> Result<usize, Fault> {
    let cells = rows.checked_mul(columns);
    cells.ok_or_else(|| Fault::argument("more cells than there are numbers"))
}

/// Writes the masks of matchers to rows of a bitmask of `mask_rows` rows of `row_words` words each, as grammarc_matcher_fill()
/// does for one. The matchers may be of different grammars.
///
/// `rows` has the row of each of the `count` matchers, in any order; where it is NULL, they have the first rows in order.
/// `unlisted`, one of `grammarc_unlisted`, says what becomes of the other rows. With `threads` above 1 the work is shared among as
/// many threads of the library's own; with 0 or 1 the calling thread does it.
///
/// GRAMMARC_ARGUMENT where a matcher or a row is listed twice, or another thread uses a matcher; GRAMMARC_BUFFER where a row
/// is not there or too short. Then nothing was written.
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
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        status_of(|| {
            let unlisted = match unlisted {
                0 => Unlisted::Keep,
                1 => Unlisted::AllowAll,
                _ => return Err(Fault::argument("unlisted rows are kept or allow all")),
            };
            let listed = list(matchers, rows, count)?;
            let words = array_mut("the mask", mask, cells(mask_rows, row_words)?)?;
            let fill = |list: &mut [RowOf<'_>]| {
                settled(batch::fill(threads, list, words, row_words, unlisted))
            };
            Ok(together(&listed, fill).unwrap_or_else(|status| status))
        })
    }
}

/// Applies the masks of matchers to rows of logits, of `logit_rows` rows of `row_length` numbers of `dtype` each, as
/// grammarc_matcher_apply() does for one. Rows that no matcher is listed for stay as they are. As grammarc_fill_batch()
/// otherwise.
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
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        status_of(|| {
            let listed = list(matchers, rows, count)?;
            let cells = cells(logit_rows, row_length)?;
            match dtype {
                0 => apply(
                    &listed,
                    array_mut("the logits", logits.cast::<f32>(), cells)?,
                    row_length,
                    threads,
                ),
                1 => apply(
                    &listed,
                    array_mut("the logits", logits.cast::<F16>(), cells)?,
                    row_length,
                    threads,
                ),
                2 => apply(
                    &listed,
                    array_mut("the logits", logits.cast::<Bf16>(), cells)?,
                    row_length,
                    threads,
                ),
                _ => Err(Fault::argument("there is no such type of logits")),
            }
        })
    }
}

fn apply<L: Logit>(
    listed: &Listed<'_>,
    logits: &mut [L],
    row_length: usize,
    threads: usize,
) -> Result<grammarc_status, Fault> {
    let apply = |list: &mut [RowOf<'_>]| settled(batch::apply(threads, list, logits, row_length));
    Ok(together(listed, apply).unwrap_or_else(|status| status))
}

/// Masks for speculative decoding: row 0 of the bitmask gets the mask of the next token, and one row after each of the `count`
/// draft tokens that is allowed; the rows that are left get a copy of the last one. `*valid`, which may be NULL, is how many
/// drafts are allowed. The matcher does not move.
///
/// GRAMMARC_BUFFER where there are not `count + 1` rows, or they are too short; nothing was written then.
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
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let arrays = cells(mask_rows, row_words).and_then(|cells| {
                Ok((array("the drafts", drafts, count)?, array_mut("the mask", mask, cells)?))
            });
            let (drafts, words) = match arrays {
                Ok(arrays) => arrays,
                Err(fault) => return fault.status(),
            };
            match matcher.fill_drafts(drafts, words, row_words) {
                Ok(allowed) => {
                    write_out(valid, allowed);
                    GRAMMARC_OK
                }
                Err(error) => settled(Err(error)),
            }
        })
    }
}
