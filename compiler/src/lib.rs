//! Compiles JSON Schema, GBNF and regular expressions into token-mask artifacts.

pub mod automata;
pub mod budget;
pub mod cache;
pub mod compile;
pub mod controls;
mod costly;
pub mod diagnostics;
mod distinct;
pub mod early_ends;
mod emit;
pub mod from_source;
pub mod frontend;
mod graph;
pub mod ir;
pub mod masks;
pub mod network;
#[cfg(test)]
mod samples;
mod sequences;
#[cfg(test)]
mod testing;
mod threads;
pub mod vocabulary;
