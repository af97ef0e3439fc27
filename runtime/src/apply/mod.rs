//! Kernels that apply mask words to logits: negative infinity where a bit is clear, untouched where it is set.
//!
//! Every kernel takes packed words and the logits that they speak of, in which the last word may be partly used:
//! `words.len() == logits.len().div_ceil(32)`. What a logit holds does not matter: NaN and infinities of allowed
//! tokens keep their bits. The kernel is chosen once, from what the processor has.

mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

/// A kernel.
pub(crate) type Kernel = fn(&[u32], &mut [f32]);

/// The fastest kernel that this processor runs.
pub(crate) fn kernel() -> Kernel {
    static CHOSEN: OnceLock<Kernel> = OnceLock::new();
    *CHOSEN.get_or_init(|| available().pop().map_or(scalar::apply as Kernel, |(_, kernel)| kernel))
}

/// All kernels that this processor runs, by name, fastest last.
fn available() -> Vec<(&'static str, Kernel)> {
    let mut kernels: Vec<(&'static str, Kernel)> = vec![("scalar", scalar::apply)];
    #[cfg(target_arch = "x86_64")]
    kernels.extend(x86::available());
    kernels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, one logit at a time.
    fn oracle(words: &[u32], logits: &mut [f32]) {
        for (at, logit) in logits.iter_mut().enumerate() {
            if words[at / 32] >> (at % 32) & 1 == 0 {
                *logit = f32::NEG_INFINITY;
            }
        }
    }

    fn word() -> impl Strategy<Value = u32> {
        prop_oneof![2 => Just(0), 2 => Just(u32::MAX), 3 => any::<u32>(), 1 => (0u32..32).prop_map(|b| 1 << b)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        /// Bit for bit the oracle's result, at every width, tail and alignment, whatever the logits are.
        #[test]
        fn every_kernel_agrees_with_the_oracle(
            width in prop_oneof![3 => 0usize..300, 1 => 4000usize..4200],
            skew in 0usize..17,
            pool in prop::collection::vec(word(), 1..40),
            bits in prop::collection::vec(any::<u32>(), 1..40),
        ) {
            let words: Vec<u32> =
                (0..width.div_ceil(32)).map(|at| pool[at % pool.len()].rotate_left(at as u32)).collect();
            let given: Vec<f32> =
                (0..skew + width + 16).map(|at| f32::from_bits(bits[at % bits.len()])).collect();
            let mut expected = given.clone();
            oracle(&words, &mut expected[skew..skew + width]);
            let raw = |row: &[f32]| row.iter().map(|logit| logit.to_bits()).collect::<Vec<_>>();
            for (name, kernel) in available() {
                let mut found = given.clone();
                kernel(&words, &mut found[skew..skew + width]);
                prop_assert_eq!(raw(&found), raw(&expected), "{}", name);
            }
        }
    }

    #[test]
    fn special_values_survive_and_are_masked() {
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE / 2.0];
        for (name, kernel) in available() {
            let mut row: Vec<f32> = special.iter().copied().cycle().take(64).collect();
            let before: Vec<u32> = row.iter().map(|logit| logit.to_bits()).collect();
            kernel(&[u32::MAX, 0], &mut row);
            let after: Vec<u32> = row.iter().map(|logit| logit.to_bits()).collect();
            assert_eq!(after[..32], before[..32], "{name}");
            assert!(row[32..].iter().all(|&logit| logit == f32::NEG_INFINITY), "{name}");
        }
    }
}
