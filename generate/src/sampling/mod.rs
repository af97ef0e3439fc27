//! Drawing a token from a row of logits.
//!
//! ```text
//! row ─ bias, penalties ─► raw probabilities (limits, log probabilities) ─ mask ─► temperature ─ top-k ─ top-p ─ min-p ─► draw
//! ```
//!
//! The mask comes before everything that compares probabilities: behind it, nothing that is allowed might be left. A number is
//! taken from the generator for each token of which more than one is allowed, and for no other; so an output does not
//! depend on whether tokens that are certain were asked for, nor on what else is in a batch.

mod adjust;
mod candidates;
mod draws;
mod probability;

pub(crate) use adjust::Adjust;
pub(crate) use candidates::{Cuts, draw};
pub(crate) use draws::Draws;
pub use draws::fresh_seed;
pub(crate) use probability::{log_sum, mass, ranked};
