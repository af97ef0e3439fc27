//! Fuzz targets: one function for each kind of external input. It takes bytes, uses them as a host would, and panics
//! if a guarantee is violated. Any other outcome is allowed.
//!
//! | target | the bytes are | guarantees |
//! | --- | --- | --- |
//! | [`sources`] | a language, options and a source | no panic, time and memory within the budget, an artifact that opens, a mask that can continue at each step |
//! | [`tokenizers`] | a tokenizer file | no panic, a vocabulary with the documented properties |
//! | [`artifacts`] | changes to an artifact, with a correct checksum | no panic, in opening and in use |
//! | [`tokens`] | a sequence of calls of a matcher | the same masks as a matcher that took only the accepted tokens |
//! | [`outputs`] | the output of a model | repairs are JSON, follow from their edits and are not repaired again; parts give the same as the whole; the strict parser's values |
//! | [`verdicts`] | a schema and an instance | the verdict of the `jsonschema` crate |
//!
//! libFuzzer runs them (`libfuzzer/`, a separate package, because it is built with its own flags), on the stable
//! toolchain. Coverage needs no nightly, and only two files have `unsafe`, with tests of their own. The test
//! `tests/fixed.rs` runs them on the corpus and on mutations of it with fixed seeds. Inputs of past failures are in
//! the corpus, named after the failure.

pub mod artifacts;
pub mod outputs;
pub mod sources;
pub mod tokenizers;
pub mod tokens;
pub mod verdicts;

mod input;

/// A target: the name of the target and of its corpus, and the function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 6] = [
    ("sources", sources::run),
    ("tokenizers", tokenizers::run),
    ("artifacts", artifacts::run),
    ("tokens", tokens::run),
    ("outputs", outputs::run),
    ("verdicts", verdicts::run),
];
