//! Prompts by name.

use std::collections::BTreeMap;

use grammarc_generate::prompts::{PromptManager, Response};
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::raise;

/// Prompts of a configuration.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Prompts {
    inner: PromptManager,
}

#[pymethods]
impl Prompts {
    /// A configuration of texts, with terms of all prompts as JSON.
    #[new]
    fn new(py: Python<'_>, config: BTreeMap<String, String>, terms: &str) -> PyResult<Self> {
        let loaded = PromptManager::load(&config);
        let mut inner = loaded.map_err(|error| raise::source(py, error.to_string()))?;
        inner.set_terms(object(terms));
        Ok(Self { inner })
    }

    /// The ids, in the order of the index.
    fn ids(&self) -> Vec<String> {
        self.inner.ids().map(str::to_owned).collect()
    }

    /// The kind of response, and its schema as text.
    fn wants(&self, py: Python<'_>, id: &str) -> PyResult<(&'static str, Option<String>)> {
        let (kind, schema) = self.inner.wants(id).map_err(|error| raise::prompt(py, error))?;
        Ok((kind.name(), schema.map(|schema| schema.value().to_string())))
    }

    /// The system message and the prompt, with the terms of an input, which is JSON, in place.
    fn render(&self, py: Python<'_>, id: &str, input: &str) -> PyResult<(String, String)> {
        let rendered = self.inner.render(id, &object(input));
        let rendered = rendered.map_err(|error| raise::prompt(py, error))?;
        Ok((rendered.system, rendered.prompt))
    }

    /// A response as the prompt wants it: a text, or JSON as text.
    fn take(&self, py: Python<'_>, id: &str, text: &str) -> PyResult<String> {
        let taken = py.detach(|| self.inner.take(id, text));
        Ok(match taken.map_err(|error| raise::prompt(py, error))? {
            Response::Text(text) => text,
            Response::Json(value) => value.to_string(),
            Response::Jsonl(items) => Value::Array(items).to_string(),
        })
    }
}

/// The members of an object that Python has written.
fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}
