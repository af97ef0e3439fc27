//! Bitmasks: rows of 32-bit words in memory of their own, which numpy and torch can share.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::ptr;

use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::arrays::{Plane, dlpack};

/// Bits of a word.
const BITS: usize = 32;
/// Maximum size of a bitmask in bytes: far above the need of any server, and below the memory of a machine.
const MOST: usize = 1 << 36;

/// A bitmask of shape `[rows, ceil(logit_width / 32)]` of `int32`: bit `t % 32` of word `t / 32` says whether token `t` is
/// allowed. All bits are set at first.
///
/// It has the buffer protocol and DLPack: `numpy.asarray(mask)` and `torch.from_dlpack(mask)` share its memory. One row must
/// not be written by two threads at once.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Bitmask {
    words: Words,
    rows: usize,
    columns: usize,
    /// Shape and strides for buffers and DLPack.
    shape: [isize; 2],
    strides: [isize; 2],
}

/// The words, which Python and Rust both write.
struct Words(Box<[UnsafeCell<u32>]>);

// SAFETY: the words are written through raw pointers alone, row by row, and callers see to it that no row is written by two
// threads at once, as for every array of Python.
#[allow(unsafe_code)]
unsafe impl Sync for Words {}

impl Bitmask {
    /// Returns the rows as memory to write.
    pub(crate) fn plane(&self) -> Plane {
        Plane::of_words(self.words.0.as_ptr().cast_mut().cast(), self.rows, self.columns)
    }

    fn data(&self) -> *mut c_void {
        self.words.0.as_ptr().cast_mut().cast()
    }
}

#[pymethods]
impl Bitmask {
    /// Makes a bitmask of rows for logits of this width.
    #[new]
    fn new(rows: usize, logit_width: usize) -> PyResult<Self> {
        let columns = logit_width.div_ceil(BITS);
        let words = rows.checked_mul(columns).filter(|words| *words <= MOST / 4);
        let words = words.ok_or_else(|| {
            let text = format!("a bitmask of {rows} rows of {columns} words is too large");
            PyValueError::new_err(text)
        })?;
        let words: Box<[_]> = (0..words).map(|_| UnsafeCell::new(u32::MAX)).collect();
        Ok(Self {
            words: Words(words),
            rows,
            columns,
            shape: [rows as isize, columns as isize],
            strides: [columns as isize * 4, 4],
        })
    }

    /// Returns the number of rows and the number of words of a row.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    fn __repr__(&self) -> String {
        format!("Bitmask(rows={}, words={})", self.rows, self.columns)
    }

    #[allow(unsafe_code)]
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        let this = slf.get();
        let asked = |flag: c_int| flags & flag == flag;
        let null = ptr::null_mut();
        // SAFETY: `view` is a buffer that Python asks to be filled. The memory, shape and strides lie in the object, which is
        // frozen, has a fixed address and is kept alive by `obj`.
        unsafe {
            (*view).buf = this.data();
            (*view).len = (this.rows * this.columns * 4) as isize;
            (*view).readonly = 0;
            (*view).itemsize = 4;
            (*view).format = if asked(ffi::PyBUF_FORMAT) { c"i".as_ptr().cast_mut() } else { null };
            (*view).ndim = 2;
            let shape = this.shape.as_ptr().cast_mut();
            (*view).shape = if asked(ffi::PyBUF_ND) { shape } else { ptr::null_mut() };
            let strides = this.strides.as_ptr().cast_mut();
            (*view).strides = if asked(ffi::PyBUF_STRIDES) { strides } else { ptr::null_mut() };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }

    /// Returns the memory as a DLPack capsule, shared.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        slf: Bound<'py, Self>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if stream.is_some_and(|stream| !stream.is_none()) {
            return Err(PyBufferError::new_err("memory of the processor has no streams"));
        }
        if dl_device.is_some_and(|device| device != dlpack::CPU) {
            return Err(PyBufferError::new_err("the memory is the processor's"));
        }
        if copy == Some(true) {
            return Err(PyBufferError::new_err("the memory can only be shared, not copied"));
        }
        let this = slf.get();
        let shape = [this.rows as i64, this.columns as i64];
        dlpack::capsule(slf.py(), this.data(), shape, slf.as_any(), max_version)
    }

    /// Returns the device of the memory, as DLPack numbers it: the processor.
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::CPU
    }
}
