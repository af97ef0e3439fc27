//! Adds the tokens that the grammar forces without a call of the model, or drafts them for the next call.
//!
//! After each forced token, the ends are checked as after any other token.

use std::sync::Arc;

use grammarc_runtime::drafter::Drafter;

use super::canonical;
use super::setup::Setup;
use super::state::OutputState;
use crate::encode::Encode;
use crate::error::GenerateError;
use crate::params::Forced;

/// Most drafts of one call of the model. Each costs a row of logits. More than these are rarely forced at once.
const MOST_DRAFTS: usize = 16;

/// The tokenizer that encodes forced bytes.
pub(super) struct ForcedRuns {
    encoder: Option<Arc<dyn Encode>>,
    /// Length of the longest token, in bytes.
    longest_token: usize,
    /// Makes drafts. `None` unless the parameters ask for them and there is a tokenizer.
    drafter: Option<Arc<Drafter>>,
}

impl ForcedRuns {
    /// Returns the tokenizer of a setup, for the way in which the parameters treat forced tokens.
    pub(super) fn new(forced: Forced, setup: &Setup) -> Self {
        let encoder = setup.encoder.clone();
        let drafter = setup.drafter.clone().filter(|_| forced == Forced::Draft);
        Self { encoder, longest_token: setup.longest_token, drafter }
    }

    /// Drafts the tokens that the grammar forces next, for the model to verify with its next call. Leaves room for the
    /// token that is drawn after them.
    pub(super) fn draft(&self, output: &mut OutputState) {
        let (Some(drafter), Some(matcher), None) =
            (&self.drafter, &mut output.matcher, &output.end)
        else {
            return;
        };
        let room = output.params.max_tokens.saturating_sub(output.text.log.len() + 1);
        let mut draft = Vec::new();
        drafter.draft(matcher, output.sequence.output(), room.min(MOST_DRAFTS), &mut draft);
        output.sequence.draft(&draft);
    }

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
    let is_added = matches!(output.params.forced, Forced::Exact | Forced::Canonical);
    let (true, Some(matcher)) = (is_added, &mut output.matcher) else { return Ok(false) };
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
