//! Token ids and texts of Python: integers of any size and sign, in lists or arrays; `str` or bytes.

use grammarc_bindings::tokens::{NO_TOKEN, token};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// One id, as given and as a token.
#[derive(Clone, Copy)]
pub(crate) struct Id {
    /// The given id. A larger one becomes the nearest number of 64 bits.
    pub(crate) given: i64,
    /// The token, or [`NO_TOKEN`] if the id is out of range.
    pub(crate) token: u32,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Id {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<i64>() {
            Ok(given) => Ok(Self { given, token: token(given) }),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                Ok(Self { given: i64::MAX, token: NO_TOKEN })
            }
            Err(error) => Err(error),
        }
    }
}

/// Ids in order, from a list, a tuple, an array or any other iterable.
pub(crate) struct Ids(pub(crate) Vec<u32>);

impl<'a, 'py> FromPyObject<'a, 'py> for Ids {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyString>() {
            let hint = "token ids are expected, not a text: Matcher.accept_text takes a text, and list(...) turns bytes into ids";
            return Err(PyTypeError::new_err(hint));
        }
        let mut ids = Vec::with_capacity(object.len().unwrap_or(0));
        for item in object.try_iter()? {
            ids.push(item?.extract::<Id>()?.token);
        }
        Ok(Self(ids))
    }
}

/// A text, as `str` or as bytes.
#[derive(FromPyObject)]
pub(crate) enum Text {
    Str(String),
    Bytes(Vec<u8>),
}

impl Text {
    /// Returns the bytes, in UTF-8.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Str(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// Ids in the forms of [`Ids`], each of which must be in the range of tokens. Raises `ValueError` for another number.
pub(crate) struct KnownIds(pub(crate) Vec<u32>);

impl<'a, 'py> FromPyObject<'a, 'py> for KnownIds {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let mut ids = Vec::new();
        for item in object.try_iter()? {
            let item = item?;
            let id = item.extract::<Id>()?;
            if id.token == NO_TOKEN {
                return Err(PyValueError::new_err(format!("{} is no token's id", item.str()?)));
            }
            ids.push(id.token);
        }
        Ok(Self(ids))
    }
}
