//! A Python buffer in use: its object does not move or free the memory before the release.

use pyo3::ffi;
use pyo3::prelude::*;

/// A buffer in use.
pub(super) struct Held(pub(super) Box<ffi::Py_buffer>);

impl Drop for Held {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        Python::attach(|_| {
            // SAFETY: the buffer was filled by `PyObject_GetBuffer`, and is released once.
            unsafe { ffi::PyBuffer_Release(&mut *self.0) }
        });
    }
}
