//! The part of the `grammarc` binary that other programs can use: [`sample`] draws random outputs of a compiled
//! grammar by its masks and brings them to an end by the shortest text.

pub mod sample;
