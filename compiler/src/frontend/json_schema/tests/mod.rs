//! Tests of the whole front end: schema text in, accepted texts out.

mod advice;
mod any_order;
mod cases;
mod counts;
mod diagnostics;
mod page;
mod recognizer;
use crate::budget::Budget;

use crate::diagnostics::{Diagnostic, Source};
use crate::ir::Lowered;

use super::{JsonSchemaOptions, lower};

/// Lowers a schema with default options.
fn compile(schema: &str) -> Result<Lowered, Vec<Diagnostic>> {
    lower(Source::new("<test>", schema), &JsonSchemaOptions::default(), &Budget::new())
}

/// Whether a lowered schema accepts a text.
fn accepts(lowered: &Lowered, text: &str) -> bool {
    recognizer::accepts(&lowered.grammar, text.as_bytes())
}
