//! Rewritings of the IR, one a file. Each takes a grammar and returns one of the same language.

mod regular;
mod repetition;

pub use regular::{RegularError, RegularErrorKind, automaton, resolve};
pub use repetition::simplify;
