//! The promises of the whole, held against oracles. One binary, a module a promise.

#![allow(clippy::print_stderr, reason = "tests say what they compared and what they left out")]

mod ambiguity;
mod bounds;
mod budget;
mod calls;
mod circles;
mod counters;
mod determinism;
mod digests;
mod distinct;
mod early;
mod fork;
mod grammar_pages;
mod layers;
mod loosened;
mod masks;
mod members;
mod options;
mod packed_strings;
mod pages;
mod places;
mod promises;
mod python_arguments;
mod reading;
mod recursion;
mod robustness;
mod shortcuts;
mod special;
mod splitter;
mod stack;
mod tags;
mod tool_walks;
mod turn_ends;
mod walks;
mod xml_arguments;
