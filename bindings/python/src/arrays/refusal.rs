//! Errors about arrays whose memory cannot be written.

use std::fmt::Display;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Refuses memory of another device.
pub(super) fn not_here(device: impl Display) -> PyErr {
    let text = format!("the array is on {device}; masks are written to memory of the processor");
    PyTypeError::new_err(text)
}

/// Refuses elements of another type.
pub(super) fn no_element(found: impl Display) -> PyErr {
    let text =
        format!("elements of {found}: a mask is of int32, logits are float32, float16 or bfloat16");
    PyTypeError::new_err(text)
}

/// Refuses memory that is not C-contiguous.
pub(super) fn not_contiguous() -> PyErr {
    PyTypeError::new_err("the array is not C-contiguous")
}
