//! Objects that allow one call at a time.
//!
//! A call acquires the object and releases it at its end. A concurrent call, from another thread or from a batch that
//! lists the object twice, is refused instead of being undefined behaviour. The same word records a panic; after one,
//! only calls that reset the object are allowed. Cost: one exchange and one store.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::Fault;
use crate::error::grammarc_status::{self, *};
use crate::guard::guarded;

/// An object that allows one call at a time.
#[derive(Debug)]
pub(crate) struct Single<T> {
    state: AtomicU8,
    inner: UnsafeCell<T>,
}

// SAFETY: `inner` is reached by whoever has changed `state` to `TAKEN`, and by nobody else.
unsafe impl<T: Send> Sync for Single<T> {}

/// No call uses it.
const FREE: u8 = 0;
/// A call uses it.
const TAKEN: u8 = 1;
/// A panic left it in an invalid state.
const BROKEN: u8 = 2;

impl<T> Single<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { state: AtomicU8::new(FREE), inner: UnsafeCell::new(inner) }
    }

    /// Acquires it.
    ///
    /// # Errors
    ///
    /// Another call uses it, or it is broken.
    #[inline]
    pub(crate) fn take(&self) -> Result<(), grammarc_status> {
        match self.state.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(()),
            Err(BROKEN) => Err(GRAMMARC_INTERNAL),
            Err(_) => Err(GRAMMARC_ARGUMENT),
        }
    }

    /// Releases it; `whole` states whether it is still valid.
    #[inline]
    pub(crate) fn give_back(&self, whole: bool) {
        self.state.store(if whole { FREE } else { BROKEN }, Ordering::Release);
    }

    /// Returns the object, for the call that has acquired it.
    pub(crate) fn taken(&self) -> *mut T {
        self.inner.get()
    }

    /// Runs work with the object, and catches a panic.
    #[inline]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R, grammarc_status> {
        self.take()?;
        // SAFETY: it was taken.
        let inner = unsafe { &mut *self.taken() };
        let done = guarded(|| work(inner));
        self.give_back(done.is_ok());
        done.map_err(|_| GRAMMARC_INTERNAL)
    }

    /// Runs work that resets the object. Allowed after a panic.
    pub(crate) fn renew(&self, work: impl FnOnce(&mut T)) -> grammarc_status {
        let mend = |_| {
            let taken =
                self.state.compare_exchange(BROKEN, TAKEN, Ordering::Acquire, Ordering::Relaxed);
            taken.map(drop).map_err(|_| GRAMMARC_ARGUMENT)
        };
        if let Err(status) = self.take().or_else(mend) {
            return status;
        }
        // SAFETY: it was taken.
        let inner = unsafe { &mut *self.taken() };
        let done = guarded(|| work(inner));
        self.give_back(done.is_ok());
        done.map_or(GRAMMARC_INTERNAL, |()| GRAMMARC_OK)
    }
}

/// A handle whose object allows one call at a time.
pub(crate) trait Exclusive {
    type Object;

    fn single(&self) -> &Single<Self::Object>;
}

/// Implements [`Exclusive`] for handles with the field `inner`.
macro_rules! exclusive {
    ($($handle:ident: $object:ty),+) => {$(
        impl $crate::single::Exclusive for $handle {
            type Object = $object;

            fn single(&self) -> &$crate::single::Single<$object> {
                &self.inner
            }
        }
    )+};
}
pub(crate) use exclusive;

/// Runs work with the object of a handle. Returns GRAMMARC_ARGUMENT for NULL.
///
/// # Safety
///
/// `handle` is NULL or was returned by this library, and is not freed meanwhile.
#[inline]
pub(crate) unsafe fn on<H: Exclusive>(
    handle: *const H,
    work: impl FnOnce(&mut H::Object) -> grammarc_status,
) -> grammarc_status {
    match handle.as_ref() {
        None => GRAMMARC_ARGUMENT,
        Some(object) => object.single().with(work).unwrap_or_else(|status| status),
    }
}

/// Runs work that may fail with the object of a handle, as [`on`] does.
///
/// # Safety
///
/// As [`on`].
pub(crate) unsafe fn try_on<H: Exclusive>(
    handle: *const H,
    work: impl FnOnce(&mut H::Object) -> Result<grammarc_status, Fault>,
) -> grammarc_status {
    on(handle, |object| work(object).unwrap_or_else(|fault| fault.status()))
}

/// Calls a function with the object of a handle. Returns `otherwise` for NULL, for an object that is in use, and after
/// a panic.
///
/// # Safety
///
/// As [`on`].
pub(crate) unsafe fn asked<H: Exclusive, R>(
    handle: *const H,
    otherwise: R,
    question: impl FnOnce(&mut H::Object) -> R,
) -> R {
    handle.as_ref().and_then(|object| object.single().with(question).ok()).unwrap_or(otherwise)
}

/// Resets the object of a handle, also after a panic. Returns GRAMMARC_ARGUMENT for NULL.
///
/// # Safety
///
/// As [`on`].
pub(crate) unsafe fn reset<H: Exclusive>(
    handle: *const H,
    work: impl FnOnce(&mut H::Object),
) -> grammarc_status {
    handle.as_ref().map_or(GRAMMARC_ARGUMENT, |object| object.single().renew(work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_leaves_an_object_that_answers_once_it_is_made_anew() {
        let single = Single::new(0);
        let add = || single.with(|number| *number += 1);
        assert_eq!(add(), Ok(()));
        assert_eq!(single.with(|_| panic!("on purpose")), Err::<(), _>(GRAMMARC_INTERNAL));
        assert_eq!(add(), Err(GRAMMARC_INTERNAL));
        assert_eq!(single.take(), Err(GRAMMARC_INTERNAL));
        assert_eq!(single.renew(|number| *number = 7), GRAMMARC_OK);
        assert_eq!(single.with(|number| *number), Ok(7));
        // While it is acquired, no other call has it, not even one that resets it.
        assert_eq!(single.take(), Ok(()));
        assert_eq!((add(), single.renew(|_| ())), (Err(GRAMMARC_ARGUMENT), GRAMMARC_ARGUMENT));
        single.give_back(true);
        assert_eq!(add(), Ok(()));
    }
}
