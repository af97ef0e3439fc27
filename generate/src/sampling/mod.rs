//! Draws a token from a row of logits.
//!
//! ```text
//! row ─ bias, penalties ─► raw probabilities (limits, log probabilities) ─ mask ─► temperature ─ top-k ─ top-p ─ min-p ─► draw
//! ```
//!
//! The mask is applied before everything that compares probabilities. If it were applied later, no
//! token might remain. A random number is drawn only if more than one token is allowed. So an
//! output does not depend on whether the model was called for forced tokens, nor on the rest of a
//! batch.
//!
//! Tests: unit tests in `adjust`, `candidates` and `probability`.

mod adjust;
mod candidates;
mod draws;
mod probability;

pub(crate) use adjust::Adjust;
pub(crate) use candidates::{Cuts, draw};
pub(crate) use draws::Draws;
pub use draws::fresh_seed;
pub(crate) use probability::{log_sum, mass, ranked};
