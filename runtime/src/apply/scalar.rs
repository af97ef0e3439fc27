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

/// The bit of each lane of a word: compared with, not shifted by, because few processors shift lanes by different
/// numbers.
const LANES: [u32; 32] = {
    let mut lanes = [1; 32];
    let mut at = 1;
    while at < 32 {
        lanes[at] = lanes[at - 1] << 1;
        at += 1;
    }
    lanes
};

/// See [`Kernels`].
pub(super) fn apply<B: Bits>(words: &[u32], logits: &mut [B], infinity: B) {
    let (whole, tail) = logits.as_chunks_mut::<32>();
    for (&word, logits) in words.iter().zip(&mut *whole) {
        apply_word(word, logits, infinity);
    }
    if let Some(&word) = words.get(whole.len()) {
        apply_word(word, tail, infinity);
    }
}

/// Up to 32 lanes under one word.
#[inline(always)]
pub(super) fn apply_word<B: Bits>(word: u32, logits: &mut [B], infinity: B) {
    match word {
        u32::MAX => {}
        0 => logits.fill(infinity),
        _ => {
            for (logit, lane) in logits.iter_mut().zip(LANES) {
                *logit = logit.unless(word & lane == 0, infinity);
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
