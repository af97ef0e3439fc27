//! One set of kernels: functions over mask words and logits, for one instruction set.
//!
//! | kernel | effect |
//! | --- | --- |
//! | `apply` | writes negative infinity where a bit is clear; a logit whose bit is set keeps its bits |
//! | `most` | returns the greatest logit whose bit is set; NaN is skipped |
//! | `total` | sums the [weights](super::weights) of the logits whose bit is set |
//!
//! A kernel takes packed words and their logits: `words.len() == logits.len().div_ceil(32)`. The last word may be
//! partly used.
//!
//! Invariant: all sets of kernels give the same bits for the same input.
//!
//! `apply` is written by hand for each instruction set, because its time is the time of its stores. The other two are
//! plain code in lanes, which the compiler turns into vectors for each set.

use super::formats::{Bf16, F16};

/// A kernel that writes a value to each logit whose bit is clear: mask words, the logits' bits, the value's bits.
type Apply<B> = fn(&[u32], &mut [B], B);
/// A kernel that returns the greatest logit whose bit is set. Negative infinity if there is none, or all are NaN.
type Most<L> = fn(&[u32], &[L]) -> f32;
/// A kernel that returns the sum of the weights of the logits whose bit is set. Arguments: mask words, logits, the
/// greatest of these logits, the inverse of the temperature.
type Total<L> = fn(&[u32], &[L], f32, f32) -> f64;

/// A set of kernels: the functions that mask and compare logits on one instruction set.
///
/// A [`Mask`](crate::Mask) takes the fastest set by itself. This type serves measurements. It also serves hosts that
/// fill bitmasks in one place and apply them in another.
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
