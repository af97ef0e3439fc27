//! Out parameters: numbers, arrays and texts by pointer and length.

use std::ffi::c_char;

/// Writes a value to an out parameter, unless it is NULL.
///
/// # Safety
///
/// `place` is NULL or points to memory for one element.
pub(crate) unsafe fn write_out<T>(place: *mut T, value: T) {
    if !place.is_null() {
        place.write(value);
    }
}

/// Returns the pointer of an array, and writes its length.
///
/// # Safety
///
/// `length` is NULL or points to a number.
pub(crate) unsafe fn lend<T>(items: &[T], length: *mut usize) -> *const T {
    write_out(length, items.len());
    items.as_ptr()
}

/// A text that callers get by pointer and length. It ends with a NUL that the length does not count.
#[derive(Debug)]
pub(crate) struct Text(Box<[u8]>);

impl Text {
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        let mut bytes: Vec<u8> = text.into();
        bytes.push(0);
        Self(bytes.into())
    }

    /// Returns its pointer, and writes its length.
    ///
    /// # Safety
    ///
    /// `length` is NULL or points to a number.
    pub(crate) unsafe fn lend(&self, length: *mut usize) -> *const c_char {
        write_out(length, self.0.len() - 1);
        self.0.as_ptr().cast()
    }
}
