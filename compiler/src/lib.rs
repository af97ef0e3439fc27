//! Compiles JSON Schema, GBNF and regular expressions into token-mask artifacts.
//!
//! This crate is the entry point: it has the pipeline from a grammar to an artifact, and re-exports the crates that
//! it is built on.
//!
//! | module | what it has | crate |
//! | --- | --- | --- |
//! | [`frontend`] | the languages, each with its options | `grammarc-languages` |
//! | [`ir`], [`automata`], [`diagnostics`], [`budget`] | the grammar IR, and shared utilities | `grammarc-grammar` |
//! | [`vocabulary`] | vocabularies of tokenizers | `grammarc-vocabulary` |
//! | [`network`], [`masks`] | one automaton a rule, and the masks of its states | |
//! | `places` | for each state, the parts of the source that say what may come next | |
//! | [`compile`], [`from_source`], [`cache`] | from a grammar or a source to an artifact, and a cache of artifacts | |
//!
//! Tests: `tests/` here for the languages; `tests/tests/` of the workspace for artifacts and masks.

pub mod cache;
pub mod compile;
mod costly;
pub mod early_ends;
mod emit;
pub mod from_source;
pub mod masks;
pub mod network;
mod places;
#[cfg(test)]
mod samples;

pub use grammarc_grammar::{automata, budget, controls, diagnostics, ir};
pub use grammarc_languages as frontend;
pub use grammarc_vocabulary as vocabulary;

use grammarc_grammar::{graph, interner, threads};
