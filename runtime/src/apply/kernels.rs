//! One set of kernels: functions over mask words and logits, for one instruction set.
//!
//! | kernel | effect |
//! | --- | --- |
//! | `apply` | writes negative infinity where a bit is clear; a logit whose bit is set keeps its bits |
//! | `most` | returns the greatest logit whose bit is set; NaN is skipped |
//! | `total` | sums the [weights](super::weights) of the logits whose bit is set |
//!
//! A kernel takes packed words and their logits: `words.len() == logits.len().div_ceil(32)`. The last word may be partly
//! used.
//!
//! Invariant: all sets of kernels give the same bits for the same input.
//!
//! `apply` is written by hand for each instruction set, because its time is the time of its stores. The other two are plain
//! code in lanes, which the compiler turns into vectors for each set.

use super::formats::{Bf16, F16};

/// Writes a value into the lanes whose bit is clear.
type Apply<B> = fn(&[u32], &mut [B], B);
/// Returns the greatest logit whose bit is set. Negative infinity if there is none.
type Most<L> = fn(&[u32], &[L]) -> f32;
/// Sums the weights of the logits whose bit is set, for the greatest of them and the scale.
type Total<L> = fn(&[u32], &[L], f32, f32) -> f64;

/// One set of kernels: the code that masks logits on one instruction set.
///
/// A [`Mask`](crate::Mask) takes the fastest set by itself. This type serves measurements, and hosts that fill bitmasks in
/// one place and apply them in another.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    pub(super) name: &'static str,
    pub(super) apply32: Apply<u32>,
    pub(super) apply16: Apply<u16>,
    pub(super) most_f32: Most<f32>,
    pub(super) most_f16: Most<F16>,
    pub(super) most_bf16: Most<Bf16>,
    pub(super) total_f32: Total<f32>,
    pub(super) total_f16: Total<F16>,
    pub(super) total_bf16: Total<Bf16>,
}
