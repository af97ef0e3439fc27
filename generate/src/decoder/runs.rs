//! Adds the tokens that the grammar forces, without a call of the model.
//!
//! After each forced token, the ends are checked as after any other token.

use std::sync::Arc;

use super::canonical;
use super::state::OutputState;
use crate::encode::Encode;
use crate::error::GenerateError;
use crate::params::Forced;

/// The tokenizer that encodes forced bytes.
pub(super) struct ForcedRuns {
    pub(super) encoder: Option<Arc<dyn Encode>>,
    /// Length of the longest token, in bytes.
    pub(super) longest_token: usize,
}

impl ForcedRuns {
    /// Adds forced tokens until a token is not forced or the output has ended.
    pub(super) fn force(&self, output: &mut OutputState) -> Result<(), GenerateError> {
        while output.end.is_none() && (self.force_bytes(output)? || force_tokens(output)?) {}
        Ok(())
    }

    /// Adds forced bytes in the tokenizer's encoding. Returns whether any were added.
    fn force_bytes(&self, output: &mut OutputState) -> Result<bool, GenerateError> {
        let (Some(matcher), Some(encoder)) = (&mut output.matcher, &self.encoder) else {
            return Ok(false);
        };
        if output.params.forced != Forced::Canonical {
            return Ok(false);
        }
        let log = &mut output.text.log;
        let fixed = output.params.logprobs.is_some() || output.closing.is_some();
        let run = canonical::run(matcher, log, &**encoder, self.longest_token, fixed);
        let Some(canonical::Run { kept, tokens }) = run else { return Ok(false) };
        let back = log.len() - kept;
        if matcher.rollback(back).is_err() {
            return Ok(false);
        }
        for at in (kept..log.len()).rev() {
            output.adjust.pop(log.token(at));
        }
        log.truncate(kept);
        output.sequence.truncate(kept);
        for (at, token) in tokens.into_iter().enumerate() {
            if output.end.is_some() {
                break;
            }
            // Tokens that replace tokens of the model do not count as forced.
            output.take(token, at >= back)?;
        }
        Ok(true)
    }
}

/// Adds tokens as long as exactly one token is allowed. Returns whether any were added.
fn force_tokens(output: &mut OutputState) -> Result<bool, GenerateError> {
    let (true, Some(matcher)) = (output.params.forced != Forced::Off, &mut output.matcher) else {
        return Ok(false);
    };
    let mut run = Vec::new();
    matcher.forced_tokens(&mut run);
    for &token in &run {
        if output.end.is_some() {
            break;
        }
        output.take(token, true)?;
    }
    Ok(!run.is_empty())
}
