//! Arrays by the buffer protocol: numpy's, and `bytearray`s under a `memoryview`.
//!
//! A writable, C-contiguous buffer is requested, so an object without such memory refuses. Python keeps the memory in
//! place until the buffer is released.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::slice;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::held::Held;
use super::plane::{Element, Plane};
use super::refusal::no_element;

/// Returns the memory of an object with the buffer protocol. `None` for others.
#[allow(unsafe_code)]
pub(super) fn plane(array: &Bound<'_, PyAny>) -> PyResult<Option<Plane>> {
    // SAFETY: the object is alive, and the interpreter attached.
    if unsafe { ffi::PyObject_CheckBuffer(array.as_ptr()) } == 0 {
        return Ok(None);
    }
    let mut view = Box::new(MaybeUninit::<ffi::Py_buffer>::zeroed());
    let flags = ffi::PyBUF_WRITABLE | ffi::PyBUF_FORMAT | ffi::PyBUF_C_CONTIGUOUS;
    // SAFETY: the view is room for a buffer, and is read only where the call filled it.
    if unsafe { ffi::PyObject_GetBuffer(array.as_ptr(), view.as_mut_ptr(), flags) } != 0 {
        let cause = PyErr::fetch(array.py());
        let text =
            format!("the array is not writable and C-contiguous: {}", cause.value(array.py()));
        return Err(PyTypeError::new_err(text));
    }
    // SAFETY: the call succeeded, so the view is filled.
    let view = Held(unsafe { Box::from_raw(Box::into_raw(view).cast()) });
    let buffer = &view.0;
    let format = if buffer.format.is_null() {
        c"B"
    } else {
        // SAFETY: a format is a text that ends in zero and lives as long as the buffer.
        unsafe { CStr::from_ptr(buffer.format) }
    };
    let element = element(format.to_bytes(), buffer.itemsize)
        .ok_or_else(|| no_element(format!("format {:?}", format.to_string_lossy())))?;
    let shape: Vec<i64> = match usize::try_from(buffer.ndim) {
        Ok(dimensions) if !buffer.shape.is_null() => {
            // SAFETY: a buffer that was asked for with its shape has a number for each dimension.
            let shape = unsafe { slice::from_raw_parts(buffer.shape, dimensions) };
            shape.iter().map(|&size| size as i64).collect()
        }
        _ => vec![(buffer.len / buffer.itemsize.max(1)) as i64],
    };
    Plane::new(buffer.buf.cast(), &shape, element, Some(view)).map(Some)
}

/// Returns the element type of a format, in the notation of Python's `struct`.
fn element(format: &[u8], itemsize: isize) -> Option<Element> {
    let code = match format {
        [code] => code,
        [b'<' | b'=' | b'@', code] => code,
        _ => return None,
    };
    match (code, itemsize) {
        (b'i' | b'I' | b'l' | b'L', 4) => Some(Element::Word),
        (b'f', 4) => Some(Element::F32),
        (b'e', 2) => Some(Element::F16),
        _ => None,
    }
}
