//! The choice of a token under a mask, without writing the mask into the logits: the greatest logit, or a draw.
//!
//! A sparse mask is read as [lists](crate::mask::lists), so only the logits of allowed tokens are read. Any other mask
//! is read in blocks of words on the stack, by the [kernels](crate::apply). Both ways choose the same token, since a
//! sum of
//! [weights](super::weights) does not depend on the order of summation.
//!
//! # NaN and infinities
//!
//! A NaN is less than every number. If all allowed logits are NaN, the least token is chosen. Infinities are numbers
//! like others. If the greatest allowed logit is infinite, a draw chooses evenly among the logits equal to it.
//!
//! Tests: `src/tests/picks.rs`.

use super::logit::Logit;
use super::logit::sealed::Lane;
use super::row::Row;
use super::weights::weight;
use crate::error::{BufferError, SampleError};
use crate::mask::union::{BITS, BLOCK, Mask};

/// Number of blocks of a row whose sums of weights are kept between the two passes of a draw: 262,144 tokens. The sums
/// of further blocks are computed twice.
const SUMS: usize = 64;

/// Number of mask words in the last step of a search, whose logits are read one by one.
const SEARCHED: usize = 4;

impl Mask<'_> {
    /// Returns the allowed token with the greatest logit: the least token if several logits are equal, `None` if no
    /// token is allowed. The logits do not change.
    ///
    /// O(allowed tokens) for a sparse mask, else one pass over the row.
    ///
    /// # Errors
    ///
    /// The row does not have the logit width.
    pub fn argmax<L: Logit>(&self, logits: &[L]) -> Result<Option<u32>, BufferError> {
        self.check_row(logits.len())?;
        let pool = self.pool();
        Ok(Row::new(self, &pool, L::lanes(logits)).greatest())
    }

    /// Draws an allowed token from the softmax of the allowed logits. `None` if no token is allowed. The logits do not
    /// change.
    ///
    /// `temperature` divides the logits. At 0 the draw is [`argmax`](Self::argmax). `uniform` is a number in `0.0..1.0`
    /// from the host's random number generator. The same number draws the same token on every processor. Tokens divide
    /// that interval in ascending order of their ids. Tokens less than 3e-11 times as likely as the most likely one are
    /// never drawn.
    ///
    /// O(allowed tokens) for a sparse mask, else two passes over the row.
    ///
    /// # Errors
    ///
    /// The row does not have the logit width, the temperature is negative or not a number, or `uniform` is outside
    /// its range.
    pub fn sample<L: Logit>(
        &self,
        logits: &[L],
        temperature: f32,
        uniform: f64,
    ) -> Result<Option<u32>, SampleError> {
        self.check_row(logits.len())?;
        if !(0.0..=f32::MAX).contains(&temperature) {
            return Err(SampleError::Temperature { given: temperature });
        }
        if !(0.0..1.0).contains(&uniform) {
            return Err(SampleError::Uniform { given: uniform });
        }
        let pool = self.pool();
        let row = Row::new(self, &pool, L::lanes(logits));
        let drawn = if temperature > 0.0 { row.draw(1.0 / temperature, uniform) } else { None };
        Ok(drawn.or_else(|| row.greatest()))
    }
}

impl<L: Lane> Row<'_, '_, L> {
    /// Returns the greatest allowed logit, and the index of the first word of a block that has it. The logit is
    /// negative infinity if no allowed logit is a number. For a sparse mask the index is 0.
    fn most(&self) -> (f32, usize) {
        let mut best = (f32::NEG_INFINITY, 0);
        match self.lists {
            Some(lists) => {
                for (_, value) in self.listed(lists) {
                    best.0 = if value > best.0 { value } else { best.0 };
                }
            }
            None => {
                self.blocks(|words, logits, first| {
                    let most = L::most(self.kernels(), words, logits);
                    best = if most > best.0 { (most, first) } else { best };
                    None::<()>
                });
            }
        }
        best
    }

    /// Returns the least of the tokens with the greatest allowed logit. If all allowed logits are NaN, the least
    /// allowed token. `None` if no token is allowed.
    fn greatest(&self) -> Option<u32> {
        let (most, first) = self.most();
        let value = |token: u32| self.logits[token as usize].value();
        if let Some(lists) = self.lists {
            let equal = self.listed(lists).find(|&(_, value)| value == most);
            return equal.map(|(token, _)| token).or_else(|| lists.iter().next());
        }
        let mut least = None;
        let equal = self.blocks(|words, logits, at| {
            if most == f32::NEG_INFINITY {
                least = least.or_else(|| tokens(words, at).next());
                return tokens(words, at).find(|&token| value(token) == most);
            }
            let has_most = |words: &[u32], logits: &[L]| {
                at >= first && L::most(self.kernels(), words, logits) == most
            };
            let near = self.narrow(words, logits, has_most)?;
            let words = &words[near..words.len().min(near + SEARCHED)];
            tokens(words, at + near).find(|&token| value(token) == most)
        });
        equal.or(least)
    }

    /// Returns the index of the first word of the first group of [`SEARCHED`] words for which `holds` returns `true`.
    /// `None` if `holds` never does.
    fn narrow(
        &self,
        words: &[u32],
        logits: &[L],
        mut holds: impl FnMut(&[u32], &[L]) -> bool,
    ) -> Option<usize> {
        let groups = words.chunks(SEARCHED).zip(logits.chunks(SEARCHED * BITS));
        let found = groups.enumerate().find(|(_, (words, logits))| holds(words, logits));
        found.map(|(group, _)| group * SEARCHED)
    }

    /// Draws a token by the weights of the allowed logits. `scale` is the inverse of the temperature. `None` if no
    /// allowed logit is a number.
    fn draw(&self, scale: f32, uniform: f64) -> Option<u32> {
        let (most, _) = self.most();
        let weight = |value| f64::from(weight(value, most, scale));
        if let Some(lists) = self.lists {
            let total: f64 = self.listed(lists).map(|(_, value)| weight(value)).sum();
            let mut search = Search::new(uniform, total)?;
            return search.through(self.listed(lists).map(|(token, value)| (token, weight(value))));
        }
        let sum =
            |words: &[u32], logits: &[L]| L::total(self.kernels(), words, logits, most, scale);
        let mut total = 0.0;
        let mut sums = [0.0; SUMS];
        self.blocks(|words, logits, at| {
            let sum = sum(words, logits);
            total += sum;
            if let Some(place) = sums.get_mut(at / BLOCK) {
                *place = sum;
            }
            None::<()>
        });
        let mut search = Search::new(uniform, total)?;
        self.blocks(|words, logits, at| {
            let sum_here = sums.get(at / BLOCK).copied().unwrap_or_else(|| sum(words, logits));
            if search.passes(sum_here) {
                return None;
            }
            let near =
                self.narrow(words, logits, |words, logits| !search.passes(sum(words, logits)))?;
            let words = &words[near..words.len().min(near + SEARCHED)];
            let value = |token: u32| self.logits[token as usize].value();
            search.through(tokens(words, at + near).map(|token| (token, weight(value(token)))))
        })
    }
}

/// The search for the token at which a running sum of weights first exceeds a target.
struct Search {
    /// Distance from the running sum to the target.
    left: f64,
}

impl Search {
    /// Returns a search for the target `place * total`, with `place` in `0.0..1.0`. `None` if the total is 0. All
    /// weights are integers.
    fn new(place: f64, total: f64) -> Option<Self> {
        (total > 0.0).then(|| Self { left: (place * total).min(total - 1.0) })
    }

    /// Adds a weight to the running sum unless the sum would exceed the target. Returns whether the weight was added.
    fn passes(&mut self, weight: f64) -> bool {
        let passes = weight <= self.left;
        if passes {
            self.left -= weight;
        }
        passes
    }

    /// Returns the first token at which the running sum exceeds the target. `None` if it never does.
    fn through(&mut self, mut weights: impl Iterator<Item = (u32, f64)>) -> Option<u32> {
        weights.find(|&(_, weight)| !self.passes(weight)).map(|(token, _)| token)
    }
}

/// Returns the tokens whose bits are set in words. `first` is the index of the first word in the row.
fn tokens(words: &[u32], first: usize) -> impl Iterator<Item = u32> {
    words.iter().enumerate().flat_map(move |(at, &word)| {
        let base = (first + at) as u32 * u32::BITS;
        let rests = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
        rests.take_while(|&word| word != 0).map(move |word| base + word.trailing_zeros())
    })
}
