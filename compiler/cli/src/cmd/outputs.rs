//! What models wrote: its text, and the schema that it is held to. For `repair` and `jsonl`.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use grammarc_json::JsonSchema;

use crate::failure::{Failure, Problem};

/// The text of a file; `-` is standard input.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = match &*name {
        "-" => io::stdin().read_to_end(&mut bytes).map(drop),
        _ => fs::read(path).map(|read| bytes = read),
    };
    read.map_err(|source| Problem::Read { name: name.clone(), source })?;
    String::from_utf8(bytes)
        .map_err(|error| Problem::NotText { name, offset: error.utf8_error().valid_up_to() }.into())
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
