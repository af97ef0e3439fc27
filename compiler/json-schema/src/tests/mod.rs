//! Tests of the whole front end: schema text in, accepted texts out.

mod advice;
mod any_order;
mod cases;
mod counts;
mod diagnostics;
mod dialects;
mod explain;
mod forms;
mod loosely;
mod page;
mod recognizer;
mod relation;
mod steps;
mod unevaluated;
mod witness;
use grammarc_grammar::budget::Budget;

use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;

use super::{JsonSchemaOptions, TextForm, lower};

/// Returns options for compact text.
fn short() -> JsonSchemaOptions {
    JsonSchemaOptions { text: TextForm::SHORT, ..JsonSchemaOptions::default() }
}

/// Lowers a schema to compact text.
fn compile(schema: &str) -> Result<Lowered, Vec<Diagnostic>> {
    lower(Source::new("<test>", schema), &short(), &Budget::new())
}

/// Returns whether a lowered schema accepts a text.
fn accepts(lowered: &Lowered, text: &str) -> bool {
    recognizer::accepts(&lowered.grammar, text.as_bytes())
}
