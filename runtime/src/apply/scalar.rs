//! The kernels for any processor. The vector kernels use `apply` for the ends of a row.
//!
//! `apply` selects by arithmetic on the bits of a logit. A branch for each token would cost ten times as much in mixed
//! masks, because it is mispredicted often.

use bytemuck::Pod;

use super::kernels::Kernels;
use super::weights;

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

/// For each of 32 lanes, the bit of its token in a mask word. A comparison with a constant vector is faster than a
/// shift of each lane by another number, which few processors have.
const LANES: [u32; 32] = {
    let mut lanes = [1; 32];
    let mut at = 1;
    while at < 32 {
        lanes[at] = lanes[at - 1] << 1;
        at += 1;
    }
    lanes
};

/// Writes `infinity` to each logit whose bit is clear. Logit `t` has bit `t % 32` of word `t / 32`.
pub(super) fn apply<B: Bits>(words: &[u32], logits: &mut [B], infinity: B) {
    let (whole, tail) = logits.as_chunks_mut::<32>();
    for (&word, logits) in words.iter().zip(&mut *whole) {
        apply_word(word, logits, infinity);
    }
    if let Some(&word) = words.get(whole.len()) {
        apply_word(word, tail, infinity);
    }
}

/// Writes `infinity` to each logit whose bit in `word` is clear. There are at most 32 logits.
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

/// The bit pattern of a logit, of 16 or 32 bits.
pub(super) trait Bits: Pod {
    /// Returns `other` if the condition holds, otherwise `self`. Compiles to code without a branch.
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
