//! Matchers: one sequence each. Made, forked, reset and freed; `steps` moves them, `runs` asks for more than a number.
//!
//! A matcher is [of one thread at a time](Single), and says so itself.

use std::ptr;

use grammarc_runtime::{Matcher, MatcherOptions};

use crate::args::{array, object};
use crate::error::grammarc_status::{self, *};
use crate::error::{Fault, grammarc_error, make};
use crate::grammar::grammarc_grammar;
use crate::guard::guarded;
use crate::options::{self, Growing};
use crate::out_params::write_out;
use crate::single::Single;

/// One sequence under one grammar: which tokens may come next, and what was accepted so far.
///
/// Of one thread at a time; it may move between threads. A call while another thread is in one with the same matcher returns
/// GRAMMARC_ARGUMENT. Not counted: grammarc_matcher_free(), once, when no thread uses it.
#[derive(Debug)]
pub struct grammarc_matcher {
    pub(crate) inner: Single<Matcher>,
}

impl grammarc_matcher {
    pub(crate) fn new(inner: Matcher) -> Self {
        Self { inner: Single::new(inner) }
    }

    /// Goes to the start, also after a panic.
    pub(crate) fn reset(&self) -> grammarc_status {
        self.inner.renew(Matcher::reset)
    }
}

/// The settings of one matcher that a host may choose. Zero is the default of every field: set all bytes to zero and
/// then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_matcher_options {
    /// `sizeof(grammarc_matcher_options)`.
    pub struct_size: usize,
    /// The tokens that end the sequence, in any order. NULL: those of the vocabulary. Not NULL and none: no token ends it.
    pub end_tokens: *const u32,
    /// Number of these.
    pub end_token_count: usize,
    /// Length of the host's logit row, at least the vocabulary's; ids between the two are never allowed. Default: the
    /// vocabulary's.
    pub logit_width: u32,
    /// Zero.
    pub reserved: u32,
    /// How many tokens can be taken back. Default: 1024.
    pub rollback_window: usize,
    /// How many configurations may be alive at once. Default: 65536.
    pub max_configurations: usize,
    /// How deep the sequence may nest. Default: 16777216.
    pub max_frames: usize,
}

// SAFETY: integers and raw pointers alone, the size first.
unsafe impl Growing for grammarc_matcher_options {
    const NAME: &'static str = "grammarc_matcher_options";
}

/// Does work with the matcher of a handle.
///
/// # Safety
///
/// NULL, or a matcher that was handed out and is not freed meanwhile.
#[inline]
pub(crate) unsafe fn on(
    matcher: *const grammarc_matcher,
    work: impl FnOnce(&mut Matcher) -> grammarc_status,
) -> grammarc_status {
    // SAFETY: the caller's promise.
    match unsafe { matcher.as_ref() } {
        None => GRAMMARC_ARGUMENT,
        Some(matcher) => matcher.inner.with(work).unwrap_or_else(|status| status),
    }
}

/// As [`on`], of what is asked and not done; `otherwise` where there is no answer.
///
/// # Safety
///
/// As [`on`].
pub(crate) unsafe fn asked<R>(
    matcher: *const grammarc_matcher,
    otherwise: R,
    work: impl FnOnce(&mut Matcher) -> R,
) -> R {
    // SAFETY: the caller's promise.
    let matcher = unsafe { matcher.as_ref() };
    matcher.and_then(|matcher| matcher.inner.with(work).ok()).unwrap_or(otherwise)
}

/// A matcher at the start of a sequence. `options` may be NULL. Below a microsecond.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_new(
    grammar: *const grammarc_grammar,
    options: *const grammarc_matcher_options,
    out: *mut *mut grammarc_matcher,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let grammar = object("the grammar", grammar)?.inner();
            let given = options::read(options)?;
            let mut options = MatcherOptions::new();
            if !given.end_tokens.is_null() {
                let ends = array("end_tokens", given.end_tokens, given.end_token_count)?;
                options = options.end_tokens(ends.iter().copied());
            }
            if given.logit_width > 0 {
                options = options.logit_width(given.logit_width);
            }
            if given.rollback_window > 0 {
                options = options.rollback_window(given.rollback_window);
            }
            if given.max_configurations > 0 {
                options = options.max_configurations(given.max_configurations);
            }
            if given.max_frames > 0 {
                options = options.max_frames(given.max_frames);
            }
            let matcher = Matcher::with_options(grammar, options);
            let matcher = matcher.map_err(|error| Fault::said(GRAMMARC_ARGUMENT, error))?;
            Ok(Box::into_raw(Box::new(grammarc_matcher::new(matcher))))
        })
    }
}

/// Frees a matcher. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_free(matcher: *mut grammarc_matcher) {
    if !matcher.is_null() {
        // SAFETY: it was handed out by this library, and is not used again.
        let matcher = unsafe { Box::from_raw(matcher) };
        // A panic cannot be reported here, and must not leave the function.
        let _ = guarded(|| drop(matcher));
    }
}

/// A second matcher at the same position, with the same options and the same tokens to take back. `*out` is NULL where it
/// fails. O(1): the sequence is shared until one of the two moves on, and copied then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_fork(
    matcher: *const grammarc_matcher,
    out: *mut *mut grammarc_matcher,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        write_out(out, ptr::null_mut());
        if out.is_null() {
            return GRAMMARC_ARGUMENT;
        }
        on(matcher, |matcher| {
            write_out(out, Box::into_raw(Box::new(grammarc_matcher::new(matcher.fork()))));
            GRAMMARC_OK
        })
    }
}

/// Goes back to the start of a sequence and forgets what was accepted; a matcher that answered GRAMMARC_INTERNAL is whole again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_matcher_reset(matcher: *mut grammarc_matcher) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { matcher.as_ref() }.map_or(GRAMMARC_ARGUMENT, grammarc_matcher::reset)
}
