//! The share of the softmax that a mask allows.
//!
//! The share is found from two sums of [weights](super::weights): of the allowed tokens and of the forbidden ones. Each
//! sum is relative to the greatest logit of its side, so a side keeps its precision however small its share is.
//!
//! With the log-sum-exp of the whole row, one side is enough. The smaller side is read. If it is the forbidden one and has
//! at least half of the softmax, the difference to 1 would lose precision, and the allowed side is read after all.
//!
//! Tests: `src/tests/masses.rs`.

use super::logit::Logit;
use super::logit::sealed::Lane;
use super::row::Row;
use super::weights::{ONE, weight};
use crate::error::MassError;
use crate::mask::union::{BLOCK, Mask};

impl Mask<'_> {
    /// Returns the logarithm of the share of the softmax that is allowed: the log-sum-exp of the allowed logits minus that
    /// of all logits. 0 if nothing is forbidden, negative infinity if no allowed token has a share. The logits do not
    /// change.
    ///
    /// A product of such shares, one for each token, is the weight by which constrained sampling differs from the
    /// model's own distribution under the condition that the output is valid.
    ///
    /// `log_sum` is the log-sum-exp of the whole row, if the host has it already. Then only the logits of the allowed or
    /// of the forbidden tokens are read, whichever are fewer. Without it, the call reads the row twice. The logits are
    /// the model's: apply temperatures first, masks afterwards.
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
    /// Returns the log-sum-exp of the logits.
    fn log(self) -> f64 {
        self.most + self.total.ln()
    }

    /// Returns the logarithm of this sum's share in the sum of both. Negative infinity if this sum is 0.
    fn log_share(self, other: Self) -> f64 {
        if self.total == 0.0 {
            return f64::NEG_INFINITY;
        }
        // Equal infinities have no difference.
        let scale = if self.most == other.most { 1.0 } else { (other.most - self.most).exp() };
        0.0 - (other.total / self.total * scale).ln_1p()
    }
}

impl<L: Lane> Row<'_, '_, L> {
    /// Returns the sum of the exponentials of one side's logits.
    fn sum(&self, side: Side) -> WeightSum {
        let mut most = f32::NEG_INFINITY;
        let mut total = 0.0;
        match self.lists.filter(|_| side == Side::Allowed) {
            Some(lists) => {
                for (_, value) in self.listed(lists) {
                    most = if value > most { value } else { most };
                }
                total =
                    self.listed(lists).map(|(_, value)| f64::from(weight(value, most, 1.0))).sum();
            }
            None => {
                self.side(side, |words, logits| {
                    let greatest = L::most(self.kernels, words, logits);
                    most = if greatest > most { greatest } else { most };
                });
                self.side(side, |words, logits| {
                    total += L::total(self.kernels, words, logits, most, 1.0);
                });
            }
        }
        WeightSum { most: most.into(), total: total / f64::from(ONE) }
    }

    /// Calls `show` with the words of one side and their logits, block by block. Bits past the row mean nothing.
    fn side(&self, side: Side, mut show: impl FnMut(&[u32], &[L])) {
        let mut inverted = [0; BLOCK];
        self.blocks(|words, logits, _| {
            if side == Side::Allowed {
                show(words, logits);
            } else {
                let inverted = &mut inverted[..words.len()];
                inverted.iter_mut().zip(words).for_each(|(inverted, word)| *inverted = !word);
                show(inverted, logits);
            }
            None::<()>
        });
    }
}
