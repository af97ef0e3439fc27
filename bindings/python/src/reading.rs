//! Texts read byte by byte, for ends inside a token.

use std::sync::{Mutex, MutexGuard, PoisonError};

use grammarc_runtime::ByteMatcher;
use grammarc_runtime::error::BytesError;
use pyo3::prelude::*;

use crate::grammar::Grammar;
use crate::raise;

/// One text under one grammar, whatever its tokens. Concurrent calls wait for each other.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Reading {
    inner: Mutex<ByteMatcher>,
}

impl Reading {
    fn lock(&self) -> MutexGuard<'_, ByteMatcher> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Reading {
    /// Makes a reading at the start of a text.
    #[new]
    fn new(py: Python<'_>, grammar: &Bound<'_, Grammar>) -> PyResult<Self> {
        raise::guarded(py, || {
            Ok(Self { inner: Mutex::new(ByteMatcher::new(grammar.get().inner())) })
        })
    }

    /// Reads bytes up to the first that is not allowed. Returns the number of bytes that were read, and the offsets
    /// at which the text may end, ascending. Raises `LimitError`.
    fn read(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<(usize, Vec<usize>)> {
        raise::guarded(py, || {
            let mut matcher = self.lock();
            let mut ends = Vec::new();
            for (at, byte) in bytes.iter().enumerate() {
                match matcher.accept(std::slice::from_ref(byte)) {
                    Ok(()) => {}
                    Err(BytesError::Limit { limit, .. }) => return Err(raise::limit(py, limit)),
                    Err(_) => return Ok((at, ends)),
                }
                if matcher.is_accepting() {
                    ends.push(at + 1);
                }
            }
            Ok((bytes.len(), ends))
        })
    }

    /// Reads a token that is not text, by its id. Returns whether it was allowed. Raises `LimitError`.
    fn read_token(&self, py: Python<'_>, token: u32) -> PyResult<bool> {
        raise::guarded(py, || {
            self.lock().accept_token(token).map_err(|limit| raise::limit(py, limit))
        })
    }

    /// Whether the text may end here.
    #[getter]
    fn is_accepting(&self) -> bool {
        self.lock().is_accepting()
    }

    /// Whether anything may follow.
    #[getter]
    fn may_go_on(&self, py: Python<'_>) -> PyResult<bool> {
        raise::guarded(py, || {
            let mut matcher = self.lock();
            let follows = matcher
                .allowed_bytes()
                .and_then(|bytes| Ok(!bytes.is_empty() || matcher.tokens_allowed()?));
            follows.map_err(|limit| raise::limit(py, limit))
        })
    }
}
