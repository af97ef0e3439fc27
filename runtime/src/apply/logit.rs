//! The types of logits that hosts may pass: `f32`, [`F16`] and [`Bf16`], and the types of the crate `half`.

use super::formats::{Bf16, F16};

/// A type of logit that masks and draws accept. Implemented for `f32`, [`F16`] and [`Bf16`]. With the feature `half`,
/// also for that crate's `f16` and `bf16`.
pub trait Logit: sealed::Row {}

impl Logit for f32 {}
impl Logit for F16 {}
impl Logit for Bf16 {}
#[cfg(feature = "half")]
impl Logit for half::f16 {}
#[cfg(feature = "half")]
impl Logit for half::bf16 {}

pub(crate) mod sealed {
    use super::super::kernels::Kernels;
    use super::{Bf16, F16};

    /// A type of logit whose rows the kernels can read as lanes, without a copy.
    pub trait Row: Copy + Send + Sync + 'static {
        /// Type under which the kernels read the logit, with the same bits.
        type Lane: Lane;
        /// Returns a row of logits as lanes (the type that kernels read), without a copy.
        fn lanes(row: &[Self]) -> &[Self::Lane];
        /// Returns a mutable row of logits as lanes (the type that kernels read), without a copy.
        fn lanes_mut(row: &mut [Self]) -> &mut [Self::Lane];
    }

    /// A type of logit with kernels: `f32`, [`F16`] or [`Bf16`].
    pub trait Lane: Copy + Send + Sync + 'static {
        /// Converts the logit to an `f32`, exactly.
        fn value(self) -> f32;
        /// Writes negative infinity to each logit whose bit is clear. Logit `t` has bit `t % 32` of word `t / 32`.
        fn apply(kernels: &Kernels, words: &[u32], logits: &mut [Self]);
        /// Returns the greatest logit whose bit is set. Negative infinity if there is none, or all are NaN.
        fn most(kernels: &Kernels, words: &[u32], logits: &[Self]) -> f32;
        /// Returns the sum of the weights of the logits whose bit is set. `most` is the greatest of these logits, and
        /// `scale` the inverse of the temperature.
        fn total(kernels: &Kernels, words: &[u32], logits: &[Self], most: f32, scale: f32) -> f64;
    }

    /// Implements [`Lane`] for a type, by the kernels for this type.
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

    macro_rules! own_row {
        ($($lane:ty)*) => {$(
            impl Row for $lane {
                type Lane = Self;

                fn lanes(row: &[Self]) -> &[Self] {
                    row
                }

                fn lanes_mut(row: &mut [Self]) -> &mut [Self] {
                    row
                }
            }
        )*};
    }

    own_row!(f32 F16 Bf16);

    #[cfg(feature = "half")]
    macro_rules! half_row {
        ($half:ty, $lane:ty) => {
            impl Row for $half {
                type Lane = $lane;

                fn lanes(row: &[Self]) -> &[$lane] {
                    <$lane>::wrap(half::slice::HalfFloatSliceExt::reinterpret_cast(row))
                }

                fn lanes_mut(row: &mut [Self]) -> &mut [$lane] {
                    <$lane>::wrap_mut(half::slice::HalfFloatSliceExt::reinterpret_cast_mut(row))
                }
            }
        };
    }

    #[cfg(feature = "half")]
    half_row!(half::f16, F16);
    #[cfg(feature = "half")]
    half_row!(half::bf16, Bf16);
}
