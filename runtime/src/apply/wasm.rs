//! Kernels for WebAssembly with vectors of 128 bits, which a module has or has not from the start.
//!
//! `apply` skips words of ones, selects between the logits and infinity, and writes back. The compiler turns the other
//! kernels into vectors by itself, since the vectors are part of the target.
//!
//! `unsafe` appears for loads and stores through a pointer that was a reference to an array of the vector's length one
//! expression earlier.
//!
//! Tests: `bindings/js/tests`, since the unit tests run on other processors.
#![allow(unsafe_code)]

use std::arch::wasm32::*;

use super::kernels::Kernels;
use super::scalar;

/// The set of kernels with vectors, which every module with `simd128` runs.
pub(super) static KERNELS: Kernels =
    Kernels { name: "simd128", apply32, apply16, ..scalar::KERNELS };

fn apply32(words: &[u32], logits: &mut [u32], infinity: u32) {
    let (whole, tail) = logits.as_chunks_mut::<32>();
    let (lanes, forbidden) = (u32x4(1, 2, 4, 8), u32x4_splat(infinity));
    for (&word, logits) in words.iter().zip(&mut *whole) {
        if word == u32::MAX {
            continue;
        }
        for (at, logits) in logits.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let bits = v128_and(u32x4_splat(word >> (at * 4)), lanes);
            let place: *mut v128 = logits.as_mut_ptr().cast();
            // SAFETY: `place` is a unique reference to 4 logits of 4 bytes. Loads and stores may be unaligned.
            unsafe {
                let kept = v128_load(place);
                v128_store(place, v128_bitselect(kept, forbidden, u32x4_eq(bits, lanes)));
            }
        }
    }
    scalar::apply(words.get(whole.len()..).unwrap_or_default(), tail, infinity);
}

fn apply16(words: &[u32], logits: &mut [u16], infinity: u16) {
    let (whole, tail) = logits.as_chunks_mut::<32>();
    let (lanes, forbidden) = (u16x8(1, 2, 4, 8, 16, 32, 64, 128), u16x8_splat(infinity));
    for (&word, logits) in words.iter().zip(&mut *whole) {
        if word == u32::MAX {
            continue;
        }
        for (at, logits) in logits.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let bits = v128_and(u16x8_splat((word >> (at * 8)) as u16), lanes);
            let place: *mut v128 = logits.as_mut_ptr().cast();
            // SAFETY: `place` is a unique reference to 8 logits of 2 bytes. Loads and stores may be unaligned.
            unsafe {
                let kept = v128_load(place);
                v128_store(place, v128_bitselect(kept, forbidden, u16x8_eq(bits, lanes)));
            }
        }
    }
    scalar::apply(words.get(whole.len()..).unwrap_or_default(), tail, infinity);
}
