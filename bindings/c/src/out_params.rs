//! Results that are written where the caller says: numbers, and texts by pointer and length.

use std::ffi::c_char;

/// Writes where the caller wants to know.
///
/// # Safety
///
/// `place` is NULL or points to memory for one element.
pub(crate) unsafe fn write_out<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not NULL; the rest is the caller's promise.
        unsafe { place.write(value) };
    }
}

/// A text that is handed out by pointer and length, with a NUL after it that the length does not count.
#[derive(Debug)]
pub(crate) struct Text(Box<[u8]>);

impl Text {
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        let mut bytes: Vec<u8> = text.into();
        bytes.push(0);
        Self(bytes.into())
    }

    /// Its pointer.
    ///
    /// # Safety
    ///
    /// `length` is NULL or points to a number.
    pub(crate) unsafe fn lend(&self, length: *mut usize) -> *const c_char {
        // SAFETY: the caller's promise.
        unsafe { write_out(length, self.0.len() - 1) };
        self.0.as_ptr().cast()
    }
}
