//! The share of the softmax that a mask allows.
//!
//! The share is found from two sums of exponentials: of the allowed tokens and of the forbidden ones. Each sum is relative
//! to the greatest logit of its side, so a side keeps its precision however small its share is.
//!
//! One pass reads a side. Each part of it, a block of dense words or some hundred single logits, becomes a sum of
//! [weights](super::weights) relative to its own greatest logit. Parts are then added up.
//!
//! With the log-sum-exp of the whole row, one side is enough. The smaller side is read. If it is the forbidden one and has
//! at least half of the softmax, the difference to 1 would lose precision, and the allowed side is read after all.
//!
//! Tests: `src/tests/masses.rs`.

use super::kernels::Kernels;
use super::logit::Logit;
use super::logit::sealed::Lane;
use super::row::Row;
use super::weights::ONE;
use crate::error::MassError;
use crate::mask::union::{BITS, BLOCK, Mask};

/// Most tokens of a mask word whose logits are gathered one by one. A kernel reads all 32 logits of a word, in the time of
/// some eight gathered ones. A word with more tokens goes to the kernel.
const FEW: u32 = 8;

/// Number of gathered logits that a kernel reads at once: a kibibyte, which stays in a first-level cache.
const GATHERED: usize = 256;

/// Mask words that select all gathered logits.
const ALL: [u32; GATHERED / BITS] = [u32::MAX; GATHERED / BITS];

impl Mask<'_> {
    /// Returns the logarithm of the share of the softmax that is allowed: the log-sum-exp of the allowed logits minus that
    /// of all logits. 0 if nothing is forbidden, negative infinity if no allowed token has a share. The logits do not
    /// change.
    ///
    /// The product of these shares over an output is its importance weight: its probability under the model, divided by
    /// its probability under masked sampling.
    ///
    /// `log_sum` is the log-sum-exp of the whole row, if the host has it already. Then only the logits of the allowed or
    /// of the forbidden tokens are read, whichever are fewer. Without it, all are read. The logits are the model's: apply
    /// temperatures first, masks afterwards.
    ///
    /// NaN has no share, and infinite logits share evenly, as in [`sample`](Self::sample). The error of the logarithm is
    /// below 1e-5 for rows of up to 262,144 logits, besides that of `log_sum`. The result never exceeds 0.
    ///
    /// # Errors
    ///
    /// The row does not have the logit width, or `log_sum` is infinite or not a number.
    pub fn log_mass<L: Logit>(&self, logits: &[L], log_sum: Option<f64>) -> Result<f64, MassError> {
        self.check_row(logits.len())?;
        let pool = self.pool();
        let row = Row::new(self, &pool, L::lanes(logits));
        let Some(log_sum) = log_sum else {
            return Ok(row.sum(Side::Allowed).log_share(row.sum(Side::Forbidden)));
        };
        if !log_sum.is_finite() {
            return Err(MassError::LogSum { given: log_sum });
        }
        if self.len() > logits.len() / 2 {
            let forbidden = (row.sum(Side::Forbidden).log() - log_sum).exp();
            if forbidden < 0.5 {
                return Ok((-forbidden).ln_1p());
            }
        }
        Ok((row.sum(Side::Allowed).log() - log_sum).min(0.0))
    }
}

/// The tokens of a row that are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Tokens in the mask.
    Allowed,
    /// Tokens of the row that are not in the mask.
    Forbidden,
}

/// A sum of exponentials of logits.
#[derive(Clone, Copy, Debug)]
struct WeightSum {
    /// Greatest logit. Negative infinity if there is none.
    most: f64,
    /// Sum of the weights relative to `most`, in units of the greatest logit's weight.
    total: f64,
}

impl WeightSum {
    /// The sum of no logits.
    const NOTHING: Self = Self { most: f64::NEG_INFINITY, total: 0.0 };

    /// Returns the sum of the logits whose bit is set.
    fn of<L: Lane>(kernels: &Kernels, words: &[u32], logits: &[L]) -> Self {
        let most = L::most(kernels, words, logits);
        let total = L::total(kernels, words, logits, most, 1.0) / f64::from(ONE);
        Self { most: most.into(), total }
    }

    /// Returns the log-sum-exp of the logits.
    fn log(self) -> f64 {
        self.most + self.total.ln()
    }

    /// Returns the sum of both.
    fn plus(self, other: Self) -> Self {
        let (greater, less) = if self.most < other.most { (other, self) } else { (self, other) };
        Self { most: greater.most, total: greater.total + less.total * less.scale(greater) }
    }

    /// Returns the logarithm of this sum's share in the sum of both. Negative infinity if this sum is 0.
    fn log_share(self, other: Self) -> f64 {
        if self.total == 0.0 {
            return f64::NEG_INFINITY;
        }
        0.0 - (other.total / self.total * other.scale(self)).ln_1p()
    }

    /// Returns the weight of this sum's greatest logit relative to that of `other`. Equal infinities have no difference.
    fn scale(self, other: Self) -> f64 {
        if self.most == other.most { 1.0 } else { (self.most - other.most).exp() }
    }
}

/// A sum that takes single logits, some hundred at a time.
struct Gathering {
    sum: WeightSum,
    logits: [f32; GATHERED],
    count: usize,
    kernels: &'static Kernels,
}

impl Gathering {
    fn new(kernels: &'static Kernels) -> Self {
        Self { sum: WeightSum::NOTHING, logits: [0.0; GATHERED], count: 0, kernels }
    }

    /// Adds a logit.
    #[inline]
    fn push(&mut self, logit: f32) {
        if self.count == GATHERED {
            self.close();
        }
        self.logits[self.count] = logit;
        self.count += 1;
    }

    /// Adds the logits whose bit is set.
    fn add<L: Lane>(&mut self, words: &[u32], logits: &[L]) {
        self.sum = self.sum.plus(WeightSum::of(self.kernels, words, logits));
    }

    /// Adds the gathered logits to the sum.
    fn close(&mut self) {
        let words = &ALL[..self.count.div_ceil(BITS)];
        let gathered = WeightSum::of(self.kernels, words, &self.logits[..self.count]);
        self.sum = self.sum.plus(gathered);
        self.count = 0;
    }

    /// Returns the sum.
    fn finish(mut self) -> WeightSum {
        self.close();
        self.sum
    }
}

impl<L: Lane> Row<'_, '_, L> {
    /// Returns the sum of the exponentials of one side's logits.
    fn sum(&self, side: Side) -> WeightSum {
        let mut sum = Gathering::new(self.kernels());
        if let Some(lists) = self.lists.filter(|_| side == Side::Allowed) {
            self.listed(lists).for_each(|(_, logit)| sum.push(logit));
            return sum.finish();
        }
        let flip = if side == Side::Allowed { 0 } else { u32::MAX };
        let mut dense = [0; BLOCK];
        self.blocks(|words, logits, _| {
            let dense = &mut dense[..words.len()];
            let mut has_dense = false;
            for ((dense, &word), logits) in dense.iter_mut().zip(words).zip(logits.chunks(BITS)) {
                let word = word ^ flip;
                let is_dense = word.count_ones() > FEW;
                has_dense |= is_dense;
                *dense = if is_dense { word } else { 0 };
                let mut rest = if is_dense { 0 } else { word };
                while rest != 0 {
                    // Bits past the row belong to no logit.
                    if let Some(logit) = logits.get(rest.trailing_zeros() as usize) {
                        sum.push(logit.value());
                    }
                    rest &= rest - 1;
                }
            }
            if has_dense {
                sum.add(dense, logits);
            }
            None::<()>
        });
        sum.finish()
    }
}
