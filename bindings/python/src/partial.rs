//! Partial values: what changes in a JSON text's value while it comes.
//!
//! Python applies the changes to a value of its own, so that a long value does not cross for every part.

use std::sync::{Mutex, PoisonError};

use grammarc_json::partial::Change;
use grammarc_json::{PartialError, PartialJson};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::json::Json;
use crate::raise;

/// The value of a JSON text while it comes; none once the text has ended.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Partial {
    inner: Mutex<Option<PartialJson>>,
}

#[pymethods]
impl Partial {
    /// Of a text that is held to a schema or to none; `constrained` says that a grammar of the schema constrains it.
    #[new]
    fn new(json: &Json, constrained: bool) -> Self {
        let partial = match json.schema() {
            Some(schema) if constrained => PartialJson::constrained(schema),
            schema => PartialJson::new(schema),
        };
        Self { inner: Mutex::new(Some(partial)) }
    }

    /// The changes by a further part, as JSON.
    fn push(&self, py: Python<'_>, part: &str) -> PyResult<String> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let partial = inner.as_mut().ok_or_else(ended)?;
        let changes = partial.push(part).map_err(|error| refused(py, error))?;
        Ok(Value::Array(changes.iter().map(of_change).collect()).to_string())
    }

    /// Ends the text, and returns its value as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let value = inner.take().ok_or_else(ended)?.finish();
        value.map(|value| value.to_string()).map_err(|error| refused(py, error))
    }

    /// Whether the part at a JSON pointer is there and whole.
    fn is_complete(&self, pointer: &str) -> bool {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.as_ref().is_none_or(|partial| partial.is_complete(pointer))
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the text has ended; make another PartialJson")
}

fn refused(py: Python<'_>, error: PartialError) -> PyErr {
    raise::no_json(py, error.message, error.at)
}

/// A change as JSON, with its value as text, which Python parses.
fn of_change(change: &Change) -> Value {
    match change {
        Change::Added { pointer, value } => json!({"pointer": pointer, "value": value.to_string()}),
        Change::Grew { pointer, delta } => json!({"pointer": pointer, "delta": delta}),
        Change::Closed { pointer, violations } => {
            json!({"pointer": pointer, "violations": violations.as_ref().map(ToString::to_string)})
        }
    }
}
