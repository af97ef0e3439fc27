//! Readers of outputs: reasoning, text, and calls of tools with their arguments as JSON.

use std::sync::{Mutex, MutexGuard, PoisonError};

use grammarc_calls::{Calls as Inner, Part};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::Value;

use crate::grammar::Grammar;
use crate::raise;
use crate::tokens::{Id, Text};

/// A part of an output, or the continuation of the part before it.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct CallPart {
    /// `"text"`, `"reasoning"`, `"call"` or `"arguments"`.
    #[pyo3(get)]
    kind: &'static str,
    /// Index of the call, from 0. `None` outside calls.
    #[pyo3(get)]
    index: Option<u32>,
    /// Name of the called tool. `None` outside calls.
    #[pyo3(get)]
    name: Option<String>,
    /// The text to append. For arguments it is JSON. Empty for the start of a call.
    #[pyo3(get)]
    text: String,
}

#[pymethods]
impl CallPart {
    fn __repr__(&self) -> String {
        let Self { kind, index, name, text } = self;
        match (index, name) {
            (Some(index), Some(name)) => {
                format!("<grammarc.CallPart {kind}, call {index} of {name:?}, {text:?}>")
            }
            _ => format!("<grammarc.CallPart {kind}, {text:?}>"),
        }
    }
}

/// Reads one output of a grammar as reasoning, text and calls of tools, with arguments as JSON. Concurrent calls wait for
/// each other.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Calls {
    inner: Mutex<Inner>,
}

impl Calls {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work that returns parts, and adds the names of their calls.
    fn named(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> Vec<Part>,
    ) -> PyResult<Vec<CallPart>> {
        raise::guarded(py, || {
            let mut calls = self.lock();
            let parts = work(&mut calls);
            Ok(parts.into_iter().map(|part| named(&calls, part)).collect())
        })
    }
}

#[pymethods]
impl Calls {
    /// Makes a reader of an output of `grammar`. `style` and `tools` are those of the request: a style of tool calls, and
    /// objects as in OpenAI's protocol. Raises `ValueError` for an unknown style.
    #[new]
    #[pyo3(signature = (grammar, style = None, tools = None))]
    fn new(
        py: Python<'_>,
        grammar: &Bound<'_, Grammar>,
        style: Option<&str>,
        tools: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        raise::guarded(py, || {
            let tools = tools.map(|tools| values(py, tools)).transpose()?.unwrap_or_default();
            let inner = Inner::of_style(grammar.get().inner(), style, &tools);
            let inner = inner.map_err(|error| PyValueError::new_err(error.to_string()))?;
            Ok(Self { inner: Mutex::new(inner) })
        })
    }

    /// Reads a token and returns the parts that no further token can change.
    fn push(&self, py: Python<'_>, token: Id) -> PyResult<Vec<CallPart>> {
        self.named(py, |calls| calls.push(token.token))
    }

    /// Reads text in which special tokens are spelled, and returns the parts that no further text can change. The text may
    /// be cut anywhere.
    fn push_text(&self, py: Python<'_>, text: Text) -> PyResult<Vec<CallPart>> {
        self.named(py, |calls| calls.push_text(text.bytes()))
    }

    /// Ends the output, and returns the last parts. If it ends within a call, the arguments of this call are incomplete.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<CallPart>> {
        self.named(py, Inner::finish)
    }

    /// Ends an output that was cut off. Returns the last parts without text that may begin a tag, and the index of the
    /// incomplete call, or None.
    fn cut(&self, py: Python<'_>) -> PyResult<(Vec<CallPart>, Option<u32>)> {
        let mut incomplete = None;
        let parts = self.named(py, |calls| {
            let (parts, call) = calls.cut();
            incomplete = call;
            parts
        })?;
        Ok((parts, incomplete))
    }

    /// Returns the offset in bytes from which on the output is not of the grammar, and all is text. None while it is.
    #[getter]
    fn left(&self) -> Option<usize> {
        self.lock().left()
    }

    /// Returns the names of the tools that were called so far.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.lock().names().map(str::to_owned).collect()
    }
}

/// Returns the names of all styles of tool calls, without aliases.
#[pyfunction]
pub(crate) fn tool_styles() -> Vec<&'static str> {
    grammarc_compiler::frontend::structural_tag::styles().collect()
}

fn named(calls: &Inner, part: Part) -> CallPart {
    let name = |index: u32| calls.name(index).map(str::to_owned);
    let (kind, index, text) = match part {
        Part::Text(text) => ("text", None, text),
        Part::Reasoning(text) => ("reasoning", None, text),
        Part::Call { index, .. } => ("call", Some(index), String::new()),
        Part::Arguments { index, delta } => ("arguments", Some(index), delta),
    };
    CallPart { kind, index, name: index.and_then(name), text }
}

/// Returns the items of an iterable of JSON values.
fn values(py: Python<'_>, items: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    let list = PyList::empty(py);
    for item in items.try_iter()? {
        list.append(item?)?;
    }
    let text: String = py.import("json")?.call_method1("dumps", (list,))?.extract()?;
    serde_json::from_str(&text).map_err(|error| PyValueError::new_err(format!("tools: {error}")))
}
