//! Kernels for x86-64: AVX2, and AVX-512 where the processor has it.
//!
//! Words of ones are skipped. For the others negative infinity is stored 8 or 16 logits at a time under the inverted
//! bits, so no logit is read and none that is allowed is written. The last, partly used word goes to the scalar kernel.
//!
//! `unsafe` appears for two reasons only: stores through a pointer that was a reference to an array of the stored
//! length one expression earlier, and the two calls of a function whose processor feature was just detected.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Kernel, scalar};

/// The kernels that this processor runs, by name, fastest last.
pub(super) fn available() -> Vec<(&'static str, Kernel)> {
    let mut kernels: Vec<(&'static str, Kernel)> = Vec::new();
    if is_x86_feature_detected!("avx2") {
        kernels.push(("avx2", |words, logits| {
            // SAFETY: this kernel is handed out only after the detection of avx2 above.
            unsafe { apply_avx2(words, logits) }
        }));
    }
    if is_x86_feature_detected!("avx512f") {
        kernels.push(("avx512f", |words, logits| {
            // SAFETY: this kernel is handed out only after the detection of avx512f above.
            unsafe { apply_avx512(words, logits) }
        }));
    }
    kernels
}

#[target_feature(enable = "avx2")]
fn apply_avx2(words: &[u32], logits: &mut [f32]) {
    let infinity = _mm256_set1_ps(f32::NEG_INFINITY);
    let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let (whole, tail) = logits.as_chunks_mut::<32>();
    for (&word, logits) in words.iter().zip(&mut *whole) {
        if word == u32::MAX {
            continue;
        }
        for (at, logits) in logits.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let bits = (word >> (at * 8) & 0xff) as i32;
            let allowed =
                _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits), lanes), lanes);
            let forbidden = _mm256_andnot_si256(allowed, _mm256_set1_epi32(-1));
            // SAFETY: `logits` is a unique reference to 8 logits, and a masked store writes to no other.
            unsafe { _mm256_maskstore_ps(logits.as_mut_ptr(), forbidden, infinity) };
        }
    }
    scalar::apply(words.get(whole.len()..).unwrap_or_default(), tail);
}

#[target_feature(enable = "avx512f")]
fn apply_avx512(words: &[u32], logits: &mut [f32]) {
    let infinity = _mm512_set1_ps(f32::NEG_INFINITY);
    let (whole, tail) = logits.as_chunks_mut::<32>();
    for (&word, logits) in words.iter().zip(&mut *whole) {
        if word == u32::MAX {
            continue;
        }
        for (at, logits) in logits.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let forbidden = !(word >> (at * 16)) as u16;
            // SAFETY: `logits` is a unique reference to 16 logits, and a masked store writes to no other.
            unsafe { _mm512_mask_storeu_ps(logits.as_mut_ptr(), forbidden, infinity) };
        }
    }
    scalar::apply(words.get(whole.len()..).unwrap_or_default(), tail);
}
