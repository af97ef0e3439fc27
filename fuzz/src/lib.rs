//! One function for each kind of input that comes from outside. It takes bytes, does with them what a host would, and panics
//! where a promise is broken; anything else that an input can do is allowed.
//!
//! | target | the bytes are | promises |
//! | --- | --- | --- |
//! | [`sources`] | a language, options and a source | no panic, time and memory within the budget, an artifact that opens, a mask at each step that leads on |
//! | [`tokenizers`] | a tokenizer file | no panic, a vocabulary that holds what its documentation says |
//! | [`artifacts`] | changes to an artifact, behind a right checksum | no panic, in opening and in use |
//! | [`tokens`] | a sequence of calls of a matcher | the same masks as a matcher that took the accepted tokens alone |
//! | [`outputs`] | what a model wrote | repairs are JSON, made by their edits and repaired no more; parts give what the whole gives; the strict parser's values |
//! | [`verdicts`] | a schema and an instance | the verdict of the `jsonschema` crate |
//!
//! libFuzzer runs them (`libfuzzer/`, a package of its own, since it is built with flags of its own), on the stable toolchain:
//! coverage needs no nightly, and there is `unsafe` in two files alone, which have tests of their own. The test
//! `tests/fixed.rs` runs them on the corpus and on changes of it with fixed seeds. An input that once broke something is in
//! the corpus under a name that says what it broke.

pub mod artifacts;
pub mod outputs;
pub mod sources;
pub mod tokenizers;
pub mod tokens;
pub mod verdicts;

mod input;

/// A target: its name, which is that of its corpus, and the function.
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
