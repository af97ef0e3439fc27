//! The manifest: a list of sources, each with its vocabularies and options.
//!
//! [`raw`] is the file as it is written, and [`model`] is what the build uses. [`read`] converts
//! the first to the second. Every error has its position in the file and names the key.
//!
//! Tests: `tests.rs`; `tests/build/` of this crate.

mod fault;
mod model;
mod options;
mod raw;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use fault::{causes, wrong};
pub(crate) use model::{Group, Limits, Manifest, VocabularyFrom, VocabularySpec};
pub(crate) use read::read;
