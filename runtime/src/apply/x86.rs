//! Kernels for x86-64: AVX2 and AVX-512.
//!
//! `apply` skips words of ones. Its vectors begin at a logit whose address is a multiple of the vector's length, and
//! mask words are shifted to match. So no store straddles two cache lines, which would double its cost.
//!
//! AVX-512 stores infinity under the inverted bits and reads no logit. AVX2 selects and writes back, because its masked
//! stores take tens of cycles on some processors. The scalar kernel writes the logits at either end.
//!
//! `unsafe` appears for two reasons only. Loads and stores go through a pointer that was a reference to an array of the
//! vector's length one expression earlier. Calls are of functions whose processor features were just detected.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::kernels::Kernels;
use super::logit::sealed::Lane;
use super::scalar::{self, Bits};
use super::weights;

/// Returns the sets of x86 kernels that this processor runs, fastest last.
pub(super) fn available() -> Vec<Kernels> {
    let mut sets = Vec::new();
    if is_x86_feature_detected!("avx2") {
        sets.push(avx2::KERNELS);
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
    {
        sets.push(avx512::KERNELS);
    }
    sets
}

/// Number of mask words that are compared together: one cache line. Further words are compared group by group.
const GROUP: usize = 16;

/// Applies mask words to logits by `vectors`, which takes the inverted bits of 32 logits. The logits begin at a
/// multiple of `ALIGNMENT` bytes. A group of words is skipped if all its tokens are allowed, and filled with infinity
/// if none is. Within another group every word is written, since a test would cost more.
#[inline(always)]
fn aligned<B: Bits, const ALIGNMENT: usize>(
    words: &[u32],
    logits: &mut [B],
    infinity: B,
    mut vectors: impl FnMut(u32, &mut [B; 32]),
) {
    let head = logits.as_ptr().align_offset(ALIGNMENT).min(logits.len()).min(31);
    let (before, rest) = logits.split_at_mut(head);
    let (whole, after) = rest.as_chunks_mut::<32>();
    scalar::apply_word(words.first().copied().unwrap_or(0), before, infinity);
    let shifted = |low: u32, high: u32| low >> head | high << 1 << (31 - head);
    // A group reads one word more than it has lanes for.
    let count = (whole.len() / GROUP).min(words.len().saturating_sub(1) / GROUP);
    let (groups, left) = whole.split_at_mut(count * GROUP);
    let mut at = 0;
    for group in groups.as_chunks_mut::<GROUP>().0 {
        let Some(near) = words.get(at..).and_then(<[u32]>::first_chunk::<{ GROUP + 1 }>) else {
            break;
        };
        let forbidden: [u32; GROUP] = std::array::from_fn(|at| !shifted(near[at], near[at + 1]));
        if forbidden == [u32::MAX; GROUP] {
            group.as_flattened_mut().fill(infinity);
        } else if forbidden != [0; GROUP] {
            for (word, lanes) in forbidden.into_iter().zip(group) {
                vectors(word, lanes);
            }
        }
        at += GROUP;
    }
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    for lanes in left {
        vectors(!shifted(word(at), word(at + 1)), lanes);
        at += 1;
    }
    scalar::apply_word(shifted(word(at), word(at + 1)), after, infinity);
}

/// Defines a set of kernels by the functions of the enclosing module.
macro_rules! set {
    ($name:literal, $features:literal) => {
        pub(super) const KERNELS: Kernels = Kernels {
            name: $name,
            // SAFETY: this set is handed out only after its processor features were detected; so for all that follow.
            apply32: |words, logits, infinity| unsafe { apply32(words, logits, infinity) },
            // SAFETY: as above.
            apply16: |words, logits, infinity| unsafe { apply16(words, logits, infinity) },
            // SAFETY: as above.
            most_f32: |words, logits| unsafe { most(words, logits) },
            // SAFETY: as above.
            most_f16: |words, logits| unsafe { most(words, logits) },
            // SAFETY: as above.
            most_bf16: |words, logits| unsafe { most(words, logits) },
            // SAFETY: as above.
            total_f32: |words, logits, most, scale| unsafe { total(words, logits, most, scale) },
            // SAFETY: as above.
            total_f16: |words, logits, most, scale| unsafe { total(words, logits, most, scale) },
            // SAFETY: as above.
            total_bf16: |words, logits, most, scale| unsafe { total(words, logits, most, scale) },
        };

        #[target_feature(enable = $features)]
        fn most<L: Lane>(words: &[u32], logits: &[L]) -> f32 {
            weights::most(words, logits)
        }

        #[target_feature(enable = $features)]
        fn total<L: Lane>(words: &[u32], logits: &[L], most: f32, scale: f32) -> f64 {
            weights::total(words, logits, most, scale)
        }
    };
}

mod avx2 {
    use super::*;

    set!("avx2", "avx2");

    #[target_feature(enable = "avx2")]
    fn apply32(words: &[u32], logits: &mut [u32], infinity: u32) {
        let forbidden = _mm256_set1_epi32(infinity as i32);
        let lowest = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        aligned::<_, 32>(words, logits, infinity, |word, logits| {
            let bits = _mm256_set1_epi32(word as i32);
            let mut lanes = lowest;
            for logits in logits.as_chunks_mut::<8>().0 {
                let clear = _mm256_cmpeq_epi32(_mm256_and_si256(bits, lanes), lanes);
                lanes = _mm256_slli_epi32::<8>(lanes);
                let place = logits.as_mut_ptr().cast();
                // SAFETY: `place` is a unique reference to 8 logits of 4 bytes.
                unsafe {
                    let kept = _mm256_loadu_si256(place);
                    _mm256_storeu_si256(place, _mm256_blendv_epi8(kept, forbidden, clear));
                }
            }
        });
    }

    #[target_feature(enable = "avx2")]
    fn apply16(words: &[u32], logits: &mut [u16], infinity: u16) {
        let forbidden = _mm256_set1_epi16(infinity as i16);
        let bit = |at: i32| (1u32 << at) as i16;
        let lanes = _mm256_setr_epi16(
            bit(0),
            bit(1),
            bit(2),
            bit(3),
            bit(4),
            bit(5),
            bit(6),
            bit(7),
            bit(8),
            bit(9),
            bit(10),
            bit(11),
            bit(12),
            bit(13),
            bit(14),
            bit(15),
        );
        aligned::<_, 32>(words, logits, infinity, |word, logits| {
            for (at, logits) in logits.as_chunks_mut::<16>().0.iter_mut().enumerate() {
                let bits = _mm256_set1_epi16((word >> (at * 16)) as i16);
                let clear = _mm256_cmpeq_epi16(_mm256_and_si256(bits, lanes), lanes);
                let place = logits.as_mut_ptr().cast();
                // SAFETY: `place` is a unique reference to 16 logits of 2 bytes.
                unsafe {
                    let kept = _mm256_loadu_si256(place);
                    _mm256_storeu_si256(place, _mm256_blendv_epi8(kept, forbidden, clear));
                }
            }
        });
    }
}

mod avx512 {
    use super::*;

    set!("avx512", "avx512f,avx512bw,avx512dq,avx512vl");

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn apply32(words: &[u32], logits: &mut [u32], infinity: u32) {
        let forbidden = _mm512_set1_epi32(infinity as i32);
        aligned::<_, 64>(words, logits, infinity, |word, logits| {
            for (at, logits) in logits.as_chunks_mut::<16>().0.iter_mut().enumerate() {
                let place = logits.as_mut_ptr().cast();
                // SAFETY: `place` is a unique reference to 16 logits of 4 bytes, and no other is written.
                unsafe { _mm512_mask_storeu_epi32(place, (word >> (at * 16)) as u16, forbidden) };
            }
        });
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn apply16(words: &[u32], logits: &mut [u16], infinity: u16) {
        let forbidden = _mm512_set1_epi16(infinity as i16);
        aligned::<_, 64>(words, logits, infinity, |word, logits| {
            let place = logits.as_mut_ptr().cast();
            // SAFETY: `place` is a unique reference to 32 logits of 2 bytes, and no other is written.
            unsafe { _mm512_mask_storeu_epi16(place, word, forbidden) };
        });
    }
}
