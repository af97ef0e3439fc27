//! Outputs of models and the schemas that they are held to, read for `repair` and `jsonl`.

use std::path::Path;

use grammarc_compiler::diagnostics::encoding::NotText;
use grammarc_json::JsonSchema;

use crate::failure::{Failure, Problem};
use crate::input::read_input;

/// The text of a file; `-` is standard input.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    let (name, bytes) = read_input(path)?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Failure::Found(Problem::NotText { name, source: NotText::Other { offset } })
    })
}

/// The schema of a file, if there is one.
pub(super) fn schema(path: Option<&Path>) -> Result<Option<JsonSchema>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let option = "--schema";
    let schema = text(path)?.parse().map_err(|error: grammarc_json::SchemaError| {
        Failure::Found(Problem::Option { option, problem: error.to_string() })
    })?;
    Ok(Some(schema))
}
