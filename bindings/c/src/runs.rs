//! Queries of a matcher that copy tokens or bytes to a buffer of the caller.

use grammarc_bindings::report::of_explanation;
use grammarc_runtime::error::{EndingError, ImportError};

use crate::args::{array, give};
use crate::error::grammarc_status::{self, *};
use crate::matcher::grammarc_matcher;
use crate::single::{on, try_on};

/// Writes the tokens that end the sequence, ascending. `buffer` works as in grammarc_matcher_forced_tokens().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_end_tokens(
    matcher: *const grammarc_matcher,
    buffer: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    on(matcher, |matcher| give(matcher.end_tokens(), buffer, capacity, needed))
}

/// Writes the tokens that are allowed next, ascending. `buffer` works as in grammarc_matcher_forced_tokens().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_allowed(
    matcher: *mut grammarc_matcher,
    buffer: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    on(matcher, |matcher| {
        let tokens: Vec<u32> = matcher.mask().iter().collect();
        give(&tokens, buffer, capacity, needed)
    })
}

/// Writes the longest run of forced tokens: at each step, exactly one token is allowed. The matcher does not move.
///
/// `buffer` has space for `capacity` elements, and may be NULL if `capacity` is 0. `*needed` is the length of the run; `needed`
/// may be NULL. GRAMMARC_BUFFER if `capacity` is less, and then nothing is written to `buffer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_forced_tokens(
    matcher: *mut grammarc_matcher,
    buffer: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    on(matcher, |matcher| {
        let mut run = Vec::new();
        matcher.forced_tokens(&mut run);
        give(&run, buffer, capacity, needed)
    })
}

/// Writes the longest common prefix of all continuations, in bytes. The matcher does not move. `buffer` works as in
/// grammarc_matcher_forced_tokens().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_forced_bytes(
    matcher: *mut grammarc_matcher,
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    on(matcher, |matcher| {
        let mut run = Vec::new();
        matcher.forced_bytes(&mut run);
        give(&run, buffer, capacity, needed)
    })
}

/// Writes the tokens of a shortest text after which the sequence may end, without an end token. Hosts use it near the end of
/// their token budget. The matcher does not move.
///
/// `buffer` works as in grammarc_matcher_forced_tokens(). GRAMMARC_LIMIT if no such text was found. Takes microseconds for usual
/// grammars.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_ending(
    matcher: *mut grammarc_matcher,
    buffer: *mut u32,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    on(matcher, |matcher| {
        let mut tokens = Vec::new();
        match matcher.ending(&mut tokens) {
            Ok(()) => give(&tokens, buffer, capacity, needed),
            Err(EndingError::TooLong { .. } | EndingError::NotFound) => GRAMMARC_LIMIT,
            Err(_) => GRAMMARC_INTERNAL,
        }
    })
}

/// Writes why a token is allowed or refused, as a JSON object: `allowed`; `accepted`, the number of its bytes that are allowed;
/// `byte`, the refused byte or null; `places`, JSON pointers to the schemas that say what comes there; `rules`, names of rules;
/// `next`, the bytes that may come; `may_end`; and `completion`, the shortest text to an end, or null. It has no text of an
/// output. The matcher does not move.
///
/// `buffer` works as in grammarc_matcher_forced_tokens(); the text has no terminating zero. Takes some microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_explain(
    matcher: *mut grammarc_matcher,
    token: u32,
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    on(matcher, |matcher| {
        give(of_explanation(&matcher.explain(token)).as_bytes(), buffer, capacity, needed)
    })
}

/// Writes the position as bytes. Any matcher of the same grammar can read them with grammarc_matcher_import(), also in
/// another process. `buffer` works as in grammarc_matcher_forced_tokens().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_export(
    matcher: *const grammarc_matcher,
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    on(matcher, |matcher| give(&matcher.export(), buffer, capacity, needed))
}

/// Moves to an exported position, with an empty history. GRAMMARC_MISMATCH for a position of another grammar, GRAMMARC_FORMAT
/// for invalid bytes, and GRAMMARC_LIMIT for a position beyond this matcher's limits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_import(
    matcher: *mut grammarc_matcher,
    bytes: *const u8,
    length: usize,
) -> grammarc_status {
    try_on(matcher, |matcher| {
        Ok(match matcher.import(array("the position", bytes, length)?) {
            Ok(()) => GRAMMARC_OK,
            Err(ImportError::Grammar) => GRAMMARC_MISMATCH,
            Err(ImportError::Limit(_)) => GRAMMARC_LIMIT,
            Err(_) => GRAMMARC_FORMAT,
        })
    })
}
