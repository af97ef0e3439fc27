//! The text form of a set of strings: what stands in a document between the opening quote, which is not part of it,
//! and the closing quote, which is.
//!
//! A language becomes a graph over its states between characters, with the texts of a class of characters on each edge
//! (`characters`, `spell`, `graph`). It ends in a call of a shared rule from where on any rest of the string will do, so a set
//! that excludes a thousand names is as large as the names, and its masks are computed once for a vocabulary. Bounds on the length that the language does not imply are counted by repetitions, or by a product with
//! the count where its shape leaves no other way and that is small (`counted`), and by a counter else (`bounded`). A pattern that
//! itself counts far keeps its counts as counters, beside that of the length (`counted_pattern`).

mod all_but;
mod alphabets;
mod bounded;
mod characters;
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
