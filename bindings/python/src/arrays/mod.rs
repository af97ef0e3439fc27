//! Arrays of other libraries as memory to write: checked wholly, and never copied.
//!
//! Tried in order:
//!
//! 1. a [`Bitmask`] of ours;
//! 2. DLPack's table of C functions, `type(array).__dlpack_c_exchange_api__` (torch from 2.10 on): no Python object is made;
//! 3. the buffer protocol (numpy);
//! 4. `data_ptr()` and what goes with it (older torch).
//!
//! In each of these ways, memory is taken only if it is the processor's, of a type that fits, writable and
//! C-contiguous; anything else is a `TypeError` that says which of these it is not.

mod buffer;
pub(crate) mod dlpack;
mod held;
mod plane;
mod pointer;
mod refusal;

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::bitmask::Bitmask;

pub(crate) use plane::{Element, Plane, Row};

/// Returns an array of masks: `int32` (or `uint32`), of one row or several.
pub(crate) fn words_of(array: &Bound<'_, PyAny>) -> PyResult<Plane> {
    if let Ok(bitmask) = array.cast::<Bitmask>() {
        return Ok(bitmask.get().plane());
    }
    plane_of(array)?.must_be(true)
}

/// Returns an array of logits: `float32`, `float16` or `bfloat16`, of one row or several.
pub(crate) fn logits_of(array: &Bound<'_, PyAny>) -> PyResult<Plane> {
    plane_of(array)?.must_be(false)
}

/// Returns the index of a row. Without one, returns that of the only row.
pub(crate) fn row_or_only(plane: &Plane, row: Option<Row>) -> PyResult<usize> {
    match row {
        Some(Row(row)) if row < plane.rows => Ok(row),
        Some(Row(row)) => {
            let text = format!("row {row} is not among the {} rows", plane.rows);
            Err(PyIndexError::new_err(text))
        }
        None if plane.rows == 1 => Ok(0),
        None => Err(PyValueError::new_err("the array has several rows: name one")),
    }
}

fn plane_of(array: &Bound<'_, PyAny>) -> PyResult<Plane> {
    if let Some(plane) = dlpack::plane(array)? {
        return Ok(plane);
    }
    if let Some(plane) = buffer::plane(array)? {
        return Ok(plane);
    }
    if let Some(plane) = pointer::plane(array)? {
        return Ok(plane);
    }
    let name = array.get_type().qualname()?;
    let text = format!("expected a Bitmask, or an array of numpy or torch, and not {name}");
    Err(PyTypeError::new_err(text))
}
