//! The kernels for any processor, and `apply` for the tails of the others.
//!
//! `apply` selects by arithmetic on the bits of a logit: a branch for each token is mispredicted so often in mixed
//! masks that it costs ten times the selection.

use bytemuck::Pod;

use super::{Kernels, weights};

pub(super) const KERNELS: Kernels = Kernels {
    name: "scalar",
    apply32: apply,
    apply16: apply,
    most_f32: weights::most,
    most_f16: weights::most,
    most_bf16: weights::most,
    total_f32: weights::total,
    total_f16: weights::total,
    total_bf16: weights::total,
};

/// See [`Kernels`].
pub(super) fn apply<B: Bits>(words: &[u32], logits: &mut [B], infinity: B) {
    for (&word, logits) in words.iter().zip(logits.chunks_mut(32)) {
        apply_word(word, logits, infinity);
    }
}

/// Up to 32 lanes under one word.
#[inline(always)]
pub(super) fn apply_word<B: Bits>(word: u32, logits: &mut [B], infinity: B) {
    match word {
        u32::MAX => {}
        0 => logits.fill(infinity),
        _ => {
            for (bit, logit) in logits.iter_mut().enumerate() {
                *logit = logit.unless(word >> bit & 1 == 0, infinity);
            }
        }
    }
}

/// The bits of a logit.
pub(super) trait Bits: Pod {
    /// The other bits where a condition holds, selected without a branch.
    fn unless(self, condition: bool, other: Self) -> Self;
}

macro_rules! bits {
    ($($bits:ty)*) => {$(
        impl Bits for $bits {
            #[inline(always)]
            fn unless(self, condition: bool, other: Self) -> Self {
                let taken = <$bits>::from(condition).wrapping_neg();
                self & !taken | other & taken
            }
        }
    )*};
}

bits!(u32 u16);
