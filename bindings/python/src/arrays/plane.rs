//! Memory of an array: rows of elements that lie one after the other.

use std::slice;

use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use super::held::Held;

/// Types of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// 32-bit integers, signed or not.
    Word,
    /// `float32`.
    F32,
    /// `float16`.
    F16,
    /// `bfloat16`.
    Bf16,
}

impl Element {
    fn bytes(self) -> usize {
        match self {
            Self::Word | Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

/// Number of a row of an array. Any Python integer is read; a negative or too large one raises an `IndexError` that names it.
#[derive(Clone, Copy)]
pub(crate) struct Row(pub(crate) usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Row {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<usize>() {
            Ok(row) => Ok(Self(row)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                let text = format!("{} is no row: rows are numbered from 0 on", object.str()?);
                Err(PyIndexError::new_err(text))
            }
            Err(error) => Err(error),
        }
    }
}

/// Memory of rows that lie one after the other, borrowed from an array.
pub(crate) struct Plane {
    data: *mut u8,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Elements of a row.
    pub(crate) columns: usize,
    /// Type of the elements.
    pub(crate) element: Element,
    /// Keeps the memory where it is, for arrays that may move it otherwise.
    _held: Option<Held>,
}

// SAFETY: a plane is memory that its caller may write, for as long as the array lives. Batches hand rows to several threads,
// each to one. What is held is released on the thread that made it, since a plane never leaves the call that made it.
#[allow(unsafe_code)]
unsafe impl Send for Plane {}
// SAFETY: as above; through a shared reference nothing is written.
#[allow(unsafe_code)]
unsafe impl Sync for Plane {}

impl Plane {
    /// Returns rows of words.
    pub(crate) fn of_words(data: *mut u8, rows: usize, columns: usize) -> Self {
        Self { data, rows, columns, element: Element::Word, _held: None }
    }

    /// Checks an array's memory against its shape: one row, or several.
    pub(super) fn new(
        data: *mut u8,
        shape: &[i64],
        element: Element,
        held: Option<Held>,
    ) -> PyResult<Self> {
        let dimension = |size: i64| usize::try_from(size).unwrap_or(0);
        let (rows, columns) = match *shape {
            [columns] => (1, dimension(columns)),
            [rows, columns] => (dimension(rows), dimension(columns)),
            _ => {
                let text = format!("the array has {} dimensions, and not one or two", shape.len());
                return Err(PyTypeError::new_err(text));
            }
        };
        if !(data as usize).is_multiple_of(element.bytes()) {
            return Err(PyTypeError::new_err("the array is not aligned to its elements"));
        }
        Ok(Self { data, rows, columns, element, _held: held })
    }

    /// Returns the words of all rows.
    #[allow(unsafe_code)]
    pub(crate) fn words(&mut self) -> &mut [u32] {
        debug_assert_eq!(self.element, Element::Word);
        if self.rows * self.columns == 0 {
            return &mut [];
        }
        // SAFETY: the memory was checked to be of so many aligned elements, writable, and alive while the array is.
        unsafe { slice::from_raw_parts_mut(self.data.cast(), self.rows * self.columns) }
    }

    /// Returns the words of one row.
    pub(crate) fn row_of_words(&mut self, Row(row): Row) -> PyResult<&mut [u32]> {
        let (rows, columns) = (self.rows, self.columns);
        if row >= rows {
            return Err(PyIndexError::new_err(format!("row {row} is not among the {rows} rows")));
        }
        Ok(&mut self.words()[row * columns..][..columns])
    }

    /// Returns the elements of all rows, as a type of the element's size.
    #[allow(unsafe_code)]
    pub(crate) fn elements<T: Copy>(&mut self) -> &mut [T] {
        assert_eq!(size_of::<T>(), self.element.bytes(), "elements have their size");
        if self.rows * self.columns == 0 {
            return &mut [];
        }
        // SAFETY: as in `words`; every pattern of bits is a number of the types that this is asked for.
        unsafe { slice::from_raw_parts_mut(self.data.cast(), self.rows * self.columns) }
    }

    /// Refuses elements of the other kind: words are masks, numbers with fractions are logits.
    pub(super) fn must_be(self, words: bool) -> PyResult<Self> {
        if (self.element == Element::Word) == words {
            return Ok(self);
        }
        let expected =
            if words { "a mask is of int32" } else { "logits are float32, float16 or bfloat16" };
        Err(PyTypeError::new_err(format!("{expected}, and this array is of {:?}", self.element)))
    }
}

/// Whether elements lie one after the other, the last dimension first. A dimension of one element has any stride.
pub(super) fn is_contiguous(shape: &[i64], strides: &[i64]) -> bool {
    let mut expected = 1;
    shape.iter().zip(strides).rev().all(|(&size, &stride)| {
        let fits = size == 1 || stride == expected || shape.contains(&0);
        expected *= size;
        fits
    })
}
