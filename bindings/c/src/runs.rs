//! Answers of a matcher that are more than a number: runs of tokens and bytes, copied to buffers of the caller's.

use grammarc_runtime::error::{EndingError, ImportError};

use crate::args::{array, give};
use crate::error::grammarc_status::{self, *};
use crate::matcher::{grammarc_matcher, on};

/// The tokens that end the sequence, ascending. As grammarc_matcher_forced_tokens() otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_end_tokens(
    matcher: *const grammarc_matcher,
    buffer: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { on(matcher, |matcher| give(matcher.end_tokens(), buffer, capacity, needed)) }
}

/// The tokens that are allowed next, ascending. As grammarc_matcher_forced_tokens() otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_allowed(
    matcher: *mut grammarc_matcher,
    buffer: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let tokens: Vec<u32> = matcher.mask().iter().collect();
            give(&tokens, buffer, capacity, needed)
        })
    }
}

/// The longest run of tokens in which each is the only one allowed. The matcher does not move.
///
/// `*needed`, which may be NULL, is how many there are; GRAMMARC_BUFFER where `capacity` is less, and nothing is written then.
/// `buffer` may be NULL where `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_forced_tokens(
    matcher: *mut grammarc_matcher,
    buffer: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let mut run = Vec::new();
            matcher.forced_tokens(&mut run);
            give(&run, buffer, capacity, needed)
        })
    }
}

/// The longest run of bytes with which every continuation begins. As grammarc_matcher_forced_tokens() otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_forced_bytes(
    matcher: *mut grammarc_matcher,
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let mut run = Vec::new();
            matcher.forced_bytes(&mut run);
            give(&run, buffer, capacity, needed)
        })
    }
}

/// The tokens of a shortest text from here to where the sequence may end, without an end token: for a host whose budget of
/// tokens runs out. GRAMMARC_LIMIT where none was found. As grammarc_matcher_forced_tokens() otherwise; microseconds for usual
/// grammars.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_ending(
    matcher: *mut grammarc_matcher,
    buffer: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| {
            let mut tokens = Vec::new();
            match matcher.ending(&mut tokens) {
                Ok(()) => give(&tokens, buffer, capacity, needed),
                Err(EndingError::TooLong { .. } | EndingError::NotFound) => GRAMMARC_LIMIT,
                Err(_) => GRAMMARC_INTERNAL,
            }
        })
    }
}

/// The position as plain bytes, for grammarc_matcher_import() by any matcher of the same grammar, in this process or another.
/// As grammarc_matcher_forced_tokens() otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_export(
    matcher: *const grammarc_matcher,
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { on(matcher, |matcher| give(&matcher.export(), buffer, capacity, needed)) }
}

/// Goes to a position that was exported, with nothing to take back. GRAMMARC_MISMATCH for that of another grammar,
/// GRAMMARC_FORMAT for bytes that are none, GRAMMARC_LIMIT for one that is larger than this matcher may hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_import(
    matcher: *mut grammarc_matcher,
    bytes: *const u8,
    length: usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on(matcher, |matcher| match array("the position", bytes, length) {
            Err(fault) => fault.status(),
            Ok(bytes) => match matcher.import(bytes) {
                Ok(()) => GRAMMARC_OK,
                Err(ImportError::Grammar) => GRAMMARC_MISMATCH,
                Err(ImportError::Limit(_)) => GRAMMARC_LIMIT,
                Err(_) => GRAMMARC_FORMAT,
            },
        })
    }
}
