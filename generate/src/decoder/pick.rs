//! Draws a token from a row of logits, and computes the log probabilities that the host requests.

use super::state::OutputState;
use crate::error::GenerateError;
use crate::output::{Event, LEAST_LOGPROB, TokenLogprob};
use crate::params::GenerateParams;
use crate::sampling::{Cuts, Draws, draw, log_sum, mass, ranked};

/// Draws the tokens of one output.
pub(super) struct Picker {
    draws: Draws,
    /// Number of consecutive tokens at which the total probability of the allowed tokens was below
    /// the limit.
    unlikely: u32,
}

impl Picker {
    /// Creates a picker that is before the first draw.
    pub(super) fn new(draws: Draws) -> Self {
        Self { draws, unlikely: 0 }
    }

    /// Draws a token from a row of logits. `None` if the allowed tokens were too unlikely for too
    /// long.
    ///
    /// # Errors
    ///
    /// The length of the row is not the model's logit width, no token is allowed, or no allowed
    /// token has a finite logit.
    pub(super) fn pick(
        &mut self,
        output: &mut OutputState,
        row: &mut [f32],
    ) -> Result<Option<u32>, GenerateError> {
        output.adjust.apply(row);
        let tokens = output.tokens();
        let logprobs = output.params.logprobs;
        let raw = logprobs.filter(|logprobs| !logprobs.masked).map(|_| row.to_vec());
        let is_summed = logprobs.is_some() || output.params.prob_limit.is_some();
        let before = is_summed.then(|| log_sum(row));
        let mut only = None;
        match &mut output.matcher {
            Some(matcher) => {
                let mask = matcher.mask();
                mask.apply(row)?;
                only = mask.only();
                if only.is_none() && mask.is_empty() {
                    return Err(GenerateError::DeadEnd { tokens });
                }
            }
            // Logits after the vocabulary's last token are padding.
            None => {
                let width = output.vocabulary.logit_width() as usize;
                row.iter_mut().skip(width).for_each(|logit| *logit = f32::NEG_INFINITY);
            }
        }
        let kept =
            before.filter(|_| output.matcher.is_some()).map(|before| mass(before, log_sum(row)));
        if kept.is_some_and(|kept| self.is_too_unlikely(&output.params, kept)) {
            return Ok(None);
        }
        let GenerateParams { temperature, top_k, top_p, min_p, .. } = output.params;
        let cuts = Cuts { temperature, top_k, top_p, min_p };
        let token = only.or_else(|| draw(row, &cuts, || self.draws.uniform()));
        let token = token.ok_or(GenerateError::NoLogits { tokens })?;
        if logprobs.is_some() {
            let shown = raw.as_deref().unwrap_or(row);
            let sum = before.filter(|_| raw.is_some()).unwrap_or_else(|| log_sum(shown));
            let logprob = logprob(&output.params, token, shown, sum);
            let mass = kept.map(|kept| kept as f32);
            output.delivery.push(Event::Tokens(vec![TokenLogprob { mass, ..logprob }]));
            output.sequence.observe(output.sequence.len() + 1);
        }
        Ok(Some(token))
    }

    /// Counts consecutive probabilities below the limit. `kept` is the total probability of the
    /// allowed tokens. Returns whether the count has reached the limit's patience.
    fn is_too_unlikely(&mut self, params: &GenerateParams, kept: f64) -> bool {
        let Some(limit) = params.prob_limit else { return false };
        let is_below = kept < f64::from(limit.below);
        self.unlikely = if is_below { self.unlikely + 1 } else { 0 };
        self.unlikely >= limit.patience
    }
}

/// Sends the log probability of a token that was forced. `at` is the token's index in the sequence,
/// and `row` has the logits before it.
pub(super) fn observe(output: &mut OutputState, at: usize, token: u32, row: &mut [f32]) {
    if at < output.sequence.observed() {
        return;
    }
    output.adjust.apply(row);
    let logprob = logprob(&output.params, token, row, log_sum(row));
    // The mask at a forced token allows only this token.
    let mass = Some(logprob.logprob.exp());
    let logprob = TokenLogprob { forced: true, mass, ..logprob };
    output.delivery.push(Event::Tokens(vec![logprob]));
    output.sequence.observe(at + 1);
}

/// Returns the log probability of a drawn token and those of the likeliest tokens. `sum` is the
/// logarithm of the sum of the row's exponentials.
fn logprob(params: &GenerateParams, token: u32, row: &[f32], sum: f64) -> TokenLogprob {
    let top = params.logprobs.map_or(0, |logprobs| logprobs.top as usize);
    let of = |logit: f32| ((f64::from(logit) - sum) as f32).max(LEAST_LOGPROB);
    let logprob = row.get(token as usize).map_or(LEAST_LOGPROB, |&logit| of(logit));
    let top = ranked(row, top).into_iter().map(|(token, logit)| (token, of(logit))).collect();
    TokenLogprob { token, logprob, forced: false, mass: None, top }
}
