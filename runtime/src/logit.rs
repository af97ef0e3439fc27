//! The types of logits that masks work on: `f32`, and two formats of 16 bits.
//!
//! Half-precision logits are their bits, [`F16`] and [`Bf16`], wrapped `u16`s that say which format they are. Hosts
//! keep such rows in three forms, and none needs a copy:
//!
//! | host has | passes |
//! | --- | --- |
//! | a pointer or a slice of `u16` (C, Python buffers, ggml) | [`F16::wrap_mut`] of it, or a slice of `F16` made from the pointer |
//! | `half::f16`, `half::bf16` (candle, mistral.rs) | the slice as it is, with the feature `half` |
//! | `f32` | the slice as it is |
//!
//! A dependency on `half` alone would have shut the first out, and a slice of bare `u16` says nothing of its format.

use bytemuck::{Pod, TransparentWrapper, Zeroable};

use crate::apply::Kernels;

/// A type of logit. Implemented for `f32`, [`F16`] and [`Bf16`], and with the feature `half` for that crate's `f16`
/// and `bf16`.
pub trait Logit: sealed::Row {}

/// An IEEE 754 binary16 number, as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable, TransparentWrapper)]
#[repr(transparent)]
pub struct F16(pub u16);

/// A bfloat16 number, the upper half of an `f32`, as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable, TransparentWrapper)]
#[repr(transparent)]
pub struct Bf16(pub u16);

impl F16 {
    /// A slice of bits as logits.
    pub fn wrap(bits: &[u16]) -> &[Self] {
        Self::wrap_slice(bits)
    }

    /// A slice of bits as logits.
    pub fn wrap_mut(bits: &mut [u16]) -> &mut [Self] {
        Self::wrap_slice_mut(bits)
    }

    /// The number: exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        // The exponent is too small by the difference of the biases, which a multiplication by a power of two makes
        // up for, subnormal numbers included. Infinities and NaN have the largest exponent in both formats.
        let magnitude =
            f32::from_bits(u32::from(self.0 & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
        let special = if self.0 & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
        f32::from_bits(magnitude.to_bits() | special | u32::from(self.0 & 0x8000) << 16)
    }
}

impl Bf16 {
    /// A slice of bits as logits.
    pub fn wrap(bits: &[u16]) -> &[Self] {
        Self::wrap_slice(bits)
    }

    /// A slice of bits as logits.
    pub fn wrap_mut(bits: &mut [u16]) -> &mut [Self] {
        Self::wrap_slice_mut(bits)
    }

    /// The number: exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

impl Logit for f32 {}
impl Logit for F16 {}
impl Logit for Bf16 {}
#[cfg(feature = "half")]
impl Logit for half::f16 {}
#[cfg(feature = "half")]
impl Logit for half::bf16 {}

pub(crate) mod sealed {
    use super::{Bf16, F16, Kernels};

    /// A row of logits as the kernels take it.
    pub trait Row: Copy + Send + Sync + 'static {
        /// The type of the kernels' logits, with the same bits.
        type Lane: Lane;
        /// The row as lanes.
        fn lanes(row: &[Self]) -> &[Self::Lane];
        /// The row as lanes.
        fn lanes_mut(row: &mut [Self]) -> &mut [Self::Lane];
    }

    /// One of the three types that there are kernels for.
    pub trait Lane: Copy + Send + Sync + 'static {
        /// The number.
        fn value(self) -> f32;
        /// Writes negative infinity where a bit of the words is clear.
        fn apply(kernels: &Kernels, words: &[u32], logits: &mut [Self]);
        /// The greatest logit whose bit is set.
        fn most(kernels: &Kernels, words: &[u32], logits: &[Self]) -> f32;
        /// The sum of the weights of the logits whose bit is set.
        fn total(kernels: &Kernels, words: &[u32], logits: &[Self], most: f32, scale: f32) -> f64;
    }

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
