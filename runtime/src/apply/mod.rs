//! Applies masks to rows of logits, and chooses tokens under a mask.
//!
//! ```text
//! formats ◄─ kernels ◄─ logit ◄─ weights ◄─ scalar ◄─ x86, neon ◄─ dispatch
//!                                                                      ▲
//!                                           mask::union ───────────────┘ ◄─ pick
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `formats` | logits of 16 bits |
//! | `kernels` | one set of kernels: functions for one instruction set |
//! | `logit` | the types of logits that hosts may pass |
//! | `weights` | the greatest logit and the sum of weights, for all instruction sets |
//! | `scalar`, `x86`, `neon` | the kernels of each instruction set |
//! | `dispatch` | the set of kernels that the processor runs fastest |
//! | `pick` | the greatest allowed logit, and draws |
//!
//! Tests: `tests` holds every set of kernels against plain code; `src/tests/picks.rs` for choices.

mod dispatch;
pub(crate) mod formats;
mod kernels;
pub(crate) mod logit;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pick;
mod scalar;
mod weights;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use kernels::Kernels;
