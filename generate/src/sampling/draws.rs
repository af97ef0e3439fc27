//! Random numbers that are the same on every machine and in every version: ChaCha with 8 rounds, one stream a choice.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// The random numbers of one output.
#[derive(Clone, Debug)]
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    /// Returns the stream of a choice under a seed.
    pub(crate) fn new(seed: u64, choice: u32) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(u64::from(choice));
        Self(generator)
    }

    /// Returns a number in `0.0..1.0`, of 53 bits.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns a random seed of 53 bits, which JSON represents exactly.
pub fn fresh_seed() -> u64 {
    let mut bytes = [0; 8];
    // Without the system's numbers the clock's will do: a seed is no secret.
    if getrandom::fill(&mut bytes).is_err() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        bytes = (now.map_or(0, |now| now.as_nanos() as u64)).to_le_bytes();
    }
    u64::from_le_bytes(bytes) >> 11
}
