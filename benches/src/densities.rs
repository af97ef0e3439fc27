//! Mask words of chosen density, for the kernels that apply them.

use grammarc_test_data::Rng;

/// A density: its name, and its share. One token of `among` is allowed, or forbidden if `inverse`.
#[derive(Clone, Copy, Debug)]
pub struct Density {
    /// The name in tables.
    pub name: &'static str,
    among: usize,
    inverse: bool,
}

/// From masks that allow next to nothing to masks that allow nearly all. Grammars give both ends; the middle is the
/// worst case of a kernel.
pub const DENSITIES: [Density; 5] = [
    Density { name: "0.02 % allowed", among: 5_000, inverse: false },
    Density { name: "2 % allowed", among: 50, inverse: false },
    Density { name: "half allowed", among: 2, inverse: false },
    Density { name: "98 % allowed", among: 50, inverse: true },
    Density { name: "99.98 % allowed", among: 5_000, inverse: true },
];

impl Density {
    /// Words for `width` tokens, chosen at random.
    pub fn words(&self, width: usize) -> Vec<u32> {
        let mut rng = Rng::new(0);
        let mut words = vec![0; width.div_ceil(32)];
        for token in 0..width {
            words[token / 32] |= u32::from(rng.one_in(self.among) != self.inverse) << (token % 32);
        }
        words
    }
}

/// Number of tokens that mask words allow.
pub fn allowed(words: &[u32]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_are_what_they_are_called() {
        let shares = DENSITIES.map(|density| allowed(&density.words(128_256)) as f64 / 1282.56);
        for (share, expected) in shares.into_iter().zip([0.02, 2.0, 50.0, 98.0, 99.98]) {
            assert!((share - expected).abs() < 0.5, "{share} for {expected}");
        }
        assert!(shares[0] > 0.0 && shares[4] < 100.0);
    }

    #[test]
    fn no_bit_stands_behind_the_width() {
        for density in DENSITIES {
            let words = density.words(70);
            assert_eq!((words.len(), words[2] >> 6), (3, 0));
        }
    }
}
