//! Code shared by front ends and the compiler: the grammar IR, automata, diagnostics and the budget of a compilation.
//!
//! Tests: unit tests in each file.

pub mod automata;
pub mod budget;
pub mod controls;
pub mod diagnostics;
pub mod graph;
pub mod insertion_set;
pub mod interner;
pub mod ir;
pub mod lexicon;
pub mod open_json;
pub mod other_language;
pub mod suggest;
pub mod threads;
