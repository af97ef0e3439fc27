//! Partial values: the changes in a JSON text's value while it is generated.
//!
//! Python applies the changes to a value of its own, so that a long value is not converted for every part.

use std::sync::{Mutex, PoisonError};

use grammarc_json::partial::Change;
use grammarc_json::{PartialError, PartialJson};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::json::Json;
use crate::raise;

/// The value of an incomplete JSON text. `None` inside once the text has ended.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Partial {
    inner: Mutex<Option<PartialJson>>,
}

#[pymethods]
impl Partial {
    /// Makes the value of an empty text. `constrained` states that a grammar of the schema constrains the text.
    #[new]
    fn new(json: &Json, constrained: bool) -> Self {
        let partial = match json.schema() {
            Some(schema) if constrained => PartialJson::constrained(schema),
            schema => PartialJson::new(schema),
        };
        Self { inner: Mutex::new(Some(partial)) }
    }

    /// Reads the next part, and returns the changes as JSON.
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

    /// Whether the part at a JSON pointer exists and is complete.
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

/// Converts a change to JSON, with its value as text, which Python parses.
fn of_change(change: &Change) -> Value {
    match change {
        Change::Added { pointer, value } => json!({"pointer": pointer, "value": value.to_string()}),
        Change::Grew { pointer, delta } => json!({"pointer": pointer, "delta": delta}),
        Change::Closed { pointer, violations } => {
            json!({"pointer": pointer, "violations": violations.as_ref().map(ToString::to_string)})
        }
    }
}
