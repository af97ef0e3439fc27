//! Random numbers that are the same on every machine and in every version: ChaCha with 8 rounds,
//! one stream for each choice.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// The stream of random numbers for one output.
#[derive(Clone, Debug)]
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    /// Creates the stream for the output with the number `choice` under a seed.
    pub(crate) fn new(seed: u64, choice: u32) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(u64::from(choice));
        Self(generator)
    }

    /// Returns a random number from 0 (inclusive) to 1 (exclusive), with 53 random bits.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns a random seed of 53 bits, which a JSON number represents exactly.
pub fn fresh_seed() -> u64 {
    let mut bytes = [0; 8];
    // If the system has no random numbers, the clock is used. A seed is not a secret.
    if getrandom::fill(&mut bytes).is_err() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        bytes = (now.map_or(0, |now| now.as_nanos() as u64)).to_le_bytes();
    }
    u64::from_le_bytes(bytes) >> 11
}
