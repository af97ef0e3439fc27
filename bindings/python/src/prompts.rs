//! Prompts by name.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use grammarc_agents::prompts::{Prompt, PromptManager, Response, ResponseType};
use grammarc_generate::Grammar;
use grammarc_json::JsonSchema;
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::json::of_lines;
use crate::raise;

/// Prompts by their ids.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Prompts {
    inner: RwLock<PromptManager>,
}

impl Prompts {
    fn read(&self) -> RwLockReadGuard<'_, PromptManager> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, PromptManager> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Prompts {
    /// Loads prompts from a configuration in JSON. Without one there are no prompts. `terms` are template variables
    /// of all prompts, as JSON.
    #[new]
    fn new(py: Python<'_>, config: Option<&str>, terms: &str) -> PyResult<Self> {
        let loaded = config.map_or_else(|| Ok(PromptManager::new()), PromptManager::from_json);
        let mut inner = loaded.map_err(|error| raise::source(py, error.to_string()))?;
        inner.set_terms(object(terms));
        Ok(Self { inner: RwLock::new(inner) })
    }

    /// Adds a prompt: the kind of its response by name, its schema and its terms as JSON.
    fn add(
        &self,
        py: Python<'_>,
        id: String,
        template: String,
        kind: &str,
        schema: Option<&str>,
        terms: &str,
    ) -> PyResult<()> {
        let response = ResponseType::of_name(kind).ok_or_else(|| {
            let message =
                format!("Response type {kind:?} not known: there are text, json and jsonl");
            raise::source(py, message)
        })?;
        let schema = schema.map(str::parse::<JsonSchema>).transpose();
        let schema = schema.map_err(|error| {
            raise::source(py, format!("the schema of the prompt `{id}`: {error}"))
        })?;
        let prompt = Prompt { template, response, schema, terms: object(terms) };
        self.write().add(id, prompt).map_err(|error| raise::source(py, error.to_string()))
    }

    /// Sets the template of the system message.
    fn set_system(&self, py: Python<'_>, template: String) -> PyResult<()> {
        let set = self.write().set_system(template);
        set.map_err(|error| raise::source(py, error.to_string()))
    }

    /// Returns the ids, in the order of their addition.
    fn ids(&self) -> Vec<String> {
        self.read().ids().map(str::to_owned).collect()
    }

    /// Returns the kind of response, and its schema as text.
    fn wants(&self, py: Python<'_>, id: &str) -> PyResult<(&'static str, Option<String>)> {
        let inner = self.read();
        let (kind, schema) = inner.wants(id).map_err(|error| raise::prompt(py, error))?;
        Ok((kind.name(), schema.map(|schema| schema.value().to_string())))
    }

    /// Returns the GBNF grammar of lines of JSON, each of the prompt's schema.
    fn lines_grammar(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        let inner = self.read();
        let (_, schema) = inner.wants(id).map_err(|error| raise::prompt(py, error))?;
        Ok(Grammar::jsonl_gbnf(schema))
    }

    /// Renders the system message and the prompt with the terms of an input, which is JSON.
    fn render(&self, py: Python<'_>, id: &str, input: &str) -> PyResult<(String, String)> {
        let rendered = self.read().render(id, &object(input));
        let rendered = rendered.map_err(|error| raise::prompt(py, error))?;
        Ok((rendered.system, rendered.prompt))
    }

    /// Converts a response to the prompt's kind: a text, a value as JSON, or the items and the skipped lines of lines
    /// of JSON, as JSON.
    fn take(&self, py: Python<'_>, id: &str, text: &str, cut: bool) -> PyResult<String> {
        let taken = py.detach(|| {
            let inner = self.read();
            if cut { inner.take_cut(id, text) } else { inner.take(id, text) }
        });
        Ok(match taken.map_err(|error| raise::prompt(py, error))? {
            Response::Text(text) => text,
            Response::Json(value) => value.to_string(),
            Response::Jsonl(found) => of_lines(&found).to_string(),
        })
    }
}

/// Parses an object that Python has written.
fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}
