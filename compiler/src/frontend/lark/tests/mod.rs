//! Languages of small grammars, one source per diagnostic, and the cases of peers.

mod lexing;
mod peers;

use crate::budget::Budget;
use crate::diagnostics::{Diagnostic, Source};
use crate::ir::Lowered;

use super::*;

fn try_lower(text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    lower(Source::new("test.lark", text), &LarkOptions::default(), &Budget::new())
}
