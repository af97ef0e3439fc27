//! Sets of JSON strings under exact boolean algebra.
//!
//! A string is a sequence of Unicode scalar values, and its length is their number. A set is cut into bands: ranges of
//! lengths, each with the language that the set has in it. Lengths stay numbers for as long as possible, for an
//! automaton that counts to 65,535 has as many states; only the [text form](text) counts, and by registers where
//! it can.
//!
//! ```text
//! enum: ["a", "bb"]           (any length: {a, bb})
//! pattern and maxLength: 9    (0 to 9: pattern)
//! not minLength: 5, or "x"    (0 to 4: all)
//! not (pattern, maxLength 9)  (0 to 9: all but the pattern), (10 and more: all)
//! ```
//!
//! Operations go band by band, so that the number of bands adds and never multiplies. Bands are sorted and do not
//! overlap; neighbours with one language are one band; a bound that the language implies is moved as far out as the
//! neighbours allow. So equal values are equal sets. Equal sets nearly always have equal values: two languages that
//! differ only outside their band tell them apart, so [`StringSet::is_subset`] is the test for equality that is exact.

pub(crate) mod escaped;

mod band;
mod canonical;
mod language;
mod lengths;
mod literals;
mod members;
mod product;
mod raw;
mod set;
mod text;
mod texts;

#[cfg(test)]
mod tests;

pub(crate) use set::StringSet;
pub(crate) use text::{Alphabet, Place, StringRules, character, one_character, tail};
