//! Tests the TypeScript front end: cases by hand, errors with their places, and random types.

mod cases;
mod oracle;
mod random;
mod refused;

use serde_json::Value;

use super::{TypeScriptOptions, lower};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_grammar::ir::recognize::recognizes;

fn try_lower(text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    lower(Source::new("test.ts", text), &TypeScriptOptions::default(), &Budget::new())
}

fn lowered(text: &str) -> Lowered {
    try_lower(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"))
}

/// Whether the grammar accepts the JSON text of a value, without whitespace.
fn accepts(lowered: &Lowered, value: &Value) -> bool {
    recognizes(&lowered.grammar, value.to_string().as_bytes())
}
