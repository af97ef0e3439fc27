//! Sets of JSON values without structure: types, strings and numbers.
//!
//! | file | what it has |
//! | --- | --- |
//! | [`types`] | sets of JSON types |
//! | [`strings`] | sets of strings and their text forms |
//! | [`numbers`] | sets of numbers and their text forms |
//! | [`pieces`] | names of the shared grammar rules that texts call |
//! | [`formats`] | the strings of each `format` |
//!
//! Tests: `strings/tests.rs`, `numbers/tests`, `formats/tests`.

pub(crate) mod formats;
pub(crate) mod numbers;
pub(crate) mod pieces;
pub(crate) mod strings;
pub(crate) mod types;
