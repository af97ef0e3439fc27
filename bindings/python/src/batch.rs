//! Many matchers in one call, without the global lock.
//!
//! Matchers are locked in the order of their addresses, so two batches with the same matchers cannot deadlock. A
//! matcher that is listed twice is refused first. All locks are released before the global lock is acquired again.

use std::sync::MutexGuard;

use grammarc_bindings::batch;
use grammarc_runtime::batch::{RowOf, Unlisted};
use grammarc_runtime::error::BatchError;
use grammarc_runtime::{Bf16, F16, Logit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{self, Element, Plane, Row};
use crate::matcher::Matcher;
use crate::raise;

/// Writes the masks of matchers to rows: to the first rows in order, or to the listed rows. Other rows do not change.
/// With several threads the work is shared among them.
#[pyfunction]
#[pyo3(signature = (matchers, mask, rows = None, *, threads = 1))]
pub(crate) fn fill_batch(
    py: Python<'_>,
    matchers: Vec<Bound<'_, Matcher>>,
    mask: &Bound<'_, PyAny>,
    rows: Option<Vec<Row>>,
    threads: usize,
) -> PyResult<()> {
    let plane = arrays::words_of(mask)?;
    let listed = Batch::new(&matchers, rows)?;
    raise::guarded(py, || {
        let filled = py.detach(|| {
            let mut plane = plane;
            let columns = plane.columns;
            listed.with(|list| {
                let words = plane.words();
                batch::fill(threads, list, words, columns, Unlisted::Keep)
            })
        });
        filled.map_err(raise::batch)
    })
}

/// Applies the masks of matchers to rows of logits, in place: to the first rows in order, or to the listed rows.
#[pyfunction]
#[pyo3(signature = (matchers, logits, rows = None, *, threads = 1))]
pub(crate) fn apply_batch(
    py: Python<'_>,
    matchers: Vec<Bound<'_, Matcher>>,
    logits: &Bound<'_, PyAny>,
    rows: Option<Vec<Row>>,
    threads: usize,
) -> PyResult<()> {
    let plane = arrays::logits_of(logits)?;
    let listed = Batch::new(&matchers, rows)?;
    raise::guarded(py, || {
        let applied = py.detach(|| match plane.element {
            Element::F32 => listed.apply::<f32>(plane, threads),
            Element::F16 => listed.apply::<F16>(plane, threads),
            _ => listed.apply::<Bf16>(plane, threads),
        });
        applied.map_err(raise::batch)
    })
}

/// Matchers with their rows, in the order of rows, and the order of locking.
struct Batch<'b> {
    rows: Vec<(usize, &'b Matcher)>,
    /// Indices into `rows` by address.
    locking: Vec<usize>,
}

impl<'b> Batch<'b> {
    fn new(matchers: &'b [Bound<'_, Matcher>], rows: Option<Vec<Row>>) -> PyResult<Self> {
        let rows = rows.unwrap_or_else(|| (0..matchers.len()).map(Row).collect());
        if rows.len() != matchers.len() {
            let text = format!("{} rows are listed for {} matchers", rows.len(), matchers.len());
            return Err(PyValueError::new_err(text));
        }
        let mut rows: Vec<(usize, &Matcher)> = rows
            .into_iter()
            .map(|Row(row)| row)
            .zip(matchers.iter().map(|one| one.get()))
            .collect();
        rows.sort_by_key(|&(row, _)| row);
        if let Some(twice) = rows.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let text = format!("row {} is listed twice", twice[0].0);
            return Err(PyValueError::new_err(text));
        }
        let address = |at: usize| std::ptr::from_ref(rows[at].1) as usize;
        let mut locking: Vec<usize> = (0..rows.len()).collect();
        locking.sort_by_key(|&at| address(at));
        if locking.windows(2).any(|pair| address(pair[0]) == address(pair[1])) {
            return Err(PyValueError::new_err("a matcher is listed twice"));
        }
        Ok(Self { rows, locking })
    }

    /// Runs work with all matchers locked.
    fn with<R>(&self, work: impl FnOnce(&mut [RowOf<'_>]) -> R) -> R {
        let mut guards: Vec<Option<MutexGuard<'_, grammarc_runtime::Matcher>>> =
            self.rows.iter().map(|_| None).collect();
        for &at in &self.locking {
            guards[at] = Some(self.rows[at].1.lock());
        }
        let guards = guards.iter_mut().flatten();
        let mut list: Vec<RowOf<'_>> =
            self.rows.iter().zip(guards).map(|(&(row, _), guard)| (row, &mut **guard)).collect();
        work(&mut list)
    }

    fn apply<L: Logit + Copy>(&self, mut plane: Plane, threads: usize) -> Result<(), BatchError> {
        let columns = plane.columns;
        self.with(|list| {
            let logits = plane.elements::<L>();
            batch::apply(threads, list, logits, columns)
        })
    }
}
