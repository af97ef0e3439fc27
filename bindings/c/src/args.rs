//! Arguments of callers, converted to references: each pointer is checked first.
//!
//! A pointer is refused if it is NULL, is not aligned, or its count exceeds the address space. The caller guarantees
//! the rest: that the memory exists, is not written meanwhile, and that a handle was not freed.

use std::ffi::c_char;
use std::path::PathBuf;
use std::slice;

use grammarc_bindings::failure;

use crate::error::{Fault, grammarc_status};
use crate::out_params::write_out;

/// Returns the array at a pointer. With `count` 0, any pointer is an empty array.
///
/// # Safety
///
/// `data` is NULL or points to `count` elements that nobody writes while the result lives.
pub(crate) unsafe fn array<'a, T>(
    what: &'static str,
    data: *const T,
    count: usize,
) -> Result<&'a [T], Fault> {
    check(what, data, count)?;
    if count == 0 {
        return Ok(&[]);
    }
    Ok(slice::from_raw_parts(data, count))
}

/// Returns the array at a pointer, or `None` for NULL.
///
/// # Safety
///
/// As [`array`].
pub(crate) unsafe fn optional<'a, T>(
    what: &'static str,
    data: *const T,
    count: usize,
) -> Result<Option<&'a [T]>, Fault> {
    if data.is_null() { Ok(None) } else { array(what, data, count).map(Some) }
}

/// Returns the array at a pointer, for writing.
///
/// # Safety
///
/// `data` is NULL or points to `count` initialised elements that nobody else reads or writes while the result lives.
pub(crate) unsafe fn array_mut<'a, T>(
    what: &'static str,
    data: *mut T,
    count: usize,
) -> Result<&'a mut [T], Fault> {
    check(what, data, count)?;
    if count == 0 {
        return Ok(&mut []);
    }
    Ok(slice::from_raw_parts_mut(data, count))
}

fn check<T>(what: &'static str, data: *const T, count: usize) -> Result<(), Fault> {
    let bytes = count.checked_mul(size_of::<T>());
    if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(Fault::argument(format!(
            "{what}: {count} elements are more than memory holds"
        )));
    }
    if count > 0 && data.is_null() {
        return Err(Fault::argument(format!("{what} is NULL and has {count} elements")));
    }
    if !data.is_aligned() {
        return Err(Fault::argument(format!("{what} is not aligned")));
    }
    Ok(())
}

/// Returns the text of a source.
///
/// # Safety
///
/// As [`array`].
pub(crate) unsafe fn source<'a>(data: *const c_char, length: usize) -> Result<&'a str, Fault> {
    let bytes = array("the source", data.cast::<u8>(), length)?;
    Ok(failure::text("source", bytes)?)
}

/// Returns a text that is not a source. Bytes that are not UTF-8 are an invalid argument.
///
/// # Safety
///
/// As [`array`].
pub(crate) unsafe fn text<'a>(
    what: &'static str,
    data: *const c_char,
    length: usize,
) -> Result<&'a str, Fault> {
    let bytes = array(what, data.cast::<u8>(), length)?;
    str::from_utf8(bytes).map_err(|_| Fault::argument(format!("{what} is not UTF-8")))
}

/// Returns a path: any bytes if the system's paths are bytes, else UTF-8.
///
/// # Safety
///
/// As [`array`].
pub(crate) unsafe fn path(data: *const c_char, length: usize) -> Result<PathBuf, Fault> {
    let bytes = array("the path", data.cast::<u8>(), length)?;
    if bytes.is_empty() {
        return Err(Fault::argument("the path is empty"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        Ok(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    {
        let text = str::from_utf8(bytes);
        text.map(PathBuf::from).map_err(|_| Fault::argument("the path is not UTF-8"))
    }
}

/// Returns the object of a handle.
///
/// # Safety
///
/// `handle` is NULL or was returned by this library, and is not freed while the result lives.
pub(crate) unsafe fn object<'a, T>(what: &'static str, handle: *const T) -> Result<&'a T, Fault> {
    handle.as_ref().ok_or_else(|| Fault::argument(format!("{what} is NULL")))
}

/// Copies items to a buffer of the caller's, and writes their number to `needed`.
///
/// # Safety
///
/// `buffer` is NULL or has room for `capacity` elements; `needed` is NULL or points to a number.
pub(crate) unsafe fn give<T: Copy>(
    items: &[T],
    buffer: *mut T,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    write_out(needed, items.len());
    if items.is_empty() {
        return grammarc_status::GRAMMARC_OK;
    }
    if capacity < items.len() {
        return grammarc_status::GRAMMARC_BUFFER;
    }
    if buffer.is_null() || !buffer.is_aligned() {
        return grammarc_status::GRAMMARC_ARGUMENT;
    }
    // The items are in memory of this library, so they do not overlap with the caller's buffer.
    buffer.copy_from_nonoverlapping(items.as_ptr(), items.len());
    grammarc_status::GRAMMARC_OK
}
