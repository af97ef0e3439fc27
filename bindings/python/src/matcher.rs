//! Matchers.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use grammarc_runtime::MatcherOptions;
use grammarc_runtime::batch::fill_tree;
use grammarc_runtime::error::{AcceptError, AcceptTextError};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arrays::{self, Element, Plane, Row};
use crate::explanation::Explanation;
use crate::raise;
use crate::tokens::{Id, Ids, Text};

/// The state of one sequence under one grammar. A call that fails does not change the state. Concurrent calls wait
/// for each other.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Matcher {
    inner: Mutex<grammarc_runtime::Matcher>,
    /// The `Grammar`, as an untyped object, since its file uses this one.
    grammar: Py<PyAny>,
    rollback_window: usize,
}

impl Matcher {
    /// Makes a matcher; `owner` is the Python object of the grammar.
    pub(crate) fn new(
        grammar: &grammarc_runtime::Grammar,
        owner: Py<PyAny>,
        end_tokens: Option<Vec<u32>>,
        logit_width: Option<u32>,
        rollback_window: usize,
    ) -> PyResult<Self> {
        let mut options = MatcherOptions::new().rollback_window(rollback_window);
        if let Some(tokens) = end_tokens {
            options = options.end_tokens(tokens);
        }
        if let Some(width) = logit_width {
            options = options.logit_width(width);
        }
        let matcher = grammarc_runtime::Matcher::with_options(grammar, options);
        let inner = Mutex::new(matcher.map_err(raise::options)?);
        Ok(Self { inner, grammar: owner, rollback_window })
    }

    /// Locks the matcher. A panic that was caught left the matcher at its position before or after the call, so a
    /// poisoned lock is not an error.
    pub(crate) fn lock(&self) -> MutexGuard<'_, grammarc_runtime::Matcher> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the range of the elements of `needed` rows from one on. Raises `IndexError` if there are fewer.
fn rows_from(plane: &Plane, Row(row): Row, needed: usize) -> PyResult<Range<usize>> {
    let (rows, columns) = (plane.rows, plane.columns);
    match row.checked_add(needed) {
        Some(end) if end <= rows => Ok(row * columns..end * columns),
        _ => {
            let text = format!(
                "row {row} is not followed by the rows of {needed} masks: there are {rows}"
            );
            Err(PyIndexError::new_err(text))
        }
    }
}

#[pymethods]
impl Matcher {
    /// Writes the mask of the next token to a row. Returns whether the mask forbids anything: if not, it need not be
    /// applied. Words past the logit width become zero.
    #[pyo3(signature = (mask, row = Row(0)), text_signature = "($self, mask, row=0)")]
    fn fill(&self, py: Python<'_>, mask: &Bound<'_, PyAny>, row: Row) -> PyResult<bool> {
        let mut plane = arrays::words_of(mask)?;
        let words = plane.row_of_words(row)?;
        raise::guarded(py, || {
            let mut matcher = self.lock();
            let mask = matcher.mask();
            mask.fill(words).map_err(raise::buffer)?;
            Ok(mask.restricts())
        })
    }

    /// Sets the logits of all forbidden tokens to negative infinity, in place. The row is required if there are
    /// several.
    #[pyo3(signature = (logits, row = None))]
    fn apply(&self, py: Python<'_>, logits: &Bound<'_, PyAny>, row: Option<Row>) -> PyResult<()> {
        let mut plane = arrays::logits_of(logits)?;
        let row = arrays::row_or_only(&plane, row)?;
        let at = row * plane.columns..(row + 1) * plane.columns;
        raise::guarded(py, || {
            let mut matcher = self.lock();
            let mask = matcher.mask();
            match plane.element {
                Element::F32 => mask.apply(&mut plane.elements::<f32>()[at]),
                Element::F16 => mask.apply(&mut plane.elements::<grammarc_runtime::F16>()[at]),
                _ => mask.apply(&mut plane.elements::<grammarc_runtime::Bf16>()[at]),
            }
            .map_err(raise::buffer)
        })
    }

    /// Returns the logarithm of the share of the softmax that is allowed: 0 if nothing is forbidden, `-inf` if no allowed
    /// token has a share. The logits are the model's, before any mask, and do not change. With `log_sum`, the log-sum-exp
    /// of the row, only the logits of the allowed or of the forbidden tokens are read, whichever are fewer. The row is
    /// required if there are several.
    #[pyo3(signature = (logits, log_sum = None, row = None))]
    fn log_mass(
        &self,
        py: Python<'_>,
        logits: &Bound<'_, PyAny>,
        log_sum: Option<f64>,
        row: Option<Row>,
    ) -> PyResult<f64> {
        let mut plane = arrays::logits_of(logits)?;
        let row = arrays::row_or_only(&plane, row)?;
        let at = row * plane.columns..(row + 1) * plane.columns;
        raise::guarded(py, || {
            let mut matcher = self.lock();
            let mask = matcher.mask();
            match plane.element {
                Element::F32 => mask.log_mass(&plane.elements::<f32>()[at], log_sum),
                Element::F16 => {
                    mask.log_mass(&plane.elements::<grammarc_runtime::F16>()[at], log_sum)
                }
                _ => mask.log_mass(&plane.elements::<grammarc_runtime::Bf16>()[at], log_sum),
            }
            .map_err(|error| PyValueError::new_err(error.to_string()))
        })
    }

    /// Accepts a token, or raises `TokenRefused`.
    fn accept(&self, py: Python<'_>, token: Id) -> PyResult<()> {
        raise::guarded(py, || {
            let accepted = self.lock().accept(token.token);
            accepted.map_err(|error| {
                let is_limit = matches!(error, AcceptError::Limit(_));
                let error = raise::refused(py, token.given, error);
                // The error keeps the position, for an explanation that is made when it is read.
                if !is_limit && let Ok(matcher) = Py::new(py, self.fork(py)) {
                    _ = error.value(py).setattr("_matcher", matcher);
                }
                error
            })
        })
    }

    /// Explains whether a token is allowed, and otherwise which of its bytes is refused and what may come in its place.
    /// The state does not change.
    fn explain(&self, py: Python<'_>, token: Id) -> PyResult<Explanation> {
        raise::guarded(py, || Ok(Explanation(self.lock().explain(token.token))))
    }

    /// Accepts a token if it is allowed. Returns whether it was. Ids that are not tokens, such as -1, are not
    /// allowed.
    fn try_accept(&self, py: Python<'_>, token: Id) -> PyResult<bool> {
        raise::guarded(py, || match self.lock().accept(token.token) {
            Ok(()) => Ok(true),
            Err(AcceptError::Limit(limit)) => {
                Err(raise::refused(py, token.given, AcceptError::Limit(limit)))
            }
            Err(_) => Ok(false),
        })
    }

    /// Accepts a text, whatever its tokens, as one step for `rollback`. Raises `TextRefused` with the offset of the
    /// first byte that is not allowed, or the text's length if no token may follow.
    fn accept_text(&self, py: Python<'_>, text: Text) -> PyResult<()> {
        raise::guarded(py, || {
            let bytes = text.bytes();
            self.lock().accept_text(bytes).map_err(|error| match error {
                AcceptTextError::Limit(limit) => raise::limit(py, limit),
                AcceptTextError::Refused { at } => raise::text_refused(py, error.to_string(), at),
                AcceptTextError::NoToken => raise::text_refused(py, error.to_string(), bytes.len()),
                _ => raise::text_refused(py, error.to_string(), 0),
            })
        })
    }

    /// Accepts tokens up to the first that is not allowed. Returns the number of accepted tokens.
    fn accept_many(&self, py: Python<'_>, tokens: Ids) -> PyResult<usize> {
        raise::guarded(py, || {
            let accepted = self.lock().accept_many(&tokens.0);
            Ok(accepted.map_or_else(|error| error.accepted, |()| tokens.0.len()))
        })
    }

    /// Returns how many of the tokens could be accepted in a row. The state does not change.
    fn validate(&self, py: Python<'_>, tokens: Ids) -> PyResult<usize> {
        raise::guarded(py, || Ok(self.lock().validate(&tokens.0)))
    }

    /// Fills row `row` with the mask of the next token, and one row after each draft token that is allowed. The other
    /// rows of `len(tokens) + 1` get a copy of the last one. Returns how many drafts are allowed. The state does not
    /// change.
    #[pyo3(signature = (tokens, mask, row = Row(0)), text_signature = "($self, tokens, mask, row=0)")]
    fn fill_drafts(
        &self,
        py: Python<'_>,
        tokens: Ids,
        mask: &Bound<'_, PyAny>,
        row: Row,
    ) -> PyResult<usize> {
        let mut plane = arrays::words_of(mask)?;
        let columns = plane.columns;
        let rows = rows_from(&plane, row, tokens.0.len() + 1)?;
        raise::guarded(py, || {
            let words = &mut plane.words()[rows];
            self.lock().fill_drafts(&tokens.0, words, columns).map_err(raise::batch)
        })
    }

    /// Fills rows of a tree of drafts: row `row` with the mask of the next token, and row `row + 1 + i` with the mask
    /// after node `i`. `parents` has the index of each node's parent, which comes before it, or -1. A node that is not
    /// allowed gets its parent's row. Returns for each node whether it is allowed after those on its path. The state does
    /// not change.
    #[pyo3(signature = (tokens, parents, mask, row = Row(0)), text_signature = "($self, tokens, parents, mask, row=0)")]
    fn fill_tree(
        &self,
        py: Python<'_>,
        tokens: Ids,
        parents: Vec<i64>,
        mask: &Bound<'_, PyAny>,
        row: Row,
    ) -> PyResult<Vec<bool>> {
        let mut plane = arrays::words_of(mask)?;
        let columns = plane.columns;
        let rows = rows_from(&plane, row, tokens.0.len() + 1)?;
        let of = |parent: i64| match parent {
            -1 => None,
            // A parent beyond all nodes is refused as one that does not come before.
            parent => Some(u32::try_from(parent).unwrap_or(u32::MAX)),
        };
        let parents: Vec<Option<u32>> = parents.into_iter().map(of).collect();
        raise::guarded(py, || {
            let words = &mut plane.words()[rows];
            let mut matcher = self.lock();
            let filled = fill_tree(&mut matcher, &tokens.0, &parents, words, columns);
            filled.map_err(raise::batch)
        })
    }

    /// Accepts the tokens of a known output, and fills a row for each with the mask it was drawn from, beginning at row
    /// `row`. After a token that is not allowed, rows are copies of the last one. Returns how many tokens were accepted.
    #[pyo3(signature = (tokens, mask, row = Row(0)), text_signature = "($self, tokens, mask, row=0)")]
    fn replay(
        &self,
        py: Python<'_>,
        tokens: Ids,
        mask: &Bound<'_, PyAny>,
        row: Row,
    ) -> PyResult<usize> {
        let plane = arrays::words_of(mask)?;
        let rows = rows_from(&plane, row, tokens.0.len())?;
        raise::guarded(py, || {
            let replayed = py.detach(|| {
                let mut plane = plane;
                let columns = plane.columns;
                self.lock().replay(&tokens.0, &mut plane.words()[rows], columns)
            });
            replayed.map_err(raise::batch)
        })
    }

    /// Removes the last tokens. Raises `ValueError` if there are fewer.
    #[pyo3(signature = (tokens = 1))]
    fn rollback(&self, tokens: usize) -> PyResult<()> {
        let rolled = self.lock().rollback(tokens);
        rolled.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Returns a second matcher at the same position.
    fn fork(&self, py: Python<'_>) -> Self {
        let inner = Mutex::new(self.lock().fork());
        let (grammar, rollback_window) = (self.grammar.clone_ref(py), self.rollback_window);
        Self { inner, grammar, rollback_window }
    }

    /// Same as `fork`, for the module `copy`.
    fn __copy__(&self, py: Python<'_>) -> Self {
        self.fork(py)
    }

    /// Same as `fork`, for the module `copy`.
    fn __deepcopy__(&self, py: Python<'_>, _memo: Bound<'_, PyAny>) -> Self {
        self.fork(py)
    }

    /// Pickles the matcher: grammar, options and position. A restored matcher cannot roll back tokens from before.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let make = py.import("grammarc._pickle")?.getattr("matcher")?;
        let (ends, width, position) = {
            let matcher = this.lock();
            (matcher.end_tokens().to_vec(), matcher.logit_width(), matcher.export())
        };
        let position = PyBytes::new(py, &position);
        let grammar = this.grammar.clone_ref(py);
        (make, (grammar, ends, width, this.rollback_window, position)).into_pyobject(py)
    }

    /// Returns the grammar.
    #[getter]
    fn grammar(&self, py: Python<'_>) -> Py<PyAny> {
        self.grammar.clone_ref(py)
    }

    /// Returns to the start of a sequence.
    fn reset(&self) {
        self.lock().reset();
    }

    /// Whether a token is allowed next.
    fn allows(&self, py: Python<'_>, token: Id) -> PyResult<bool> {
        raise::guarded(py, || Ok(self.lock().mask().contains(token.token)))
    }

    /// Returns the allowed tokens, in ascending order.
    fn allowed(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        raise::guarded(py, || Ok(self.lock().mask().iter().collect()))
    }

    /// Returns the longest run of tokens in which each is the only one allowed.
    fn forced_tokens(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        raise::guarded(py, || {
            let mut run = Vec::new();
            self.lock().forced_tokens(&mut run);
            Ok(run)
        })
    }

    /// Returns the longest run of bytes that every continuation starts with.
    fn forced_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        raise::guarded(py, || {
            let mut run = Vec::new();
            self.lock().forced_bytes(&mut run);
            Ok(PyBytes::new(py, &run))
        })
    }

    /// Returns the tokens of a shortest text after which the sequence may end, without an end token.
    fn ending(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        raise::guarded(py, || {
            let mut tokens = Vec::new();
            let found = py.detach(|| self.lock().ending(&mut tokens));
            found.map_err(|error| raise::no_ending(py, error.to_string()))?;
            Ok(tokens)
        })
    }

    /// Whether the sequence may end here.
    #[getter]
    fn is_accepting(&self) -> bool {
        self.lock().is_accepting()
    }

    /// Whether the sequence may end here, and only an end token may follow.
    #[getter]
    fn must_end(&self, py: Python<'_>) -> PyResult<bool> {
        raise::guarded(py, || {
            let mut matcher = self.lock();
            if !matcher.is_accepting() {
                return Ok(false);
            }
            let ends = matcher.end_tokens().to_vec();
            Ok(matcher.mask().iter().all(|token| ends.contains(&token)))
        })
    }

    /// Whether the sequence has ended: an end token was accepted, or there are no end tokens and no token may follow.
    #[getter]
    fn is_finished(&self) -> bool {
        self.lock().is_finished()
    }

    /// Returns the number of tokens that can be rolled back.
    #[getter]
    fn rollback_depth(&self) -> usize {
        self.lock().rollback_depth()
    }

    /// Returns the length of the host's logit row.
    #[getter]
    fn logit_width(&self) -> u32 {
        self.lock().logit_width()
    }

    /// Returns the tokens that end the sequence, ascending.
    #[getter]
    fn end_tokens(&self) -> Vec<u32> {
        self.lock().end_tokens().to_vec()
    }

    /// Returns the position as bytes, for [`restore`](Self::restore) by any matcher of the same grammar.
    fn export<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock().export())
    }

    /// Restores a position that was exported under the same grammar. No token can be rolled back then.
    fn restore(&self, py: Python<'_>, position: &[u8]) -> PyResult<()> {
        raise::guarded(py, || {
            let restored = self.lock().import(position);
            restored.map_err(|error| PyValueError::new_err(error.to_string()))
        })
    }
}
