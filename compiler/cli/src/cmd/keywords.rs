//! `grammarc keywords`: lists how the compiler treats each keyword and format of JSON Schema.

use clap::Args;
use grammarc_compiler::frontend::json_schema::{SupportRow, support_table};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `keywords`.
#[derive(Debug, Args)]
pub(crate) struct KeywordsArgs {
    /// Only the keywords and formats whose names contain this text
    text: Option<String>,
}

/// One keyword or format of JSON Schema, as a row of the list.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) drafts: Option<(&'static str, &'static str)>,
    pub(crate) verdict: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) note: &'static str,
}

pub(crate) fn run(args: KeywordsArgs, output: &mut Output) -> Result<u8, Failure> {
    for SupportRow { name, drafts, verdict, note } in support_table() {
        if args.text.as_ref().is_none_or(|text| name.contains(text)) {
            let kind = if drafts.is_some() { "keyword" } else { "format" };
            output.answer(&Row { kind, name, drafts, verdict: verdict.to_string(), note })?;
        }
    }
    Ok(0)
}
