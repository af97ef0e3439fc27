//! The types of logits that hosts may pass: `f32`, [`F16`] and [`Bf16`], and the types of the crate `half`.

use super::formats::{Bf16, F16};

/// A type of logit. Implemented for `f32`, [`F16`] and [`Bf16`], and with the feature `half` for that crate's `f16`
/// and `bf16`.
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

    /// A row of logits, which the kernels read as lanes.
    pub trait Row: Copy + Send + Sync + 'static {
        /// The type of the kernels' logits, with the same bits.
        type Lane: Lane;
        /// Returns the row as lanes, without a copy.
        fn lanes(row: &[Self]) -> &[Self::Lane];
        /// Returns the mutable row as lanes, without a copy.
        fn lanes_mut(row: &mut [Self]) -> &mut [Self::Lane];
    }

    /// A type of logit with kernels: `f32`, [`F16`] or [`Bf16`].
    pub trait Lane: Copy + Send + Sync + 'static {
        /// Converts the logit to an `f32`, exactly.
        fn value(self) -> f32;
        /// Writes negative infinity where a bit of the words is clear.
        fn apply(kernels: &Kernels, words: &[u32], logits: &mut [Self]);
        /// Returns the greatest logit whose bit is set.
        fn most(kernels: &Kernels, words: &[u32], logits: &[Self]) -> f32;
        /// Sums the weights of the logits whose bit is set.
        fn total(kernels: &Kernels, words: &[u32], logits: &[Self], most: f32, scale: f32) -> f64;
    }

    /// Implements [`Lane`] by the kernels of a type.
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
