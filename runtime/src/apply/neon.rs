//! Kernels for AArch64: NEON, which every such processor has.
//!
//! `apply` skips words of ones, selects between the logits and infinity, and writes back. The compiler turns the other
//! kernels into vectors by itself, since NEON is part of the target.
//!
//! `unsafe` appears for loads and stores through a pointer that was a reference to an array of the vector's length one
//! expression earlier.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::kernels::Kernels;
use super::scalar;

/// Returns the set of NEON kernels, which every AArch64 processor runs.
pub(super) fn available() -> Option<Kernels> {
    Some(Kernels { name: "neon", apply32, apply16, ..scalar::KERNELS })
}

fn apply32(words: &[u32], logits: &mut [u32], infinity: u32) {
    let (whole, tail) = logits.as_chunks_mut::<32>();
    for (&word, logits) in words.iter().zip(&mut *whole) {
        if word == u32::MAX {
            continue;
        }
        for (at, logits) in logits.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let bits = word >> (at * 4);
            // SAFETY: NEON is part of the target, and `logits` is a unique reference to 4 logits of 4 bytes.
            unsafe {
                let allowed = vtstq_u32(vdupq_n_u32(bits), vld1q_u32([1, 2, 4, 8].as_ptr()));
                let kept = vld1q_u32(logits.as_ptr());
                let forbidden = vdupq_n_u32(infinity);
                vst1q_u32(logits.as_mut_ptr(), vbslq_u32(allowed, kept, forbidden));
            }
        }
    }
    scalar::apply(words.get(whole.len()..).unwrap_or_default(), tail, infinity);
}

fn apply16(words: &[u32], logits: &mut [u16], infinity: u16) {
    let (whole, tail) = logits.as_chunks_mut::<32>();
    for (&word, logits) in words.iter().zip(&mut *whole) {
        if word == u32::MAX {
            continue;
        }
        for (at, logits) in logits.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let bits = (word >> (at * 8)) as u16;
            // SAFETY: NEON is part of the target, and `logits` is a unique reference to 8 logits of 2 bytes.
            unsafe {
                let lanes = vld1q_u16([1, 2, 4, 8, 16, 32, 64, 128].as_ptr());
                let allowed = vtstq_u16(vdupq_n_u16(bits), lanes);
                let kept = vld1q_u16(logits.as_ptr());
                let forbidden = vdupq_n_u16(infinity);
                vst1q_u16(logits.as_mut_ptr(), vbslq_u16(allowed, kept, forbidden));
            }
        }
    }
    scalar::apply(words.get(whole.len()..).unwrap_or_default(), tail, infinity);
}
