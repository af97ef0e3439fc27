//! Questions about schemas.

use std::sync::Arc;

use grammarc_bindings::schemas::answer;
use pyo3::prelude::*;

use crate::compiler::CancelToken;
use crate::raise;

/// Answers a question about schemas; request and answer are JSON. See the module `grammarc.schemas`.
#[pyfunction]
#[pyo3(signature = (question, request, cancel = None))]
pub(crate) fn ask_about_schemas(
    py: Python<'_>,
    question: &str,
    request: &str,
    cancel: Option<Bound<'_, CancelToken>>,
) -> PyResult<String> {
    let flag = cancel.map(|token| Arc::clone(&token.get().0));
    raise::guarded(py, || {
        let found = py.detach(|| answer(question, request, flag));
        found.map(|answer| answer.to_string()).map_err(|error| raise::failure(py, &error))
    })
}
