//! Tokens that are picked under a mask, compared with definitions of a few lines.

use proptest::prelude::*;

use crate::error::SampleError;
use crate::testing::network::{Network, Shape};
use crate::testing::{EDGE_TOKENS, Rng, grammar, vocabulary};
use crate::{Bf16, F16, Logit, Mask, Matcher, MatcherOptions};

/// Draws a logit: a usual number, a number that other logits equal, an infinity, or NaN.
pub(super) fn logit(random: &mut Rng) -> f32 {
    match random.below(12) {
        0 => f32::NAN,
        1 => f32::NEG_INFINITY,
        2 if random.one_in(4) => f32::INFINITY,
        3..6 => [0.0, -0.0, 4.0, -4.0][random.below(4)],
        _ => random.below(4000) as f32 / 100.0 - 20.0,
    }
}

/// Returns the token with the greatest allowed logit, by the definition. `None` if no token is allowed.
fn greatest(allowed: &[u32], value: impl Fn(u32) -> f32) -> Option<u32> {
    let numbers = || allowed.iter().copied().filter(|&token| !value(token).is_nan());
    let most = numbers().map(&value).fold(f32::NEG_INFINITY, f32::max);
    numbers().find(|&token| value(token) == most).or(allowed.first().copied())
}

/// Checks a draw against the cumulative distribution in double precision, with some tolerance for rounding at the
/// borders.
fn is_drawn(
    allowed: &[u32],
    value: impl Fn(u32) -> f32,
    temperature: f32,
    uniform: f64,
    found: u32,
) -> bool {
    let number = |token: u32| Some(f64::from(value(token))).filter(|value| !value.is_nan());
    let most = allowed.iter().filter_map(|&token| number(token)).fold(f64::NEG_INFINITY, f64::max);
    let weight = |token: u32| match number(token) {
        Some(value) if value == most => 1.0,
        Some(value) => ((value - most) / f64::from(temperature)).exp(),
        None => 0.0,
    };
    let total: f64 = allowed.iter().map(|&token| weight(token)).sum();
    let before: f64 = allowed.iter().take_while(|&&token| token < found).map(|&t| weight(t)).sum();
    let from = before / total - 1e-5;
    allowed.contains(&found) && (from..=from + weight(found) / total + 2e-5).contains(&uniform)
}

fn check<L: Logit>(
    mask: &Mask<'_>,
    logits: &[L],
    value: impl Fn(u32) -> f32,
    temperature: f32,
    uniform: f64,
) -> Result<(), TestCaseError> {
    let allowed: Vec<u32> = mask.iter().collect();
    let expected = greatest(&allowed, &value);
    prop_assert_eq!(mask.argmax(logits).unwrap(), expected);
    prop_assert_eq!(mask.sample(logits, 0.0, uniform).unwrap(), expected);
    let drawn = mask.sample(logits, temperature, uniform).unwrap();
    if allowed.iter().all(|&token| value(token).is_nan()) {
        prop_assert_eq!(drawn, expected);
    } else {
        let found = drawn.unwrap();
        prop_assert!(is_drawn(&allowed, value, temperature, uniform, found), "{}", found);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Compares picks over random masks and rows of any width, in each type of logit. Wide rows make the masks sparse.
    #[test]
    fn picks_agree_with_their_definitions(
        seed: u64,
        extra in prop_oneof![Just(0u32), 1u32..200, 4000u32..4600],
        temperature in prop_oneof![Just(1.0f32), 0.05f32..8.0, Just(1e-30), Just(f32::MAX)],
        uniform in prop_oneof![4 => 0.0f64..1.0, 1 => Just(0.0), 1 => Just(1.0 - f64::EPSILON / 2.0)],
    ) {
        let random = &mut Rng::new(seed);
        let tokens = vocabulary(random);
        let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
        let grammar = grammar(&network, &tokens, &[3]);
        let width = tokens.len() as u32 + 3 + extra;
        // Random end tokens make a part of the mask that lies outside the vocabulary.
        let ends: Vec<u32> = (0..random.below(40)).map(|_| random.below(width as usize) as u32).collect();
        let options = MatcherOptions::new().logit_width(width).end_tokens(ends);
        let mut matcher = Matcher::with_options(&grammar, options).unwrap();
        for _ in 0..6 {
            let row: Vec<f32> = (0..width).map(|_| logit(random)).collect();
            let halves: Vec<u16> = row.iter().map(|value| (value.to_bits() >> 16) as u16).collect();
            let mask = matcher.mask();
            let allowed: Vec<u32> = (0..width).filter(|&token| mask.contains(token)).collect();
            prop_assert_eq!(mask.iter().collect::<Vec<_>>(), &allowed[..]);
            prop_assert_eq!(mask.len(), allowed.len());
            check(&mask, &row, |token| row[token as usize], temperature, uniform)?;
            let half = Bf16::wrap(&halves);
            check(&mask, half, |token| half[token as usize].to_f32(), temperature, uniform)?;
            let half = F16::wrap(&halves);
            check(&mask, half, |token| half[token as usize].to_f32(), temperature, uniform)?;
            let Some(token) = mask.iter().nth(random.below(mask.len().max(1))) else { break };
            if matcher.accept(token).is_err() {
                break;
            }
        }
    }
}

#[test]
fn a_draw_asks_for_sound_numbers() {
    let random = &mut Rng::new(7);
    let tokens = vocabulary(random);
    let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
    let mut matcher = Matcher::new(&grammar(&network, &tokens, &[3]));
    let row = vec![0.0f32; matcher.logit_width() as usize];
    let mask = matcher.mask();
    for temperature in [-1.0, f32::NAN, f32::INFINITY] {
        let found = mask.sample(&row, temperature, 0.5);
        assert!(matches!(found, Err(SampleError::Temperature { .. })), "{temperature}");
    }
    for uniform in [-0.1, 1.0, f64::NAN] {
        let found = mask.sample(&row, 1.0, uniform);
        assert!(matches!(found, Err(SampleError::Uniform { .. })), "{uniform}");
    }
    assert!(matches!(mask.sample(&row[1..], 1.0, 0.5), Err(SampleError::Buffer(_))));
    assert_eq!(mask.argmax(&row[1..]).unwrap_err().needed, row.len());
}

/// Tests that rows of the `half` crate are masked in place.
#[cfg(feature = "half")]
#[test]
fn rows_of_the_half_crate_are_logits() {
    let random = &mut Rng::new(3);
    let tokens = vocabulary(random);
    let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
    let mut matcher = Matcher::new(&grammar(&network, &tokens, &[3]));
    let width = matcher.logit_width();
    let mask = matcher.mask();
    let mut row: Vec<half::f16> = (0..width).map(|at| half::f16::from_f32(at as f32)).collect();
    let greatest = mask.iter().last();
    assert_eq!(mask.argmax(&row).unwrap(), greatest);
    mask.apply(&mut row).unwrap();
    let mut upper: Vec<half::bf16> = (0..width).map(|at| half::bf16::from_f32(at as f32)).collect();
    mask.apply(&mut upper).unwrap();
    for token in 0..width {
        let expected = if mask.contains(token) { token as f32 } else { f32::NEG_INFINITY };
        assert_eq!(row[token as usize].to_f32(), expected);
        assert_eq!(upper[token as usize].to_f32(), expected);
    }
}
