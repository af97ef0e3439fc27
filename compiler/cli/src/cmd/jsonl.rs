//! `grammarc jsonl`: reads a text with one JSON value on each line, and reports the invalid lines.

use std::path::PathBuf;

use clap::Args;
use grammarc_json::{JsonlOptions, parse_jsonl};
use serde::Serialize;
use serde_json::Value;

use super::outputs;
use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `jsonl`.
#[derive(Debug, Args)]
pub(crate) struct JsonlArgs {
    /// The text of JSON lines; `-` is standard input
    file: PathBuf,
    /// A JSON Schema that each item has to satisfy
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Repair lines that do not parse, if the repair is certain
    #[arg(long)]
    repair: bool,
    /// Convert scalars of another type to the type that the schema requires
    #[arg(long)]
    coerce: bool,
}

/// The result of reading a text of JSON lines: the items and the skipped lines.
#[derive(Debug, Serialize)]
pub(crate) struct Items {
    pub(crate) items: Vec<Value>,
    pub(crate) skipped: Vec<SkippedValue>,
    pub(crate) truncated: bool,
}

/// A line that was skipped because it has no valid item.
#[derive(Debug, Serialize)]
pub(crate) struct SkippedValue {
    pub(crate) line: usize,
    pub(crate) at: [usize; 2],
    pub(crate) reason: String,
}

/// Reads the JSON lines of a text. Returns exit code 0 if all lines are items. Returns 1 if a line
/// was skipped or there are no items.
pub(crate) fn run(args: JsonlArgs, output: &mut Output) -> Result<u8, Failure> {
    let schema = outputs::schema(args.schema.as_deref())?;
    let text = outputs::text(&args.file)?;
    let options =
        JsonlOptions { repair: args.repair, coerce: args.coerce, ..JsonlOptions::default() };
    let found = parse_jsonl(&text, schema.as_ref(), &options);
    let code = u8::from(!found.skipped.is_empty() || found.items.is_empty());
    let skipped = found.skipped.into_iter().map(|skipped| SkippedValue {
        line: skipped.line,
        at: [skipped.range.start, skipped.range.end],
        reason: skipped.reason,
    });
    let items = found.items.into_iter().map(|item| item.value).collect();
    output.answer(&Items { items, skipped: skipped.collect(), truncated: found.truncated })?;
    Ok(code)
}
