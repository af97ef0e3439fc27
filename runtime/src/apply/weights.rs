//! The greatest logit and the sum of weights, in plain code that a compiler turns into vectors.
//!
//! # Weights
//!
//! The weight of a logit is `exp((logit - most) * scale)`, where `most` is the greatest allowed logit and `scale` is one
//! over the temperature, rounded to a multiple of 2^-34 and counted in those: an integer up to 2^34. Sums of them in an
//! `f64` are exact up to 2^19 logits of the greatest weight, so they do not depend on the order of summation:
//! every kernel, and a list of tokens instead of a row, gives the same bits. Only tokens that are less than 3e-11 times as
//! likely as the most likely one lose their chance.
//!
//! A logit equal to `most` has the full weight, also where it is infinite. NaN has none.
//!
//! The exponential is computed here, because that of the platform's library differs between platforms: relative error
//! below 2e-7.

use crate::logit::sealed::Lane;

/// Logits that are worked on at once: those of one mask word.
const LANES: usize = 32;

/// Logits whose weights are computed at once: more would not fit in registers.
const SUMMED: usize = 8;

/// The full weight.
const ONE: f32 = (1u64 << 34) as f32;

/// Adding and subtracting this rounds a small `f32` to an integer, which is then in the low bits of the sum.
const ROUND: f32 = 12_582_912.0;

/// See [`Kernels`](super::Kernels).
#[inline(always)]
pub(super) fn most<L: Lane>(words: &[u32], logits: &[L]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    each_word(words, logits, |word, logits| {
        for (bit, (lane, logit)) in lanes.iter_mut().zip(logits).enumerate() {
            let value = logit.value();
            let value = if word >> bit & 1 != 0 { value } else { f32::NEG_INFINITY };
            *lane = if value > *lane { value } else { *lane };
        }
    });
    lanes.into_iter().fold(f32::NEG_INFINITY, |most, lane| if lane > most { lane } else { most })
}

/// See [`Kernels`](super::Kernels).
#[inline(always)]
pub(super) fn total<L: Lane>(words: &[u32], logits: &[L], most: f32, scale: f32) -> f64 {
    let mut lanes = [0.0; SUMMED];
    each_word(words, logits, |word, logits| {
        let (whole, rest) = logits.as_chunks::<SUMMED>();
        for (at, logits) in whole.iter().enumerate() {
            add(&mut lanes, word >> (at * SUMMED), logits, most, scale);
        }
        add(
            &mut lanes,
            word.checked_shr((whole.len() * SUMMED) as u32).unwrap_or(0),
            rest,
            most,
            scale,
        );
    });
    lanes.into_iter().sum()
}

/// Adds the weights of some logits under the lowest bits of a word to the sums of their lanes.
#[inline(always)]
fn add<L: Lane>(lanes: &mut [f64; SUMMED], word: u32, logits: &[L], most: f32, scale: f32) {
    for (bit, (lane, logit)) in lanes.iter_mut().zip(logits).enumerate() {
        let weight = weight(logit.value(), most, scale);
        *lane += f64::from(if word >> bit & 1 != 0 { weight } else { 0.0 });
    }
}

/// Shows a function each word that is not zero with its logits: all lanes at once, and those of a partly used word
/// one by one.
#[inline(always)]
fn each_word<L: Lane>(words: &[u32], logits: &[L], mut show: impl FnMut(u32, &[L])) {
    let (whole, tail) = logits.as_chunks::<LANES>();
    for (&word, logits) in words.iter().zip(whole) {
        if word != 0 {
            show(word, logits);
        }
    }
    if let Some(&word) = words.get(whole.len()) {
        show(word, tail);
    }
}

/// The weight of an allowed logit, in units of 2^-34.
#[inline(always)]
pub(crate) fn weight(value: f32, most: f32, scale: f32) -> f32 {
    let share = exponential((value - most) * scale) * ONE;
    // Above 2^23 an `f32` is an integer as it is.
    let rounded = if share < 8_388_608.0 { (share + 8_388_608.0) - 8_388_608.0 } else { share };
    if value == most { ONE } else { rounded }
}

/// `e` to the power of a number that is not positive; 0 for NaN and where the result would be subnormal.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    // x = n ln 2 + rest, with ln 2 in two parts so that n times the first is exact.
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let rest = (x - n * 0.693_359_4) + n * 2.121_944_4e-4;
    // The series to the seventh power, with an error of 5e-9 at |rest| = ln 2 / 2.
    let series = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let power = series.into_iter().fold(0.0, |sum, coefficient| sum * rest + coefficient);
    let exponent = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    if x > -87.0 { power * f32::from_bits(exponent) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_close() {
        for step in 0..200_000 {
            let x = -(step as f32) * 87.0 / 200_000.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exponential(x)) - expected).abs() / expected;
            assert!(error < 2e-7, "{x}: {error}");
        }
        let none = [f32::NAN, f32::NEG_INFINITY, -87.5, f32::MIN];
        assert_eq!(none.map(exponential), [0.0; 4]);
        assert_eq!(exponential(0.0), 1.0);
    }

    #[test]
    fn weights_are_integers() {
        for step in 0..100_000 {
            let weight = weight(-(step as f32) * 0.001, 0.0, 1.0);
            assert!(weight.fract() == 0.0 && (0.0..=ONE).contains(&weight), "{step}: {weight}");
        }
        assert_eq!(weight(f32::INFINITY, f32::INFINITY, 1.0), ONE);
        assert_eq!(weight(3.0, f32::INFINITY, 1.0), 0.0);
        assert_eq!(weight(f32::NAN, 0.0, 1.0), 0.0);
        assert_eq!(weight(f32::NEG_INFINITY, f32::NEG_INFINITY, 1.0), ONE);
        assert_eq!(weight(f32::NEG_INFINITY, 1.0, 0.0), 0.0);
    }
}
