//! Assembles artifacts from the results of compilations. No other module knows their layout.
//!
//! Tests: `tests/tests/suite/{masks,digests,determinism}.rs`.

mod grammar;
mod packed_string_sets;
mod regions;
mod vocabulary;

pub(crate) use grammar::{Parts, early_data, grammar_data};
pub(crate) use vocabulary::vocabulary_data;

/// Returns the name and version of this program, which artifacts record.
pub(crate) fn program() -> String {
    format!("grammarc {}", env!("CARGO_PKG_VERSION"))
}
