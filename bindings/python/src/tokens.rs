//! Token ids as Python has them: integers of any size and sign, in lists or arrays.

use grammarc_bindings::tokens::{NO_TOKEN, token};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// One id, as given and as a token.
#[derive(Clone, Copy)]
pub(crate) struct Id {
    /// As given; the nearest number of 64 bits for one that is larger.
    pub(crate) given: i64,
    /// The token, [`NO_TOKEN`] for an id that is none.
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

/// Ids in order, from a list, a tuple, an array or whatever else gives them one after the other.
pub(crate) struct Ids(pub(crate) Vec<u32>);

impl<'a, 'py> FromPyObject<'a, 'py> for Ids {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let mut ids = Vec::with_capacity(object.len().unwrap_or(0));
        for item in object.try_iter()? {
            ids.push(item?.extract::<Id>()?.token);
        }
        Ok(Self(ids))
    }
}

/// Ids as [`Ids`] has them, of which each has to be that of a token: `ValueError` where one is not.
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
