//! Compiles JSON Schema, GBNF and regular expressions into token-mask artifacts.

pub mod automata;
pub mod diagnostics;
mod graph;
pub mod ir;
pub mod masks;
pub mod network;
