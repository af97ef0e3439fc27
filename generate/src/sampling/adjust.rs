//! Logit bias and penalties: changes the logits before masks and draws.

use std::collections::BTreeMap;

use crate::params::Penalties;

/// The logit bias and the penalties of one output. Cost for a row: linear in the biases and, if
/// there are penalties, in the distinct tokens that have occurred.
#[derive(Clone, Debug)]
pub(crate) struct Adjust {
    bias: Vec<(u32, f32)>,
    penalties: Penalties,
    /// Maps each token to its number of occurrences in the output; 0 for tokens of the prompt only.
    /// Empty without penalties.
    counts: BTreeMap<u32, u32>,
}

impl Adjust {
    pub(crate) fn new(bias: &[(u32, f32)], penalties: Penalties, prompt: &[u32]) -> Self {
        let mut adjust = Self { bias: bias.to_vec(), penalties, counts: BTreeMap::new() };
        if penalties.repetition != 1.0 {
            adjust.counts.extend(prompt.iter().map(|&token| (token, 0)));
        }
        adjust
    }

    /// Counts a token that was added to the output.
    pub(crate) fn push(&mut self, token: u32) {
        if self.penalties != Penalties::default() {
            *self.counts.entry(token).or_default() += 1;
        }
    }

    /// Undoes the count of a token that was removed from the output.
    pub(crate) fn pop(&mut self, token: u32) {
        if let Some(count) = self.counts.get_mut(&token) {
            *count = count.saturating_sub(1);
        }
    }

    /// Applies penalties and bias to a row of logits.
    pub(crate) fn apply(&self, row: &mut [f32]) {
        let Penalties { frequency, presence, repetition } = self.penalties;
        for (&token, &count) in &self.counts {
            let Some(logit) = row.get_mut(token as usize) else { continue };
            if repetition != 1.0 {
                *logit = if *logit > 0.0 { *logit / repetition } else { *logit * repetition };
            }
            if count > 0 {
                *logit -= frequency * count as f32 + presence;
            }
        }
        for &(token, bias) in &self.bias {
            if let Some(logit) = row.get_mut(token as usize) {
                *logit += bias;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalties_count_the_output_and_repetition_the_prompt_too() {
        let penalties = Penalties { frequency: 0.5, presence: 1.0, repetition: 2.0 };
        let mut adjust = Adjust::new(&[(3, -4.0)], penalties, &[0]);
        adjust.push(1);
        adjust.push(1);
        let mut row = [2.0, -2.0, 2.0, 0.0];
        adjust.apply(&mut row);
        assert_eq!(row, [1.0, -6.0, 2.0, -4.0]);
        adjust.pop(1);
        let mut row = [2.0, -2.0, 2.0, 0.0];
        adjust.apply(&mut row);
        assert_eq!(row, [1.0, -5.5, 2.0, -4.0]);
    }
}
