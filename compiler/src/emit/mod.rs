//! The one room that knows how results become artifacts.
//!
//! Tests: `tests/tests/suite/{masks,digests,determinism}.rs`.

mod grammar;
mod packed_string_sets;
mod regions;
mod vocabulary;

pub(crate) use grammar::{Parts, early_data, grammar_data};
pub(crate) use vocabulary::vocabulary_data;

/// Name and version of this program, as artifacts record it.
pub(crate) fn program() -> String {
    format!("grammarc {}", env!("CARGO_PKG_VERSION"))
}
