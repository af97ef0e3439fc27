//! One step of a sequence: the mask of the next token, and what was sampled from it.

use std::ffi::{c_char, c_void};

use grammarc_runtime::error::{AcceptError, AcceptTextError, BufferError};
use grammarc_runtime::{Bf16, F16};

use crate::args::{array, array_mut};
use crate::error::grammarc_status::{self, *};
use crate::matcher::{asked, grammarc_matcher, on};
use crate::out_params::write_out;

/// Types of logits.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_dtype {
    /// `float`.
    GRAMMARC_F32 = 0,
    /// IEEE 754 binary16.
    GRAMMARC_F16 = 1,
    /// The upper half of a `float`.
    GRAMMARC_BF16 = 2,
}

/// The status of a row that does not fit.
fn row(filled: Result<(), BufferError>) -> grammarc_status {
    filled.map_or(GRAMMARC_BUFFER, |()| GRAMMARC_OK)
}

#[inline]
pub(crate) fn accepted(result: Result<(), AcceptError>) -> grammarc_status {
    match result {
        Ok(()) => GRAMMARC_OK,
        Err(AcceptError::Finished { .. }) => GRAMMARC_FINISHED,
        Err(AcceptError::Limit(_)) => GRAMMARC_LIMIT,
        Err(_) => GRAMMARC_REFUSED,
    }
}

/// Writes the mask of the next token to a row of `count` words: bit `t % 32` of word `t / 32` says whether token `t` is
/// allowed. Words past the logit width become zero; GRAMMARC_BUFFER where there are fewer than it needs.
///
/// `*restricts`, which may be NULL, says whether any token within the logit width is forbidden: if not, the mask need not be
/// applied. At the end of a sequence exactly the end tokens are allowed. O(count), nothing is allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_fill(
    matcher: *mut grammarc_matcher,
    words: *mut u32,
    count: usize,
    restricts: *mut bool,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let words = match array_mut("the words", words, count) {
                Ok(words) => words,
                Err(fault) => return fault.status(),
            };
            let mask = matcher.mask();
            let status = row(mask.fill(words));
            if status == GRAMMARC_OK && !restricts.is_null() {
                restricts.write(mask.restricts());
            }
            status
        })
    }
}

/// Sets the logits of all tokens that are not allowed to negative infinity. `logits` has `count` numbers of `dtype`, one of
/// `grammarc_dtype`; GRAMMARC_BUFFER where that is not the logit width. O(count), nothing is allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_apply(
    matcher: *mut grammarc_matcher,
    logits: *mut c_void,
    dtype: u32,
    count: usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let mask = matcher.mask();
            let applied = match dtype {
                0 => array_mut("the logits", logits.cast::<f32>(), count).map(|l| mask.apply(l)),
                1 => array_mut("the logits", logits.cast::<F16>(), count).map(|l| mask.apply(l)),
                2 => array_mut("the logits", logits.cast::<Bf16>(), count).map(|l| mask.apply(l)),
                _ => return GRAMMARC_ARGUMENT,
            };
            applied.map_or_else(|fault| fault.status(), row)
        })
    }
}

/// Whether a token is allowed next. False for any id that is none, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_allows(
    matcher: *const grammarc_matcher,
    token: u32,
) -> bool {
    // SAFETY: the caller keeps the header's rules.
    unsafe { asked(matcher, false, |matcher| matcher.mask().contains(token)) }
}

/// Whether the sequence may end here: an end token would be accepted. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_is_accepting(matcher: *const grammarc_matcher) -> bool {
    // SAFETY: the caller keeps the header's rules.
    unsafe { asked(matcher, false, |matcher| matcher.is_accepting()) }
}

/// Whether the sequence is over: an end token was accepted, or the matcher has no end tokens and nothing may follow. False
/// for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_is_finished(matcher: *const grammarc_matcher) -> bool {
    // SAFETY: the caller keeps the header's rules.
    unsafe { asked(matcher, false, |matcher| matcher.is_finished()) }
}

/// How many tokens can be taken back now. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_rollback_depth(
    matcher: *const grammarc_matcher,
) -> usize {
    // SAFETY: the caller keeps the header's rules.
    unsafe { asked(matcher, 0, |matcher| matcher.rollback_depth()) }
}

/// Length of the host's logit row. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_logit_width(matcher: *const grammarc_matcher) -> u32 {
    // SAFETY: the caller keeps the header's rules.
    unsafe { asked(matcher, 0, |matcher| matcher.logit_width()) }
}

/// Accepts a token: GRAMMARC_OK, or GRAMMARC_REFUSED, GRAMMARC_FINISHED or GRAMMARC_LIMIT, after which the matcher is where it
/// was. An id that is none, such as -1 as an unsigned number, is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_accept(
    matcher: *mut grammarc_matcher,
    token: u32,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { on(matcher, |matcher| accepted(matcher.accept(token))) }
}

/// Accepts tokens up to the first that is not allowed, whose status it returns. `*taken`, which may be NULL, is how many it
/// accepted: these are kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_accept_many(
    matcher: *mut grammarc_matcher,
    tokens: *const u32,
    count: usize,
    taken: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let tokens = match array("the tokens", tokens, count) {
                Ok(tokens) => tokens,
                Err(fault) => return fault.status(),
            };
            match matcher.accept_many(tokens) {
                Ok(()) => {
                    write_out(taken, count);
                    GRAMMARC_OK
                }
                Err(error) => {
                    write_out(taken, error.accepted);
                    accepted(Err(error.source))
                }
            }
        })
    }
}

/// Accepts a text of `length` bytes, however it would be cut into tokens: one token for grammarc_matcher_rollback().
///
/// GRAMMARC_REFUSED, GRAMMARC_FINISHED or GRAMMARC_LIMIT leave the matcher where it was. `*offset`, which may be NULL, is then that of
/// the first byte that is not allowed, or `length` where no token may follow the text. O(length).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_accept_text(
    matcher: *mut grammarc_matcher,
    text: *const c_char,
    length: usize,
    offset: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let text = match array("the text", text.cast::<u8>(), length) {
                Ok(text) => text,
                Err(fault) => return fault.status(),
            };
            let (status, at) = match matcher.accept_text(text) {
                Ok(()) => return GRAMMARC_OK,
                Err(AcceptTextError::Refused { at }) => (GRAMMARC_REFUSED, at),
                Err(AcceptTextError::Finished) => (GRAMMARC_FINISHED, 0),
                Err(AcceptTextError::Limit(_)) => (GRAMMARC_LIMIT, 0),
                Err(_) => (GRAMMARC_REFUSED, length),
            };
            write_out(offset, at);
            status
        })
    }
}

/// How many of the tokens could be accepted one after the other: `*taken`. The matcher does not move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_validate(
    matcher: *mut grammarc_matcher,
    tokens: *const u32,
    count: usize,
    taken: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| match array("the tokens", tokens, count) {
            Ok(tokens) => {
                write_out(taken, matcher.validate(tokens));
                GRAMMARC_OK
            }
            Err(fault) => fault.status(),
        })
    }
}

/// Takes back the last `tokens` tokens, an end token included. GRAMMARC_ARGUMENT where there are fewer to take back: see
/// grammarc_matcher_rollback_depth(). O(1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_rollback(
    matcher: *mut grammarc_matcher,
    tokens: usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| matcher.rollback(tokens).map_or(GRAMMARC_ARGUMENT, |()| GRAMMARC_OK))
    }
}
