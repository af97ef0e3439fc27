//! JSON Schema: what a schema says and what its masks let through are the same, and every schema is answered.
//!
//! Judges that share no code with the front end: the cases of the official suite, our own table of situations, and the
//! `jsonschema` crate.

#![allow(clippy::print_stderr, reason = "tests say what they compared and what they left out")]

mod agreement;
mod bounds;
mod conformance;
mod explain;
mod forms;
mod hostile;
mod judge;
mod meeting;
mod patterns;
mod recursion;
mod relation;
mod repeated_keys;
mod scale;
mod situations;
mod unique;
mod witness;
