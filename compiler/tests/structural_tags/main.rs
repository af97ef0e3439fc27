//! Structural tags: calls of tools in the styles of models, and members of objects as tags. Single formats are tested beside
//! the front end, whose head lists the other tests of tags.

mod calls;
mod cases;
mod errors;
mod loosened;
mod members;
mod page;
mod python;
mod refused;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::structural_tag::{self, StructuralTagOptions};
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::ir::recognize::recognizes;
use serde_json::Value;

/// The grammar of a tag, for texts with special tokens spelled.
fn lowered(tag: &Value) -> Result<Lowered, Vec<Diagnostic>> {
    let source = Source::new("tag", tag.to_string());
    let options = StructuralTagOptions::default();
    structural_tag::lower(source, &options, &ControlTokens::default(), &Budget::new())
}

/// Whether the tag accepts each of some texts; an error of the tag is the error.
fn verdicts(tag: &Value, texts: &[&str]) -> Result<Vec<bool>, String> {
    let lowered = lowered(tag).map_err(|errors| format!("{errors:#?}"))?;
    Ok(texts.iter().map(|text| recognizes(&lowered.grammar, text.as_bytes())).collect())
}
