//! The manifest: which sources are compiled for which vocabularies, and how.
//!
//! [`raw`] is the file as it is written, [`model`] what the build uses of it, and [`read`] turns one into the other. Every
//! error has the place in the file and names the key.
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
