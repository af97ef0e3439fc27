//! JSON from models: repair, and lines of JSON.
//!
//! Values are passed as text, which Python parses, so numbers become Python's own. Places in texts are counted in
//! characters, as in Python.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use grammarc_json::repair::OpenStrings;
use grammarc_json::{
    Edit, JsonSchema, JsonValidator, Jsonl, JsonlOptions, RepairError, Repaired, jsonl, parse_jsonl,
};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::raise;

/// JSON with or without a schema. The validator and the grammars of the schema are made once.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Json {
    schema: Option<JsonSchema>,
}

#[pymethods]
impl Json {
    /// Reads the text of a schema, if one is given.
    #[new]
    #[pyo3(signature = (schema = None))]
    fn new(py: Python<'_>, schema: Option<&str>) -> PyResult<Self> {
        let schema = schema.map(str::parse::<JsonSchema>).transpose();
        let schema = schema.map_err(|error| raise::source(py, error.to_string()))?;
        Ok(Self { schema })
    }

    /// Repairs a text, and returns the outcome as JSON.
    fn repair(
        &self,
        py: Python<'_>,
        text: &str,
        strict: bool,
        cut: bool,
        drop_open_strings: bool,
        coerce: bool,
    ) -> PyResult<String> {
        let strings = if drop_open_strings { OpenStrings::Drop } else { OpenStrings::Keep };
        let schema = self.schema.clone();
        let validator = JsonValidator {
            schema,
            strict,
            repair: true,
            strings,
            cut,
            coerce,
            ..JsonValidator::default()
        };
        let repaired = py.detach(|| validator.repair_json(text));
        match repaired {
            Ok(repaired) => Ok(outcome(text, &repaired).to_string()),
            Err(error) => Err(refused(py, text, &error)),
        }
    }

    /// Returns the items of lines of JSON, and the other lines, as JSON.
    fn lines(&self, py: Python<'_>, text: &str, repair: bool, coerce: bool, cut: bool) -> String {
        let options = JsonlOptions { repair, coerce, cut, ..JsonlOptions::default() };
        let found = py.detach(|| parse_jsonl(text, self.schema.as_ref(), &options));
        of_lines(&found).to_string()
    }
}

impl Json {
    /// Returns the schema, if there is one.
    pub(crate) fn schema(&self) -> Option<JsonSchema> {
        self.schema.clone()
    }
}

/// An incremental parser of JSON Lines.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct JsonlStream {
    inner: Mutex<jsonl::JsonlStream>,
}

#[pymethods]
impl JsonlStream {
    #[new]
    fn new(json: &Json, repair: bool, coerce: bool) -> Self {
        let options = JsonlOptions { repair, coerce, ..JsonlOptions::default() };
        Self { inner: Mutex::new(jsonl::JsonlStream::new(json.schema.clone(), options)) }
    }

    /// Reads the next part, and returns the entries that end in it, as JSON.
    fn push(&self, part: &str) -> Vec<String> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        entries(inner.push(part))
    }

    /// Ends the text, and returns the last entries, as JSON. `cut` states that the text was truncated.
    fn finish(&self, cut: bool) -> Vec<String> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.set_cut(cut);
        entries(inner.finish())
    }

    #[getter]
    fn is_truncated(&self) -> bool {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).is_truncated()
    }
}

fn entries(found: Vec<Result<jsonl::Item, jsonl::Skipped>>) -> Vec<String> {
    let entries = found.iter().map(|found| found.as_ref().map_or_else(of_skipped, of_item));
    entries.map(|entry| entry.to_string()).collect()
}

/// Converts the items of lines of JSON, and the other lines, to JSON.
pub(crate) fn of_lines(found: &Jsonl) -> Value {
    let items: Vec<Value> = found.items.iter().map(of_item).collect();
    let skipped: Vec<Value> = found.skipped.iter().map(of_skipped).collect();
    json!({"items": items, "skipped": skipped, "truncated": found.truncated, "warning": found.warning})
}

/// Converts an item to JSON, with its value as text.
fn of_item(item: &jsonl::Item) -> Value {
    json!({"value": item.value.to_string(), "line": item.line})
}

/// Converts a skipped line to JSON: its number and the reason.
fn of_skipped(skipped: &jsonl::Skipped) -> Value {
    json!({"line": skipped.line, "reason": skipped.reason})
}

fn outcome(text: &str, repaired: &Repaired) -> Value {
    let mut at = Characters::new(text);
    let edit = |edit: &Edit| {
        json!({"at": at.of(&edit.at), "kind": edit.kind.name(), "grade": edit.grade.name(),
            "removed": edit.removed, "inserted": edit.inserted})
    };
    let edits: Vec<Value> = repaired.edits.iter().map(edit).collect();
    json!({"text": repaired.text, "edits": edits, "ambiguous": repaired.ambiguous, "truncated": repaired.truncated})
}

fn refused(py: Python<'_>, text: &str, error: &RepairError) -> PyErr {
    let candidates: Vec<String> = match error {
        RepairError::Ambiguous { candidates } => {
            candidates.iter().map(|one| outcome(text, one).to_string()).collect()
        }
        RepairError::Uncertain { repaired } => vec![outcome(text, repaired).to_string()],
        _ => Vec::new(),
    };
    raise::not_repaired(py, error.to_string(), candidates)
}

/// Converts places of a text to characters, from left to right in linear time.
struct Characters<'t> {
    text: &'t str,
    byte: usize,
    character: usize,
}

impl<'t> Characters<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, byte: 0, character: 0 }
    }

    fn of(&mut self, range: &Range<usize>) -> [usize; 2] {
        [self.at(range.start), self.at(range.end)]
    }

    fn at(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.character) = (0, 0);
        }
        self.character += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.character
    }
}
