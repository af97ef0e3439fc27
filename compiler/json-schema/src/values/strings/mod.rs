//! Sets of JSON strings under exact Boolean operations.
//!
//! A string is a sequence of Unicode scalar values, and its length is their number. A set is divided into bands: ranges
//! of lengths, each with the language of the set in that range. Lengths stay numbers as long as possible, because an
//! automaton that counts to 65,535 has as many states. Only the [text form](text) counts, in registers if possible.
//!
//! ```text
//! enum: ["a", "bb"]           (any length: {a, bb})
//! pattern and maxLength: 9    (0 to 9: pattern)
//! not minLength: 5, or "x"    (0 to 4: all)
//! not (pattern, maxLength 9)  (0 to 9: all but the pattern), (10 and more: all)
//! ```
//!
//! Operations work band by band, so the numbers of bands add and never multiply. Bands are sorted and do not overlap.
//! Neighbouring bands with one language are merged. A bound that excludes no string of the language is widened as far
//! as the neighbouring bands allow. So equal values are equal sets. Equal sets nearly always have equal values, unless
//! two languages differ only outside their bands. The exact test for equality is [`StringSet::is_subset`].
//!
//! Tests: `tests.rs`; unit tests in `escaped`; `tests/tests/schemas/patterns.rs`.

pub(crate) mod escaped;

mod band;
mod canonical;
mod characters;
mod language;
mod lengths;
mod literals;
mod members;
mod printed;
mod product;
mod raw;
mod set;
mod text;
mod texts;

#[cfg(test)]
mod tests;

pub(crate) use set::StringSet;
pub(crate) use text::{Alphabet, Place, StringRules, character, one_character, tail};
