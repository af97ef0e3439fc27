//! Matchers: one sequence each. Made, forked, reset and freed; `steps` moves them, `runs` asks for more than a number.
//!
//! A matcher is used by one thread at a time, and says so itself: a call takes it, and gives it back when it is done. A second
//! call meanwhile, be it of another thread or of a batch that lists it twice, is refused instead of being undefined. The
//! same word remembers that a panic was caught, after which only a reset is let in. Cost: one exchange and one store.

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

use grammarc_runtime::{Matcher, MatcherOptions};

use crate::args::{array, object, tell};
use crate::error::grammarc_status::{self, *};
use crate::error::{Fault, grammarc_error, make};
use crate::grammar::grammarc_grammar;
use crate::guard::guarded;
use crate::options::{self, Growing};

/// One sequence under one grammar: which tokens may come next, and what was accepted so far.
///
/// Of one thread at a time; it may move between threads. A call while another thread is in one with the same matcher returns
/// GRAMMARC_ARGUMENT. Not counted: grammarc_matcher_free(), once, when no thread uses it.
#[derive(Debug)]
pub struct grammarc_matcher {
    state: AtomicU8,
    inner: UnsafeCell<Matcher>,
}

// SAFETY: `inner` is reached by whoever has changed `state` to `TAKEN`, and by nobody else.
unsafe impl Sync for grammarc_matcher {}

/// Nobody uses it.
const FREE: u8 = 0;
/// A call uses it.
const TAKEN: u8 = 1;
/// A panic left it at a position that may be none.
const BROKEN: u8 = 2;

impl grammarc_matcher {
    pub(crate) fn new(inner: Matcher) -> Self {
        Self { state: AtomicU8::new(FREE), inner: UnsafeCell::new(inner) }
    }

    /// Takes it, or says why not.
    #[inline]
    pub(crate) fn take(&self) -> Result<(), grammarc_status> {
        match self.state.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(()),
            Err(BROKEN) => Err(GRAMMARC_INTERNAL),
            Err(_) => Err(GRAMMARC_ARGUMENT),
        }
    }

    /// Gives it back, whole or not.
    #[inline]
    pub(crate) fn give_back(&self, whole: bool) {
        self.state.store(if whole { FREE } else { BROKEN }, Ordering::Release);
    }

    /// The matcher, for who has taken it.
    pub(crate) fn taken(&self) -> *mut Matcher {
        self.inner.get()
    }

    /// Does work with it, and catches a panic.
    #[inline]
    pub(crate) fn with<R>(
        &self,
        work: impl FnOnce(&mut Matcher) -> R,
    ) -> Result<R, grammarc_status> {
        self.take()?;
        // SAFETY: it was taken.
        let matcher = unsafe { &mut *self.taken() };
        let done = guarded(|| work(matcher));
        self.give_back(done.is_ok());
        done.map_err(|_| GRAMMARC_INTERNAL)
    }

    /// Goes to the start, also after a panic.
    pub(crate) fn reset(&self) -> grammarc_status {
        let mend = |_| {
            let taken =
                self.state.compare_exchange(BROKEN, TAKEN, Ordering::Acquire, Ordering::Relaxed);
            taken.map(drop).map_err(|_| GRAMMARC_ARGUMENT)
        };
        if let Err(status) = self.take().or_else(mend) {
            return status;
        }
        // SAFETY: it was taken.
        let matcher = unsafe { &mut *self.taken() };
        let done = guarded(|| matcher.reset());
        self.give_back(done.is_ok());
        done.map_or(GRAMMARC_INTERNAL, |()| GRAMMARC_OK)
    }
}

/// What a host may set for one matcher. Zero is the default of every field: set all bytes to zero and then `struct_size`.
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
        Some(matcher) => matcher.with(work).unwrap_or_else(|status| status),
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
    matcher.and_then(|matcher| matcher.with(work).ok()).unwrap_or(otherwise)
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
            let grammar = &object("the grammar", grammar)?.inner;
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
        // Nobody can be told of a panic, and none may leave.
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
        tell(out, ptr::null_mut());
        if out.is_null() {
            return GRAMMARC_ARGUMENT;
        }
        on(matcher, |matcher| {
            tell(out, Box::into_raw(Box::new(grammarc_matcher::new(matcher.fork()))));
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

#[cfg(test)]
mod tests {
    use grammarc_tests::{sources, vocabularies};

    use super::*;

    #[test]
    fn a_panic_leaves_a_matcher_that_answers_once_it_is_reset() {
        let grammar = sources::compiled(vocabularies::small(), &sources::gbnf("root ::= \"a\"+"));
        let matcher = grammarc_matcher::new(Matcher::new(&grammar));
        let accept = || matcher.with(|matcher| matcher.accept(u32::from(b'a')).is_ok());
        assert_eq!(accept(), Ok(true));
        assert_eq!(matcher.with(|_| panic!("on purpose")), Err::<(), _>(GRAMMARC_INTERNAL));
        assert_eq!(accept(), Err(GRAMMARC_INTERNAL));
        assert_eq!(matcher.take(), Err(GRAMMARC_INTERNAL));
        assert_eq!(matcher.reset(), GRAMMARC_OK);
        assert_eq!(matcher.with(|matcher| matcher.rollback_depth()), Ok(0));
        // While it is taken, nobody else has it, not even to reset it.
        assert_eq!(matcher.take(), Ok(()));
        assert_eq!((accept(), matcher.reset()), (Err(GRAMMARC_ARGUMENT), GRAMMARC_ARGUMENT));
        matcher.give_back(true);
        assert_eq!(accept(), Ok(true));
    }
}
