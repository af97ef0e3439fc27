//! `grammarc repair`: repairs a text that is nearly JSON, and shows the edits.

use std::path::PathBuf;

use clap::Args;
use grammarc_json::repair::{Edit, RepairOptions, repair};
use serde::Serialize;

use super::outputs;
use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `repair`.
#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// The text to repair; `-` is standard input
    file: PathBuf,
    /// A JSON Schema that the value has to satisfy; it also chooses between readings
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// The text is known to be truncated, so a number at its end is incomplete
    #[arg(long)]
    cut: bool,
    /// Convert scalars of another type to the type that the schema requires, and `NaN` to null;
    /// these are edits, too
    #[arg(long)]
    coerce: bool,
}

/// The result of a repair.
#[derive(Debug, Serialize)]
pub(crate) struct Repair {
    /// The JSON text, repaired if needed. `None` if the text was not repaired.
    pub(crate) text: Option<String>,
    /// `valid`, `repaired`, `ambiguous` or `refused`.
    pub(crate) status: &'static str,
    pub(crate) edits: Vec<EditValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// An edit of the text, in the form in which it is written.
#[derive(Debug, Serialize)]
pub(crate) struct EditValue {
    /// Start (inclusive) and end (exclusive) of the edited range, in bytes of the original text.
    pub(crate) at: [usize; 2],
    pub(crate) kind: &'static str,
    pub(crate) removed: String,
    pub(crate) inserted: String,
    pub(crate) grade: &'static str,
}

impl From<Edit> for EditValue {
    fn from(edit: Edit) -> Self {
        let Edit { at, kind, removed, inserted, grade } = edit;
        Self { at: [at.start, at.end], kind: kind.name(), removed, inserted, grade: grade.name() }
    }
}

/// Repairs a text. Returns exit code 0 if the text is JSON or has one best repair. Returns 1 if it
/// has none, or several equally good ones.
pub(crate) fn run(args: RepairArgs, output: &mut Output) -> Result<u8, Failure> {
    let schema = outputs::schema(args.schema.as_deref())?;
    let source = outputs::text(&args.file)?;
    let RepairArgs { cut, coerce, .. } = args;
    let options = RepairOptions { cut, coerce, ..RepairOptions::default() };
    let (answer, code) = match repair(&source, schema.as_ref(), &options) {
        Ok(repaired) => {
            let status = match (repaired.edits.is_empty(), repaired.ambiguous) {
                (true, _) => "valid",
                (false, false) => "repaired",
                (false, true) => "ambiguous",
            };
            let edits = repaired.edits.into_iter().map(EditValue::from).collect();
            let text = Some(repaired.text);
            (Repair { text, status, edits, reason: None }, u8::from(repaired.ambiguous))
        }
        Err(error) => {
            let reason = Some(error.to_string());
            (Repair { text: None, status: "refused", edits: Vec::new(), reason }, 1)
        }
    };
    output.answer(&answer)?;
    Ok(code)
}
