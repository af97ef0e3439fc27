//! One step of a sequence: compute the mask of the next token, accept tokens, roll back.

use std::ffi::{c_char, c_void};

use grammarc_runtime::error::{AcceptError, AcceptTextError, BufferError, MassError};
use grammarc_runtime::{Bf16, F16};

use crate::args::{array, array_mut};
use crate::error::grammarc_status::{self, *};
use crate::matcher::grammarc_matcher;
use crate::out_params::write_out;
use crate::single::{asked, on, try_on};

/// The element type of logits.
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

/// Returns the status of a write to a row.
fn row(filled: Result<(), BufferError>) -> grammarc_status {
    filled.map_or(GRAMMARC_BUFFER, |()| GRAMMARC_OK)
}

/// Returns the status of an accepted or refused token.
#[inline]
pub(crate) fn accepted(result: Result<(), AcceptError>) -> grammarc_status {
    match result {
        Ok(()) => GRAMMARC_OK,
        Err(AcceptError::Finished { .. }) => GRAMMARC_FINISHED,
        Err(AcceptError::Limit(_)) => GRAMMARC_LIMIT,
        Err(_) => GRAMMARC_REFUSED,
    }
}

/// Writes the mask of the next token to `count` words. Bit `t % 32` of word `t / 32` is 1 if token `t` is allowed.
///
/// Words beyond the logit width become zero; GRAMMARC_BUFFER if `count` is below `logit_width / 32`, rounded up.
/// `*restricts` is whether any token within the logit width is forbidden, so a mask without restrictions need not be
/// applied; `restricts` may be NULL. After the end of a sequence, exactly the end tokens are allowed. O(count), without
/// allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_fill(
    matcher: *mut grammarc_matcher,
    words: *mut u32,
    count: usize,
    restricts: *mut bool,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        let mask = matcher.mask();
        let status = row(mask.fill(array_mut("the words", words, count)?));
        if status == GRAMMARC_OK && !restricts.is_null() {
            restricts.write(mask.restricts());
        }
        Ok(status)
    })
}

/// Sets the logits of all forbidden tokens to negative infinity. `logits` has `count` elements of type `dtype`, one of
/// `grammarc_dtype`. GRAMMARC_BUFFER if `count` is not the logit width. O(count), without allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_apply(
    matcher: *mut grammarc_matcher,
    logits: *mut c_void,
    dtype: u32,
    count: usize,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        let mask = matcher.mask();
        Ok(row(match dtype {
            0 => mask.apply(array_mut("the logits", logits.cast::<f32>(), count)?),
            1 => mask.apply(array_mut("the logits", logits.cast::<F16>(), count)?),
            2 => mask.apply(array_mut("the logits", logits.cast::<Bf16>(), count)?),
            _ => return Ok(GRAMMARC_ARGUMENT),
        }))
    })
}

/// Writes to `*mass` the logarithm of the share of the softmax that is allowed: 0 if nothing is forbidden, negative infinity
/// if no allowed token has a share. `logits` has `count` elements of type `dtype`, as for grammarc_matcher_apply(), and does
/// not change. The logits are the model's, before any mask.
///
/// `log_sum` is the log-sum-exp of the row, or NAN if unknown. With it, only the logits of the allowed or of the forbidden
/// tokens are read, whichever are fewer. The error is below 1e-5 for rows of up to 262144 logits. GRAMMARC_BUFFER if `count`
/// is not the logit width, GRAMMARC_ARGUMENT if `log_sum` is infinite. O(count), without allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_log_mass(
    matcher: *mut grammarc_matcher,
    logits: *const c_void,
    dtype: u32,
    count: usize,
    log_sum: f64,
    mass: *mut f64,
) -> grammarc_status {
    if mass.is_null() {
        return GRAMMARC_ARGUMENT;
    }
    let log_sum = (!log_sum.is_nan()).then_some(log_sum);
    try_on(matcher, |matcher| {
        let mask = matcher.mask();
        let found = match dtype {
            0 => mask.log_mass(array("the logits", logits.cast::<f32>(), count)?, log_sum),
            1 => mask.log_mass(array("the logits", logits.cast::<F16>(), count)?, log_sum),
            2 => mask.log_mass(array("the logits", logits.cast::<Bf16>(), count)?, log_sum),
            _ => return Ok(GRAMMARC_ARGUMENT),
        };
        Ok(match found {
            Ok(found) => {
                write_out(mass, found);
                GRAMMARC_OK
            }
            Err(MassError::Buffer(_)) => GRAMMARC_BUFFER,
            Err(_) => GRAMMARC_ARGUMENT,
        })
    })
}

/// Whether a token is allowed next. False for an unknown id, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_allows(
    matcher: *const grammarc_matcher,
    token: u32,
) -> bool {
    asked(matcher, false, |matcher| matcher.mask().contains(token))
}

/// Whether the sequence may end at this position, so that an end token is accepted. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_is_accepting(matcher: *const grammarc_matcher) -> bool {
    asked(matcher, false, |matcher| matcher.is_accepting())
}

/// Whether the sequence has ended: an end token was accepted, or the matcher has no end tokens and nothing may follow.
/// False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_is_finished(matcher: *const grammarc_matcher) -> bool {
    asked(matcher, false, |matcher| matcher.is_finished())
}

/// Returns the number of tokens that can be rolled back now. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_rollback_depth(
    matcher: *const grammarc_matcher,
) -> usize {
    asked(matcher, 0, |matcher| matcher.rollback_depth())
}

/// Returns the length of the host's logit row, in tokens. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_logit_width(matcher: *const grammarc_matcher) -> u32 {
    asked(matcher, 0, |matcher| matcher.logit_width())
}

/// Accepts a token. GRAMMARC_REFUSED, GRAMMARC_FINISHED and GRAMMARC_LIMIT leave the matcher at its position. An unknown
/// id, such as -1 converted to `uint32_t`, is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_accept(
    matcher: *mut grammarc_matcher,
    token: u32,
) -> grammarc_status {
    on(matcher, |matcher| accepted(matcher.accept(token)))
}

/// Accepts `count` tokens, up to the first refused one, and returns its status. The tokens before it stay accepted, and
/// `*taken` is their number. `taken` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_accept_many(
    matcher: *mut grammarc_matcher,
    tokens: *const u32,
    count: usize,
    taken: *mut usize,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        let (number, result) = match matcher.accept_many(array("the tokens", tokens, count)?) {
            Ok(()) => (count, Ok(())),
            Err(error) => (error.accepted, Err(error.source)),
        };
        write_out(taken, number);
        Ok(accepted(result))
    })
}

/// Accepts a text of `length` bytes, independent of its split into tokens. The text counts as one token for
/// grammarc_matcher_rollback().
///
/// GRAMMARC_REFUSED, GRAMMARC_FINISHED and GRAMMARC_LIMIT leave the matcher at its position. `*offset` is then the offset
/// of the first refused byte, or `length` if no token can follow the text, or 0 except for GRAMMARC_REFUSED. `offset` may be
/// NULL. O(length).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_accept_text(
    matcher: *mut grammarc_matcher,
    text: *const c_char,
    length: usize,
    offset: *mut usize,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        let text = array("the text", text.cast::<u8>(), length)?;
        Ok(refused_text(matcher.accept_text(text), length, offset))
    })
}

/// Accepts `length` bytes, which may be a part of a token, of several tokens, or of a UTF-8 character. The bytes count as
/// one token for grammarc_matcher_rollback().
///
/// Unlike the text of grammarc_matcher_accept_text(), the bytes may end inside a token. Masks and exported positions have a
/// meaning only after the bytes of whole tokens. Special tokens cannot be written as bytes.
///
/// GRAMMARC_REFUSED, GRAMMARC_FINISHED and GRAMMARC_LIMIT leave the matcher at its position. `*offset` is then the offset
/// of the first refused byte, or 0 except for GRAMMARC_REFUSED. `offset` may be NULL. O(length).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_accept_bytes(
    matcher: *mut grammarc_matcher,
    bytes: *const u8,
    length: usize,
    offset: *mut usize,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        let bytes = array("the bytes", bytes, length)?;
        Ok(refused_text(matcher.accept_bytes(bytes), length, offset))
    })
}

/// Returns the status of an accepted or refused text of `length` bytes, and writes the offset at which it was refused.
///
/// # Safety
///
/// `offset` is NULL or points to memory for one number.
unsafe fn refused_text(
    result: Result<(), AcceptTextError>,
    length: usize,
    offset: *mut usize,
) -> grammarc_status {
    let (status, at) = match result {
        Ok(()) => return GRAMMARC_OK,
        Err(AcceptTextError::Refused { at }) => (GRAMMARC_REFUSED, at),
        Err(AcceptTextError::Finished) => (GRAMMARC_FINISHED, 0),
        Err(AcceptTextError::Limit(_)) => (GRAMMARC_LIMIT, 0),
        Err(_) => (GRAMMARC_REFUSED, length),
    };
    write_out(offset, at);
    status
}

/// Writes to `*taken` the number of leading tokens that would be accepted in sequence. The matcher does not move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_validate(
    matcher: *mut grammarc_matcher,
    tokens: *const u32,
    count: usize,
    taken: *mut usize,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        write_out(taken, matcher.validate(array("the tokens", tokens, count)?));
        Ok(GRAMMARC_OK)
    })
}

/// Rolls back the last `tokens` tokens; end tokens count as well. GRAMMARC_ARGUMENT if `tokens` exceeds
/// grammarc_matcher_rollback_depth(). O(1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_rollback(
    matcher: *mut grammarc_matcher,
    tokens: usize,
) -> grammarc_status {
    on(matcher, |matcher| matcher.rollback(tokens).map_or(GRAMMARC_ARGUMENT, |()| GRAMMARC_OK))
}
