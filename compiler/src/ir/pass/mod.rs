//! Rewritings of the IR, one a file. Each takes a grammar and returns one of the same language.

mod regular;

pub use regular::{RegularError, RegularErrorKind, automaton, resolve};
