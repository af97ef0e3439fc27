//! Every set of kernels, compared with definitions of one line and with the other sets.

use proptest::prelude::*;

use super::formats::{Bf16, F16};
use super::logit::sealed::Lane;
use super::{Kernels, weights};

/// A logit together with its bit pattern.
trait Raw: Lane + bytemuck::Pod {
    fn raw(self) -> u32;
    fn from_raw(bits: u32) -> Self;
    const INFINITY: u32;
}

impl Raw for f32 {
    fn raw(self) -> u32 {
        self.to_bits()
    }
    fn from_raw(bits: u32) -> Self {
        Self::from_bits(bits)
    }
    const INFINITY: u32 = 0xff80_0000;
}

impl Raw for F16 {
    fn raw(self) -> u32 {
        self.0.into()
    }
    fn from_raw(bits: u32) -> Self {
        Self((bits >> 16) as u16)
    }
    const INFINITY: u32 = 0xfc00;
}

impl Raw for Bf16 {
    fn raw(self) -> u32 {
        self.0.into()
    }
    fn from_raw(bits: u32) -> Self {
        Self((bits >> 16) as u16)
    }
    const INFINITY: u32 = 0xff80;
}

fn is_set(words: &[u32], token: usize) -> bool {
    words[token / 32] >> (token % 32) & 1 != 0
}

/// Checks all kernels on a row that begins `skew` logits into its allocation.
fn check<L: Raw>(
    words: &[u32],
    row: &[u32],
    skew: usize,
    width: usize,
) -> Result<(), TestCaseError> {
    let given: Vec<L> = row.iter().map(|&bits| L::from_raw(bits)).collect();
    let raw = |row: &[L]| row.iter().map(|logit| logit.raw()).collect::<Vec<_>>();
    let part = skew..skew + width;
    let mut expected = raw(&given);
    for token in 0..width {
        if !is_set(words, token) {
            expected[skew + token] = L::INFINITY;
        }
    }
    let values = || given[part.clone()].iter().map(|logit| logit.value()).enumerate();
    let allowed = || values().filter(|at| is_set(words, at.0)).map(|at| at.1);
    let most = allowed().filter(|value| !value.is_nan()).fold(f32::NEG_INFINITY, f32::max);
    let weights = allowed().map(|value| f64::from(weights::weight(value, most, 0.7)));
    let total: f64 = weights.sum();
    for kernels in Kernels::available() {
        let mut found = given.clone();
        L::apply(&kernels, words, &mut found[part.clone()]);
        prop_assert_eq!(raw(&found), &expected[..], "{}", kernels.name);
        let found = L::most(&kernels, words, &given[part.clone()]);
        prop_assert_eq!(found, most, "{}", kernels.name);
        let found = L::total(&kernels, words, &given[part.clone()], most, 0.7);
        prop_assert_eq!(found, total, "{}", kernels.name);
    }
    Ok(())
}

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![2 => Just(0), 2 => Just(u32::MAX), 3 => any::<u32>(), 1 => (0u32..32).prop_map(|b| 1 << b)]
}

/// Draws the bits of a logit: any bits, a usual number, or a pattern that is special in one of the
/// formats.
fn bits() -> impl Strategy<Value = u32> {
    let special = [0x7f80, 0xff80, 0x7fc0, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x8000, 0x0001, 0x0000];
    prop_oneof![
        1 => any::<u32>(),
        3 => (-30.0f32..30.0).prop_map(f32::to_bits),
        1 => prop::sample::select(special.map(|half| half << 16).to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Compares kernels with their definitions at every width, tail and alignment, with any logits.
    #[test]
    fn every_kernel_agrees_with_its_definition(
        width in prop_oneof![3 => 0usize..300, 1 => 4000usize..4200],
        skew in 0usize..65,
        pool in prop::collection::vec(word(), 1..40),
        bits in prop::collection::vec(bits(), 1..60),
    ) {
        let words: Vec<u32> =
            (0..width.div_ceil(32)).map(|at| pool[at % pool.len()].rotate_left(at as u32)).collect();
        let row: Vec<u32> = (0..skew + width + 40).map(|at| bits[at % bits.len()]).collect();
        check::<f32>(&words, &row, skew, width)?;
        check::<F16>(&words, &row, skew, width)?;
        check::<Bf16>(&words, &row, skew, width)?;
    }
}

/// Compares the conversion of each of the 65,536 half-precision numbers with the definition of the
/// format.
#[test]
fn halves_are_read_exactly() {
    for bits in 0..=u16::MAX {
        let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), bits & 0x3ff);
        let magnitude = match exponent {
            0 => f64::from(fraction) * 2f64.powi(-24),
            31 if fraction == 0 => f64::INFINITY,
            31 => f64::NAN,
            _ => f64::from(fraction | 0x400) * 2f64.powi(exponent - 25),
        };
        let expected = if sign == 1 { -magnitude } else { magnitude };
        let found = f64::from(F16(bits).to_f32());
        let same = found == expected && found.is_sign_negative() == (sign == 1);
        assert!(same || found.is_nan() && expected.is_nan(), "{bits:#06x}: {found}");
        let found = Bf16(bits).to_f32().to_bits();
        assert_eq!(found, u32::from(bits) << 16);
    }
}

#[test]
fn kernels_have_names_of_their_own() {
    let mut names: Vec<&str> = Kernels::available().iter().map(|kernels| kernels.name).collect();
    assert_eq!(names.last(), Some(&Kernels::fastest().name));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Kernels::available().len());
}

#[test]
fn words_must_reach_the_end_of_the_row() {
    for kernels in Kernels::available() {
        let mut row = [1.0f32; 33];
        let found = kernels.apply(&[u32::MAX], &mut row).unwrap_err();
        assert_eq!((found.found, found.needed), (1, 2));
        kernels.apply(&[u32::MAX, 0, 0], &mut row).unwrap();
        assert_eq!(row[..32], [1.0; 32]);
        assert_eq!(row[32], f32::NEG_INFINITY);
    }
}
