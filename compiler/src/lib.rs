//! Compiles JSON Schema, GBNF and regular expressions into token-mask artifacts.

pub mod automata;
pub mod diagnostics;
pub mod frontend;
pub mod ir;
