//! Applies masks to rows of logits, and chooses tokens under a mask.
//!
//! ```text
//! formats ◄─ kernels ◄─ logit ◄─ weights ◄─ scalar ◄─ x86, neon, wasm ◄─ dispatch
//!                                                                            ▲
//!                                     mask::union ◄─ row ◄───────────────────┘
//!                                                     ▲
//!                                                     └─ pick, mass
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `formats` | logits of 16 bits |
//! | `kernels` | one set of kernels: functions for one instruction set |
//! | `logit` | the types of logits that hosts may pass |
//! | `weights` | the greatest logit and the sum of weights, for all instruction sets |
//! | `scalar`, `x86`, `neon`, `wasm` | the kernels of each instruction set |
//! | `dispatch` | the set of kernels that the processor runs fastest |
//! | `row` | a mask and a row of logits, read together |
//! | `pick` | the greatest allowed logit, and draws |
//! | `mass` | the share of the softmax that is allowed |
//!
//! Tests: `tests` holds every set of kernels against plain code; `src/tests/picks.rs` for choices,
//! `src/tests/masses.rs` for shares.

mod dispatch;
pub(crate) mod formats;
mod kernels;
pub(crate) mod logit;
mod mass;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pick;
mod row;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
mod weights;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use kernels::Kernels;
