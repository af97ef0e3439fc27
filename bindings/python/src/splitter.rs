//! Splitters: the parts of an output of a grammar.

use std::sync::{Mutex, MutexGuard, PoisonError};

use grammarc_runtime::error::BytesError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::grammar::Grammar;
use crate::raise;
use crate::tokens::{Id, Text};

/// A piece of an output.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Piece {
    /// `"text"`, `"reasoning"`, `"json"`, `"xml"`, `"grammar"`, `"pattern"` or `"markup"`.
    #[pyo3(get)]
    kind: &'static str,
    /// Index of the call that the piece belongs to.
    #[pyo3(get)]
    call: Option<u32>,
    /// Name of the tool of that call.
    #[pyo3(get)]
    name: Option<String>,
    /// Whether a part of the output starts with the piece. Otherwise the piece continues the one before.
    #[pyo3(get)]
    begins: bool,
    /// Whether the piece is in the arguments of a call.
    #[pyo3(get)]
    is_arguments: bool,
    bytes: Vec<u8>,
}

#[pymethods]
impl Piece {
    /// Returns the bytes of the piece, and the texts of special tokens.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn __repr__(&self) -> String {
        let Self { kind, call, bytes, .. } = self;
        format!("<grammarc.Piece {kind}, call {call:?}, {:?}>", String::from_utf8_lossy(bytes))
    }
}

/// Splits one output of a grammar during its generation. Concurrent calls wait for each other.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Splitter {
    inner: Mutex<grammarc_runtime::Splitter>,
}

impl Splitter {
    fn lock(&self) -> MutexGuard<'_, grammarc_runtime::Splitter> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Splitter {
    /// Reads an input with `push`, and returns its pieces. Raises `TextRefused` with the offset of a byte that is not
    /// allowed.
    fn push_with(
        &self,
        py: Python<'_>,
        push: impl FnOnce(
            &mut grammarc_runtime::Splitter,
        ) -> Result<Vec<grammarc_runtime::Piece>, BytesError>,
    ) -> PyResult<Vec<Piece>> {
        raise::guarded(py, || {
            let mut splitter = self.lock();
            let pieces = push(&mut splitter)
                .map_err(|error| raise::text_refused(py, error.to_string(), error.offset()))?;
            Ok(named(&splitter, pieces))
        })
    }
}

#[pymethods]
impl Splitter {
    #[new]
    fn new(py: Python<'_>, grammar: &Bound<'_, Grammar>) -> PyResult<Self> {
        raise::guarded(py, || {
            let inner = Mutex::new(grammarc_runtime::Splitter::new(grammar.get().inner()));
            Ok(Self { inner })
        })
    }

    /// Reads a token and returns the pieces that no further token can change. Raises `TokenRefused`; the state does
    /// not change then.
    fn push(&self, py: Python<'_>, token: Id) -> PyResult<Vec<Piece>> {
        raise::guarded(py, || {
            let mut splitter = self.lock();
            let pushed = splitter.push(token.token);
            let pieces = pushed.map_err(|error| raise::refused(py, token.given, error))?;
            Ok(named(&splitter, pieces))
        })
    }

    /// Reads bytes and returns the pieces that no further byte can change. Raises `TextRefused` with the offset of a
    /// byte that is not allowed; the bytes before it were read.
    fn push_bytes(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<Vec<Piece>> {
        self.push_with(py, |splitter| splitter.push_bytes(bytes))
    }

    /// Reads text in which special tokens are spelled, for hosts that have no tokens, and returns the pieces that no
    /// further text can change. The text may be cut anywhere. Raises `TextRefused` as `push_bytes` does, with an offset in
    /// bytes.
    fn push_text(&self, py: Python<'_>, text: Text) -> PyResult<Vec<Piece>> {
        self.push_with(py, |splitter| splitter.push_text(text.bytes()))
    }

    /// Ends the output, complete or truncated, and returns the last pieces.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<Piece>> {
        raise::guarded(py, || {
            let mut splitter = self.lock();
            let pieces = splitter.finish();
            Ok(named(&splitter, pieces))
        })
    }

    /// Returns the names of the tools that were called so far.
    #[getter]
    fn calls(&self) -> Vec<String> {
        self.lock().calls().map(str::to_owned).collect()
    }

    /// Whether the output may end here.
    #[getter]
    fn is_accepting(&self) -> bool {
        self.lock().is_accepting()
    }

    /// Whether the output has ended.
    #[getter]
    fn is_finished(&self) -> bool {
        self.lock().is_finished()
    }
}

/// Adds the names of their calls to pieces.
fn named(
    splitter: &grammarc_runtime::Splitter,
    pieces: Vec<grammarc_runtime::Piece>,
) -> Vec<Piece> {
    let named = pieces.into_iter().map(|piece| {
        let name = piece.call.and_then(|call| splitter.call_name(call));
        Piece {
            kind: piece.kind_name(),
            is_arguments: piece.is_arguments(),
            call: piece.call,
            name: name.map(str::to_owned),
            begins: piece.begins,
            bytes: piece.bytes,
        }
    });
    named.collect()
}
