//! Positions of a sequence: configurations with shared stacks, earlier positions, and positions as bytes.
//!
//! | file | content |
//! | --- | --- |
//! | `configurations` | one configuration, and the set of them that is a position |
//! | `stack` | the stacks of all configurations as one tree of frames |
//! | `history` | earlier positions, for rollback |
//! | [`export`] | positions as plain bytes |
//! | `state_ranges` | sets of states that are the states of whole rules |
//! | `version` | the version of the layout of exported positions |
//!
//! Tests: unit tests in each file; `src/tests/definition.rs` for rollback and export along random sequences.

mod configurations;
pub mod export;
pub(crate) mod history;
pub(crate) mod stack;
pub(crate) mod state_ranges;
pub(crate) mod version;

pub(crate) use configurations::{Configuration, Configurations, mix};
