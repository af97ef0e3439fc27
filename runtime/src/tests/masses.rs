//! Shares of the softmax, compared with their definition in double precision.

use proptest::prelude::*;

use super::picks::logit;
use crate::error::MassError;
use crate::testing::network::{Network, Shape};
use crate::testing::{EDGE_TOKENS, Rng, grammar, vocabulary};
use crate::{Bf16, F16, Logit, Mask, Matcher, MatcherOptions};

/// Greatest error of a logarithm that the documentation admits.
const TOLERANCE: f64 = 1e-5;

/// Returns the log-sum-exp of some logits by its definition, as the greatest logit and the logarithm of the sum relative to
/// it. `None` if no logit is a number.
fn log_sum(values: impl Iterator<Item = f32> + Clone) -> Option<(f64, f64)> {
    let numbers = || values.clone().filter(|value| !value.is_nan()).map(f64::from);
    let most = numbers().reduce(f64::max)?;
    let weight = |value: f64| if value == most { 1.0 } else { (value - most).exp() };
    Some((most, numbers().map(weight).sum::<f64>().ln()))
}

/// Returns the logarithm of the allowed share of the softmax by its definition.
fn log_share(row: &[f32], is_allowed: impl Fn(usize) -> bool) -> f64 {
    let allowed = row.iter().enumerate().filter(|&(token, _)| is_allowed(token));
    let allowed = log_sum(allowed.map(|(_, &value)| value));
    let (Some(part), Some(whole)) = (allowed, log_sum(row.iter().copied())) else {
        return f64::NEG_INFINITY;
    };
    let between = if part.0 == whole.0 { 0.0 } else { part.0 - whole.0 };
    between + part.1 - whole.1
}

fn is_close(found: f64, expected: f64) -> bool {
    found <= 0.0 && (found == expected || (found - expected).abs() <= TOLERANCE)
}

/// Checks the share with and without the row's log-sum-exp. `values` are the logits as numbers.
fn check<L: Logit>(mask: &Mask<'_>, logits: &[L], values: &[f32]) -> Result<(), TestCaseError> {
    let expected = log_share(values, |token| mask.contains(token as u32));
    let found = mask.log_mass(logits, None).unwrap();
    prop_assert!(is_close(found, expected), "{found} {expected}");
    let Some((most, rest)) = log_sum(values.iter().copied()) else { return Ok(()) };
    let found = mask.log_mass(logits, Some(most + rest));
    if most.is_finite() {
        let found = found.unwrap();
        prop_assert!(is_close(found, expected), "{found} {expected}");
    } else {
        prop_assert!(matches!(found, Err(MassError::LogSum { .. })), "{found:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Compares shares over random masks and rows of any width, in each type of logit. Wide rows make the masks sparse,
    /// and a lift moves the allowed logits, so that nearly all or nearly nothing of the softmax is allowed.
    #[test]
    fn shares_agree_with_their_definition(
        seed: u64,
        extra in prop_oneof![Just(0u32), 1u32..200, 4000u32..4600],
        lift in prop_oneof![3 => Just(0.0f32), 1 => -900f32..900.0, 1 => -30f32..30.0],
    ) {
        let random = &mut Rng::new(seed);
        let tokens = vocabulary(random);
        let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
        let grammar = grammar(&network, &tokens, &[3]);
        let width = tokens.len() as u32 + 3 + extra;
        // Many end tokens make a mask with few forbidden tokens.
        let ends = match random.one_in(3) {
            true => width - 1 - random.below(5) as u32,
            false => random.below(width.min(40) as usize) as u32,
        };
        let options = MatcherOptions::new().logit_width(width).end_tokens(0..ends);
        let mut matcher = Matcher::with_options(&grammar, options).unwrap();
        for _ in 0..6 {
            let special = random.one_in(4);
            let mask = matcher.mask();
            let row: Vec<f32> = (0..width)
                .map(|token| {
                    let value = if special { logit(random) } else { random.below(4000) as f32 / 100.0 };
                    if mask.contains(token) { value + lift } else { value }
                })
                .collect();
            check(&mask, &row, &row)?;
            let halves: Vec<u16> = row.iter().map(|value| (value.to_bits() >> 16) as u16).collect();
            let half = Bf16::wrap(&halves);
            check(&mask, half, &half.iter().map(|half| half.to_f32()).collect::<Vec<_>>())?;
            let half = F16::wrap(&halves);
            check(&mask, half, &half.iter().map(|half| half.to_f32()).collect::<Vec<_>>())?;
            let Some(token) = mask.iter().nth(random.below(mask.len().max(1))) else { break };
            if matcher.accept(token).is_err() {
                break;
            }
        }
    }
}

#[test]
fn a_share_asks_for_a_row_and_a_number() {
    let random = &mut Rng::new(7);
    let tokens = vocabulary(random);
    let network = Network::random(random, Shape { counts: false, tokens: EDGE_TOKENS });
    let mut matcher = Matcher::new(&grammar(&network, &tokens, &[3]));
    let row = vec![0.0f32; matcher.logit_width() as usize];
    let mask = matcher.mask();
    for given in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let found = mask.log_mass(&row, Some(given));
        assert!(matches!(found, Err(MassError::LogSum { .. })), "{given}");
    }
    let found = mask.log_mass(&row[1..], None);
    assert!(matches!(found, Err(MassError::Buffer(error)) if error.needed == row.len()));
    // A log-sum-exp that is too small makes no share above 1.
    assert_eq!(mask.log_mass(&row, Some(-50.0)), Ok(0.0));
    // Nothing allowed has a share, or nothing is a number.
    let none: Vec<f32> = (0..row.len())
        .map(|at| if mask.contains(at as u32) { f32::NEG_INFINITY } else { 0.0 })
        .collect();
    assert_eq!(mask.log_mass(&none, None), Ok(f64::NEG_INFINITY));
    assert_eq!(mask.log_mass(&vec![f32::NAN; row.len()], None), Ok(f64::NEG_INFINITY));
}
