//! Picking a token under a mask without writing the mask into the logits: the greatest, or a draw.
//!
//! A sparse mask is walked as [lists](crate::lists): only the logits of allowed tokens are read. Any other is taken in blocks of words, made on the stack and handed to the
//! [kernels](crate::apply). Both give the same token: see [`weights`](crate::apply::weights) for why a draw does not
//! depend on the way its sum was taken.
//!
//! # NaN and infinities
//!
//! A NaN is less than every number: it is picked where all allowed logits are NaN, and then the least token is.
//! Infinities are numbers like others. A draw chooses evenly among the logits that are equal to the greatest
//! allowed one where that is infinite.

use grammarc_artifacts::MaskPool;

use crate::apply::Kernels;
use crate::apply::weights::weight;
use crate::error::{BufferError, SampleError};
use crate::lists::Lists;
use crate::logit::Logit;
use crate::logit::sealed::Lane;
use crate::mask::{BITS, BLOCK, Mask};

/// Blocks whose sums of weights are kept for the search: those of a row of 262,144. Others are summed twice.
const SUMS: usize = 64;

/// Words that are searched one logit at a time once it is known that the token is among them.
const SEARCHED: usize = 4;

impl Mask<'_> {
    /// The allowed token with the greatest logit, the least of those where there are several; `None` where no token
    /// is allowed. The logits are not changed.
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

    /// Draws an allowed token from the softmax of the allowed logits; `None` where no token is allowed. The logits
    /// are not changed.
    ///
    /// `temperature` divides the logits; at 0 the draw is [`argmax`](Self::argmax). `uniform` is a number from the
    /// host's generator, in `0.0..1.0`: the same number draws the same token, on every processor. Tokens are laid
    /// out on that interval in ascending order of their ids. Tokens less than 3e-11 times as likely as the most likely
    /// one are never drawn.
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

/// A mask over a row of logits.
struct Row<'r, 'm, L> {
    mask: &'r Mask<'m>,
    pool: &'r MaskPool<'m>,
    /// The mask where it is sparse.
    lists: Option<Lists<'m>>,
    logits: &'r [L],
    kernels: &'static Kernels,
}

impl<'r, 'm, L: Lane> Row<'r, 'm, L> {
    fn new(mask: &'r Mask<'m>, pool: &'r MaskPool<'m>, logits: &'r [L]) -> Self {
        let lists = mask.lists(pool);
        Self { mask, pool, lists, logits, kernels: Kernels::fastest() }
    }

    /// The allowed tokens of a sparse mask with their logits.
    fn listed(&self, lists: Lists<'m>) -> impl Iterator<Item = (u32, f32)> {
        lists.iter().filter_map(|token| Some((token, self.logits.get(token as usize)?.value())))
    }

    /// Shows a function each block of words with its logits and the number of its first word, until it returns
    /// something.
    fn blocks<T>(&self, mut show: impl FnMut(&[u32], &[L], usize) -> Option<T>) -> Option<T> {
        let mut block = [0; BLOCK];
        self.logits.chunks(BLOCK * BITS).enumerate().find_map(|(at, logits)| {
            let words = &mut block[..logits.len().div_ceil(BITS)];
            let words = self.mask.words_at(self.pool, at * BLOCK, words);
            show(words, logits, at * BLOCK)
        })
    }

    /// The greatest allowed logit that is a number, negative infinity where there is none, and the number of the
    /// first word of a block that has it.
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
                    let most = L::most(self.kernels, words, logits);
                    best = if most > best.0 { (most, first) } else { best };
                    None::<()>
                });
            }
        }
        best
    }

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
                at >= first && L::most(self.kernels, words, logits) == most
            };
            let near = self.narrow(words, logits, has_most)?;
            let words = &words[near..words.len().min(near + SEARCHED)];
            tokens(words, at + near).find(|&token| value(token) == most)
        });
        equal.or(least)
    }

    /// The first of the groups of [`SEARCHED`] words that a question is true of, by its first word.
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

    /// A draw, `None` where no allowed logit is a number.
    fn draw(&self, scale: f32, uniform: f64) -> Option<u32> {
        let (most, _) = self.most();
        let weight = |value| f64::from(weight(value, most, scale));
        if let Some(lists) = self.lists {
            let total: f64 = self.listed(lists).map(|(_, value)| weight(value)).sum();
            let mut search = Search::new(uniform, total)?;
            return search.through(self.listed(lists).map(|(token, value)| (token, weight(value))));
        }
        let sum = |words: &[u32], logits: &[L]| L::total(self.kernels, words, logits, most, scale);
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
    left: f64,
}

impl Search {
    /// A search at a place in a total of weights, which are integers; `None` where the total is nothing.
    fn new(place: f64, total: f64) -> Option<Self> {
        (total > 0.0).then(|| Self { left: (place * total).min(total - 1.0) })
    }

    /// Goes past a weight that the target is not within, or stays before it.
    fn passes(&mut self, weight: f64) -> bool {
        let passes = weight <= self.left;
        if passes {
            self.left -= weight;
        }
        passes
    }

    fn through(&mut self, mut weights: impl Iterator<Item = (u32, f64)>) -> Option<u32> {
        weights.find(|&(_, weight)| !self.passes(weight)).map(|(token, _)| token)
    }
}

/// The tokens whose bits are set in words, of which the first has number `first`.
fn tokens(words: &[u32], first: usize) -> impl Iterator<Item = u32> {
    words.iter().enumerate().flat_map(move |(at, &word)| {
        let base = (first + at) as u32 * u32::BITS;
        let rests = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
        rests.take_while(|&word| word != 0).map(move |word| base + word.trailing_zeros())
    })
}
