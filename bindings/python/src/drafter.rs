//! Drafts of the tokens that a grammar forces.

use std::cell::RefCell;

use grammarc_runtime::drafter::{self, MAX_DRAFT};
use pyo3::prelude::*;

use crate::matcher::Matcher;
use crate::raise;
use crate::tokens::Ids;

thread_local! {
    /// The exception of the encoder, until the call that asked it raises it. The encoder runs on the thread of that call.
    static FAILED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Proposes the tokens that a grammar forces, spelled as the model's tokenizer would, for hosts that verify drafts. One
/// drafter serves all grammars of a vocabulary. Safe to share between threads.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Drafter {
    inner: drafter::Drafter,
}

/// Calls the encoder of a drafter. Returns `None` if it returns `None` or raises, and stores the exception.
fn encoded(encode: &Py<PyAny>, text: &str) -> Option<Vec<u32>> {
    Python::attach(|py| {
        let found = encode.call1(py, (text,)).and_then(|found| match found.is_none(py) {
            true => Ok(None),
            false => Ok(Some(found.extract::<Vec<u32>>(py)?)),
        });
        found.unwrap_or_else(|error| {
            FAILED.set(Some(error));
            None
        })
    })
}

impl Drafter {
    /// Calls `work` with a fork of the matcher. Raises what the encoder raised in it.
    fn with<T>(
        &self,
        py: Python<'_>,
        matcher: &Matcher,
        work: impl FnOnce(&drafter::Drafter, &mut grammarc_runtime::Matcher) -> T,
    ) -> PyResult<T> {
        raise::guarded(py, || {
            FAILED.set(None);
            // The encoder is Python, so the matcher's lock is given back before.
            let mut fork = matcher.lock().fork();
            let done = work(&self.inner, &mut fork);
            FAILED.take().map_or(Ok(done), Err)
        })
    }
}

/// A method of a drafter that writes tokens for a position: matcher, last tokens, most tokens, tokens.
type Write = fn(&drafter::Drafter, &mut grammarc_runtime::Matcher, &[u32], usize, &mut Vec<u32>);

impl Drafter {
    /// Returns the tokens that `write` writes. Raises what the encoder raised.
    fn written(
        &self,
        py: Python<'_>,
        matcher: &Matcher,
        last: &Ids,
        most: usize,
        write: Write,
    ) -> PyResult<Vec<u32>> {
        self.with(py, matcher, |drafter, matcher| {
            let mut tokens = Vec::new();
            write(drafter, matcher, &last.0, most, &mut tokens);
            tokens
        })
    }
}

#[pymethods]
impl Drafter {
    /// Makes a drafter. `encode` encodes a text without control tokens and without anything at its beginning; it may
    /// return None for a text that it cannot encode.
    #[new]
    fn new(encode: Py<PyAny>) -> Self {
        Self { inner: drafter::Drafter::new(move |text: &str| encoded(&encode, text)) }
    }

    /// Returns at most `most` tokens that the grammar forces next. `last` are the last tokens of the output, six of which
    /// are enough. The matcher does not move. Verify the tokens: the model may prefer a longer one to the last.
    #[pyo3(signature = (matcher, last, most = MAX_DRAFT), text_signature = "($self, matcher, last, most=64)")]
    fn draft(
        &self,
        py: Python<'_>,
        matcher: &Matcher,
        last: Ids,
        most: usize,
    ) -> PyResult<Vec<u32>> {
        self.written(py, matcher, &last, most, drafter::Drafter::draft)
    }

    /// Returns the tokens of `draft` for a host that adds them without asking the model: the last token is left out if a
    /// longer one that begins with it is allowed.
    #[pyo3(signature = (matcher, last, most = MAX_DRAFT), text_signature = "($self, matcher, last, most=64)")]
    fn injection(
        &self,
        py: Python<'_>,
        matcher: &Matcher,
        last: Ids,
        most: usize,
    ) -> PyResult<Vec<u32>> {
        self.written(py, matcher, &last, most, drafter::Drafter::injection)
    }

    /// Returns a tree of at most `nodes` tokens: the draft, and at its end a branch for each allowed token where at most
    /// `width` are allowed. Returns the tokens, and for each the index of its parent, or -1 for a token that follows the
    /// matcher's position. Parents come before their children.
    fn tree(
        &self,
        py: Python<'_>,
        matcher: &Matcher,
        last: Ids,
        nodes: usize,
        width: usize,
    ) -> PyResult<(Vec<u32>, Vec<i64>)> {
        self.with(py, matcher, |drafter, matcher| {
            let tree = drafter.tree(matcher, &last.0, nodes, width);
            let parents = tree.parents.iter().map(|parent| parent.map_or(-1, i64::from));
            (tree.tokens, parents.collect())
        })
    }
}
