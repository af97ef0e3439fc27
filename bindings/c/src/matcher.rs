//! Matchers: make, fork, reset and free. `steps` moves a matcher, and `runs` returns lists of tokens and bytes.
//!
//! A matcher allows [one call at a time](Single).

use std::ptr;

use grammarc_runtime::{Matcher, MatcherOptions};

use crate::args::{object, optional};
use crate::error::grammarc_status::{self, *};
use crate::error::{Fault, grammarc_error, make};
use crate::grammar::grammarc_grammar;
use crate::handles::{boxed, free};
use crate::options::{self, growing, set};
use crate::out_params::write_out;
use crate::single::{self, Single, exclusive, on};

/// The position of one sequence in a grammar, with its history for rollback.
///
/// Any thread may use it, one at a time. A concurrent call with the same matcher returns GRAMMARC_ARGUMENT. Not counted: free
/// it once with grammarc_matcher_free(), when no thread uses it.
#[derive(Debug)]
pub struct grammarc_matcher {
    inner: Single<Matcher>,
}

impl grammarc_matcher {
    pub(crate) fn new(inner: Matcher) -> Self {
        Self { inner: Single::new(inner) }
    }
}

exclusive!(grammarc_matcher: Matcher);

/// The settings of a matcher. Set all bytes to zero, the default of every field, and then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_matcher_options {
    /// `sizeof(grammarc_matcher_options)`.
    pub struct_size: usize,
    /// The ids that end the sequence, in any order. NULL: the vocabulary's end tokens. Not NULL with count 0: no token ends
    /// it.
    pub end_tokens: *const u32,
    /// Length of `end_tokens`.
    pub end_token_count: usize,
    /// Length of the host's logit row, in tokens, at least the vocabulary's. The additional ids are never allowed. Default:
    /// the vocabulary's.
    pub logit_width: u32,
    /// Must be zero.
    pub reserved: u32,
    /// Maximum number of tokens to roll back. Default: 1024.
    pub rollback_window: usize,
    /// Maximum number of simultaneous configurations. Default: 65536.
    pub max_configurations: usize,
    /// Maximum nesting depth of the sequence. Default: 16777216.
    pub max_frames: usize,
}

growing!(grammarc_matcher_options);

/// Makes a matcher at the start of a sequence. `options` may be NULL. Takes less than a microsecond.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_new(
    grammar: *const grammarc_grammar,
    options: *const grammarc_matcher_options,
    out: *mut *mut grammarc_matcher,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let grammar = object("the grammar", grammar)?.inner();
        let given = options::read(options)?;
        let mut options = MatcherOptions::new();
        if let Some(ends) = optional("end_tokens", given.end_tokens, given.end_token_count)? {
            options = options.end_tokens(ends.iter().copied());
        }
        options = set(options, given.logit_width, MatcherOptions::logit_width);
        options = set(options, given.rollback_window, MatcherOptions::rollback_window);
        options = set(options, given.max_configurations, MatcherOptions::max_configurations);
        options = set(options, given.max_frames, MatcherOptions::max_frames);
        let matcher = Matcher::with_options(grammar, options);
        let matcher = matcher.map_err(|error| Fault::said(GRAMMARC_ARGUMENT, error))?;
        Ok(boxed(grammarc_matcher::new(matcher)))
    })
}

/// Frees a matcher. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_free(matcher: *mut grammarc_matcher) {
    free(matcher);
}

/// Makes a second matcher at the same position, with the same options and the same history for rollback.
///
/// `*out` is NULL on failure. O(1): the two share their state, which is copied when one of them moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_fork(
    matcher: *const grammarc_matcher,
    out: *mut *mut grammarc_matcher,
) -> grammarc_status {
    write_out(out, ptr::null_mut());
    if out.is_null() {
        return GRAMMARC_ARGUMENT;
    }
    on(matcher, |matcher| {
        write_out(out, boxed(grammarc_matcher::new(matcher.fork())));
        GRAMMARC_OK
    })
}

/// Returns the matcher to the start of a sequence, with an empty history. A matcher that failed with GRAMMARC_INTERNAL
/// becomes usable again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_reset(matcher: *mut grammarc_matcher) -> grammarc_status {
    single::reset(matcher, Matcher::reset)
}
