//! Logits of 16 bits, stored as their bit patterns.
//!
//! Hosts keep such rows in three forms, none of which needs a copy:
//!
//! | host has | passes |
//! | --- | --- |
//! | a pointer or a slice of `u16` (C, Python buffers, ggml) | [`F16::wrap_mut`] of the slice, or a slice of `F16` made from the pointer |
//! | `half::f16`, `half::bf16` (candle, mistral.rs) | the slice, with the feature `half` |
//! | `f32` | the slice |
//!
//! With the types of `half` alone, the first form would need a copy. A slice of bare `u16` does not say which format it
//! has.

use bytemuck::{Pod, TransparentWrapper, Zeroable};

/// An IEEE 754 binary16 number, stored as its bit pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable, TransparentWrapper)]
#[repr(transparent)]
pub struct F16(pub u16);

/// A bfloat16 number, the upper half of an `f32`, stored as its bit pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable, TransparentWrapper)]
#[repr(transparent)]
pub struct Bf16(pub u16);

impl F16 {
    /// Wraps a slice of binary16 bit patterns as logits, without a copy.
    pub fn wrap(bits: &[u16]) -> &[Self] {
        Self::wrap_slice(bits)
    }

    /// Wraps a mutable slice of binary16 bit patterns as logits, without a copy.
    pub fn wrap_mut(bits: &mut [u16]) -> &mut [Self] {
        Self::wrap_slice_mut(bits)
    }

    /// Converts the number to an `f32`, exactly.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        // The exponent is too small by the difference of the biases. A multiplication by a power of two corrects it,
        // for subnormal numbers too. Infinities and NaN have the largest exponent in both formats.
        let magnitude =
            f32::from_bits(u32::from(self.0 & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
        let special = if self.0 & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
        f32::from_bits(magnitude.to_bits() | special | u32::from(self.0 & 0x8000) << 16)
    }
}

impl Bf16 {
    /// Wraps a slice of bfloat16 bit patterns as logits, without a copy.
    pub fn wrap(bits: &[u16]) -> &[Self] {
        Self::wrap_slice(bits)
    }

    /// Wraps a mutable slice of bfloat16 bit patterns as logits, without a copy.
    pub fn wrap_mut(bits: &mut [u16]) -> &mut [Self] {
        Self::wrap_slice_mut(bits)
    }

    /// Converts the number to an `f32`, exactly.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}
