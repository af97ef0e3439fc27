//! Passes over the IR, one in each file. Each pass returns a grammar of the same language.
//!
//! Tests: unit tests in `repetition`; `tests/tests/suite/masks.rs`.

mod regular;
mod repetition;

pub use regular::{RegularError, RegularErrorKind, automaton, resolve};
pub use repetition::simplify;
