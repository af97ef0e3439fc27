//! Compiles JSON Schema, GBNF and regular expressions into token-mask artifacts.

pub mod automata;
pub mod budget;
pub mod cache;
pub mod compile;
pub mod controls;
mod costly;
pub mod diagnostics;
pub mod early_ends;
mod emit;
pub mod from_source;
pub mod frontend;
mod graph;
mod insertion_set;
mod interner;
pub mod ir;
pub mod masks;
pub mod network;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod testing;
mod threads;
pub mod vocabulary;
