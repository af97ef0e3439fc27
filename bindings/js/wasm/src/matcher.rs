//! Matchers: made, moved, taken back and freed.

use std::ptr;

use grammarc_runtime::{Grammar, Matcher, MatcherOptions};

use crate::failure::{self, OK, accepted, accepted_text};
use crate::memory::{room, with};

/// Makes a matcher. `ends` is the number of end tokens that the glue wrote into the room for arguments. A negative number
/// leaves `ends`, `logit_width` or `rollback_window` at its default. Returns null for an error.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_new(
    grammar: *const Grammar,
    ends: i32,
    logit_width: f64,
    rollback_window: f64,
) -> *mut Matcher {
    let mut options = MatcherOptions::new();
    if let Ok(count) = usize::try_from(ends) {
        options = options.end_tokens(room::<u32>(count).iter().copied());
    }
    if logit_width >= 0.0 {
        options = options.logit_width(logit_width as u32);
    }
    if rollback_window >= 0.0 {
        options = options.rollback_window(rollback_window as usize);
    }
    match Matcher::with_options(&*grammar, options) {
        Ok(matcher) => Box::into_raw(Box::new(matcher)),
        Err(error) => {
            failure::argument(error);
            ptr::null_mut()
        }
    }
}

/// Frees a matcher.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_free(matcher: *mut Matcher) {
    drop(Box::from_raw(matcher));
}

/// Makes a second matcher at the same position.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_fork(matcher: *const Matcher) -> *mut Matcher {
    Box::into_raw(Box::new((*matcher).fork()))
}

/// Returns to the start of a sequence.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_reset(matcher: *mut Matcher) {
    (*matcher).reset();
}

/// Accepts a token.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_accept(matcher: *mut Matcher, token: u32) -> i32 {
    accepted((*matcher).accept(token))
}

/// Accepts the tokens in the room, and returns the number of those before the first that is refused.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_accept_many(matcher: *mut Matcher, count: usize) -> usize {
    let result = (*matcher).accept_many(room::<u32>(count));
    result.map_or_else(|error| error.accepted, |()| count)
}

/// Returns the number of tokens in the room that could be accepted.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_validate(matcher: *mut Matcher, count: usize) -> usize {
    (*matcher).validate(room::<u32>(count))
}

/// Accepts the text in the room.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_accept_text(matcher: *mut Matcher, length: usize) -> i32 {
    accepted_text((*matcher).accept_text(room::<u8>(length)), length)
}

/// Takes back tokens.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_rollback(matcher: *mut Matcher, tokens: usize) -> i32 {
    (*matcher).rollback(tokens).map_or_else(failure::argument, |()| OK)
}

/// Returns the number of tokens that can be taken back.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_rollback_depth(matcher: *const Matcher) -> usize {
    (*matcher).rollback_depth()
}

/// Whether the sequence may end here.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_is_accepting(matcher: *const Matcher) -> bool {
    (*matcher).is_accepting()
}

/// Whether the sequence has ended.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_is_finished(matcher: *const Matcher) -> bool {
    (*matcher).is_finished()
}

/// Leaves the end tokens. Returns the logit width.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_facts(matcher: *const Matcher) -> u32 {
    let matcher = &*matcher;
    with(|memory| matcher.end_tokens().clone_into(&mut memory.words));
    matcher.logit_width()
}
