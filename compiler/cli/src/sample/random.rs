//! Random numbers that are the same on every machine and in every version: ChaCha with 8 rounds,
//! one stream for each sample.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A stream of random numbers.
pub(super) struct Random(ChaCha8Rng);

impl Random {
    /// Creates the stream with the number `stream` for a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Self(generator)
    }

    /// Returns a uniform number below `bound`, or 0 if `bound` is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        if bound == 0 {
            return 0;
        }
        // Lemire's method: the high half of the product is uniform once the products with a too
        // small low half are rejected.
        let unfair = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            if product as u64 >= unfair {
                return (product >> 64) as usize;
            }
        }
    }

    /// Returns true with probability 1 in `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let draw = |seed, stream| {
            let mut random = Random::new(seed, stream);
            (0..8).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 1), draw(1, 1));
        assert_ne!(draw(1, 1), draw(1, 2));
        assert_ne!(draw(1, 1), draw(2, 1));
    }

    #[test]
    fn every_number_below_the_bound_comes_up() {
        let mut random = Random::new(0, 0);
        let mut seen = [0u32; 7];
        (0..7000).for_each(|_| seen[random.below(7)] += 1);
        assert!(seen.iter().all(|&times| (800..1200).contains(&times)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }
}
