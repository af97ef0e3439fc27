//! Patterns: regular expressions of ECMA-262 and of Rust's `regex` as grammars.
//!
//! Tests: unit tests beside each file.

pub mod class;
pub mod dialects;
pub mod ecma;
pub mod regex;
pub mod utf8;
