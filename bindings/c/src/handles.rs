//! Handles: objects that callers hold by pointer.
//!
//! A boxed handle has one owner. A counted handle has one owner for each call that returned or retained it.

use std::sync::Arc;

use crate::guard::guarded;

/// Returns a boxed handle of a new object.
pub(crate) fn boxed<T>(object: T) -> *mut T {
    Box::into_raw(Box::new(object))
}

/// Frees a boxed handle. NULL is allowed.
///
/// # Safety
///
/// `handle` is NULL or came from [`boxed`], and is not used again.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        dropped(Box::from_raw(handle));
    }
}

/// Returns a counted handle of a new object.
pub(crate) fn counted<T>(object: T) -> *mut T {
    Arc::into_raw(Arc::new(object)).cast_mut()
}

/// Adds an owner of a counted handle, and returns the handle. NULL is allowed.
///
/// # Safety
///
/// `handle` is NULL or came from [`counted`] and is owned by the caller.
pub(crate) unsafe fn retain<T>(handle: *const T) -> *mut T {
    if !handle.is_null() {
        Arc::increment_strong_count(handle);
    }
    handle.cast_mut()
}

/// Removes an owner of a counted handle. NULL is allowed.
///
/// # Safety
///
/// As [`retain`], and the caller does not use the handle again.
pub(crate) unsafe fn release<T>(handle: *mut T) {
    if !handle.is_null() {
        dropped(Arc::from_raw(handle));
    }
}

/// Drops an object. A panic cannot be reported here, and must not leave the function.
fn dropped<T>(object: T) {
    let _ = guarded(|| drop(object));
}

/// Calls a function with the object of a handle. Returns `otherwise` for NULL, and after a panic.
///
/// # Safety
///
/// `handle` is NULL or was returned by this library, and is not freed meanwhile.
pub(crate) unsafe fn ask<T, R: Copy>(
    handle: *const T,
    otherwise: R,
    question: impl FnOnce(&T) -> R,
) -> R {
    let object = handle.as_ref();
    object.map_or(otherwise, |object| guarded(|| question(object)).unwrap_or(otherwise))
}
