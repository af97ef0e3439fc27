//! The greatest logit and the sum of weights, in plain code that the compiler turns into vectors.
//!
//! # Weights
//!
//! The weight of a logit is `exp((logit - most) * scale)`, rounded to a multiple of 2^-34 and counted in this unit.
//! `most` is the greatest allowed logit, and `scale` is the inverse of the temperature. So a weight is an integer of at
//! most 2^34.
//!
//! Sums of weights in an `f64` are exact for up to 2^19 logits of the full weight. So they do not depend on the order
//! of summation. Every kernel gives the same bits, and so does a list of tokens in place of a row. Only tokens less
//! than 3e-11 times as likely as the most likely one are never drawn.
//!
//! A logit equal to `most` has the full weight, even if it is infinite. NaN has the weight 0.
//!
//! The exponential is computed here, because the results of platform libraries differ. Its relative error is below
//! 2e-7.

use super::logit::sealed::Lane;

/// Number of logits in one pass of [`most`]: those of one mask word.
const LANES: usize = 32;

/// Number of logits whose weights are computed at once. More would not fit into the vector registers.
const SUMMED: usize = 8;

/// Weight of a logit equal to the greatest one, in units of 2^-34.
pub(super) const ONE: f32 = (1u64 << 34) as f32;

/// `1.5 * 2^23`. The sum of this number and a small `f32` has the rounded integer in its low bits.
const ROUND: f32 = 12_582_912.0;

/// Returns the greatest logit whose bit is set. Negative infinity if there is none, or all are NaN.
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

/// Returns the sum of the weights of the logits whose bit is set. `most` is the greatest of these logits, and `scale`
/// the inverse of the temperature.
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

/// Adds the weights of at most [`SUMMED`] logits to the sums in `lanes`. The bit of logit `i` is bit `i` of `word`.
#[inline(always)]
fn add<L: Lane>(lanes: &mut [f64; SUMMED], word: u32, logits: &[L], most: f32, scale: f32) {
    for (bit, (lane, logit)) in lanes.iter_mut().zip(logits).enumerate() {
        let weight = weight(logit.value(), most, scale);
        *lane += f64::from(if word >> bit & 1 != 0 { weight } else { 0.0 });
    }
}

/// Calls `show` with each mask word that is not zero and its logits. The last word may have fewer than 32 logits, and
/// is shown even if it is zero.
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

/// Returns the weight of an allowed logit, in units of 2^-34. `most` is the greatest allowed logit, and `scale` the
/// inverse of the temperature.
#[inline(always)]
pub(crate) fn weight(value: f32, most: f32, scale: f32) -> f32 {
    let share = exponential((value - most) * scale) * ONE;
    // Above 2^23 an `f32` is an integer as it is.
    let rounded = if share < 8_388_608.0 { (share + 8_388_608.0) - 8_388_608.0 } else { share };
    if value == most { ONE } else { rounded }
}

/// Returns `e` to the power of a number that is not positive. 0 for NaN, and if the result would be subnormal.
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
