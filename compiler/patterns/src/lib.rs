//! Patterns: lowers regular expressions of ECMA-262 and of Rust's `regex` crate to grammars and
//! automata.
//!
//! Tests: unit tests beside each file.

pub mod class;
pub mod dialects;
pub mod ecma;
pub mod regex;
pub mod utf8;
