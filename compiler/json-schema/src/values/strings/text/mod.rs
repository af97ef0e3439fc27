//! The text form of a set of strings: the part of a document after the opening quote, up to and including the closing
//! quote.
//!
//! A language becomes a graph over its states between characters, whose edges are labelled with classes of characters
//! (`characters`, `spell`, `graph`). In the universal state (which accepts every text) it calls a shared rule. So a set
//! that excludes a thousand names is as large as the names. The token masks of the rule are computed once for a
//! vocabulary.
//!
//! Bounds on the length that exclude some strings are counted by repetitions, or by a small product with the count if
//! the shape requires it (`counted`). Otherwise a counter checks them (`bounded`). A pattern with large repetition
//! counts keeps these as counters, besides the counter of the length (`counted_pattern`).
//!
//! Tests: `tests.rs`; `tests/tests/suite/{bounds,counters}.rs` for what is counted.

mod all_but;
mod alphabets;
mod bounded;
mod counted;
mod counted_pattern;
mod graph;
mod rules;
mod spell;
mod tail;
#[cfg(test)]
mod tests;

pub(crate) use alphabets::Alphabet;
pub(crate) use rules::{Place, StringRules};
pub(crate) use spell::{character, one_character};
pub(crate) use tail::tail;
