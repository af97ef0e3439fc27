//! Reads the files that `repair` and `jsonl` work on: an output of a model, and the schema for it.

use std::path::Path;

use grammarc_compiler::diagnostics::encoding::NotText;
use grammarc_json::JsonSchema;

use crate::failure::{Failure, Problem};
use crate::input::read_input;

/// Reads the text of a file, or of standard input if the path is `-`. Fails if the bytes are not
/// UTF-8.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    let (name, bytes) = read_input(path)?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Failure::Found(Problem::NotText { name, source: NotText::Other { offset } })
    })
}

/// Reads the JSON Schema of a file. `None` without a path. Fails if the file has no valid schema.
pub(super) fn schema(path: Option<&Path>) -> Result<Option<JsonSchema>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let option = "--schema";
    let schema = text(path)?.parse().map_err(|error: grammarc_json::SchemaError| {
        Failure::Found(Problem::Option { option, problem: error.to_string() })
    })?;
    Ok(Some(schema))
}
