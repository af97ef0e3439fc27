//! Random numbers that are the same on every run.

/// A generator of the xorshift family.
pub(crate) struct Random(u64);

impl Random {
    /// A generator. Equal seeds give equal numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a bound, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    /// One of some tokens: the shortest of a few draws, half of the time, so that walks come to punctuation as well as
    /// to words; any, the other half.
    pub(crate) fn token(&mut self, tokens: &[u32], length: impl Fn(u32) -> usize) -> u32 {
        let draws = if self.below(2) == 0 { 6 } else { 1 };
        let draws = (0..draws).map(|_| tokens[self.below(tokens.len())]);
        draws.min_by_key(|&token| length(token)).expect("there is at least one draw")
    }
}
