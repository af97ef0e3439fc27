//! Kernels over mask words and logits.
//!
//! | kernel | what it does |
//! | --- | --- |
//! | `apply` | negative infinity where a bit is clear; a logit whose bit is set keeps its bits, whatever they are |
//! | `most` | the greatest logit whose bit is set; NaN is skipped |
//! | `total` | the sum of the weights of the logits whose bit is set: see [`weights`] |
//!
//! Every kernel takes packed words and the logits that they speak of, in which the last word may be partly used:
//! `words.len() == logits.len().div_ceil(32)`. All sets of kernels give the same bits for the same input. The set is
//! chosen once, from what the processor has.
//!
//! `apply` is written by hand for each instruction set, because it is bound by the stores it can do without. The other
//! two are one piece of plain code each, in lanes that a compiler turns into vectors, compiled anew for each set.

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
pub(crate) mod weights;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use crate::error::BufferError;
use crate::logit::sealed::Lane;
use crate::logit::{Bf16, F16, Logit};

/// Writes a value into the lanes whose bit is clear.
type Apply<B> = fn(&[u32], &mut [B], B);
/// The greatest logit whose bit is set, negative infinity where there is none.
type Most<L> = fn(&[u32], &[L]) -> f32;
/// The sum of the weights of the logits whose bit is set, given the greatest and the scale.
type Total<L> = fn(&[u32], &[L], f32, f32) -> f64;

/// One set of kernels: the code that masks logits on one instruction set.
///
/// A [`Mask`](crate::Mask) takes the fastest by itself. This is for hosts that fill bitmasks in one place and apply
/// them in another, and for measurements.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    name: &'static str,
    apply32: Apply<u32>,
    apply16: Apply<u16>,
    most_f32: Most<f32>,
    most_f16: Most<F16>,
    most_bf16: Most<Bf16>,
    total_f32: Total<f32>,
    total_f16: Total<F16>,
    total_bf16: Total<Bf16>,
}

impl Kernels {
    /// The fastest that this processor runs. Chosen on the first call.
    pub fn fastest() -> &'static Self {
        static CHOSEN: OnceLock<Kernels> = OnceLock::new();
        CHOSEN.get_or_init(|| Self::available().pop().unwrap_or(scalar::KERNELS))
    }

    /// All that this processor runs, fastest last. Never empty: the first runs on any processor.
    pub fn available() -> Vec<Self> {
        let sets = std::iter::once(scalar::KERNELS);
        #[cfg(target_arch = "x86_64")]
        let sets = sets.chain(x86::available());
        #[cfg(target_arch = "aarch64")]
        let sets = sets.chain(neon::available());
        sets.collect()
    }

    /// The instruction set: `scalar`, `avx2`, `avx512` or `neon`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Sets the logits whose bit is clear to negative infinity, and leaves the others untouched, whatever they are.
    /// Logit `t` has bit `t % 32` of word `t / 32`, as [`Mask::fill`](crate::Mask::fill) writes it; words past the
    /// row are not read.
    ///
    /// # Errors
    ///
    /// There are fewer words than the row needs.
    pub fn apply<L: Logit>(&self, words: &[u32], logits: &mut [L]) -> Result<(), BufferError> {
        let needed = logits.len().div_ceil(32);
        let found = words.len();
        let words = words.get(..needed).ok_or(BufferError { unit: "words", found, needed })?;
        L::Lane::apply(self, words, L::lanes_mut(logits));
        Ok(())
    }
}

/// The types of logits that there are kernels for, each with its kernels of a set.
macro_rules! lane {
    ($lane:ty, $value:expr, $apply:ident($infinity:expr), $most:ident, $total:ident) => {
        impl Lane for $lane {
            #[inline(always)]
            fn value(self) -> f32 {
                $value(self)
            }

            fn apply(kernels: &Kernels, words: &[u32], logits: &mut [Self]) {
                (kernels.$apply)(words, bytemuck::cast_slice_mut(logits), $infinity);
            }

            fn most(kernels: &Kernels, words: &[u32], logits: &[Self]) -> f32 {
                (kernels.$most)(words, logits)
            }

            fn total(
                kernels: &Kernels,
                words: &[u32],
                logits: &[Self],
                most: f32,
                scale: f32,
            ) -> f64 {
                (kernels.$total)(words, logits, most, scale)
            }
        }
    };
}

lane!(f32, std::convert::identity, apply32(0xff80_0000), most_f32, total_f32);
lane!(F16, F16::to_f32, apply16(0xfc00), most_f16, total_f16);
lane!(Bf16, Bf16::to_f32, apply16(0xff80), most_bf16, total_bf16);
