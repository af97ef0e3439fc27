//! Tokens that are certain, taken without asking the model.
//!
//! The ends are looked for behind each of them as behind any other token.

use super::{Decoder, canonical};
use crate::error::GenerateError;
use crate::params::Forced;

impl Decoder {
    /// Takes tokens that are certain, until the model has to be asked or the output has ended.
    pub(super) fn force(&mut self) -> Result<(), GenerateError> {
        while self.finish.is_none() && (self.force_bytes()? || self.force_tokens()?) {}
        Ok(())
    }

    /// Takes tokens that alone are allowed, and says whether there were any.
    fn force_tokens(&mut self) -> Result<bool, GenerateError> {
        let (true, Some(matcher)) = (self.params.forced != Forced::Off, &mut self.matcher) else {
            return Ok(false);
        };
        let mut run = Vec::new();
        matcher.forced_tokens(&mut run);
        for &token in &run {
            if self.finish.is_some() {
                break;
            }
            self.take(token, true)?;
        }
        Ok(!run.is_empty())
    }

    /// Takes bytes that alone are allowed as the tokenizer cuts them, and says whether there were any.
    fn force_bytes(&mut self) -> Result<bool, GenerateError> {
        let Self { matcher: Some(matcher), encoder: Some(encoder), params, .. } = self else {
            return Ok(false);
        };
        if params.forced != Forced::Canonical {
            return Ok(false);
        }
        let fixed = params.logprobs.is_some() || self.closing.is_some();
        let run = canonical::run(matcher, &self.log, &**encoder, self.longest_token, fixed);
        let Some(canonical::Run { kept, tokens }) = run else { return Ok(false) };
        let back = self.log.len() - kept;
        if matcher.rollback(back).is_err() {
            return Ok(false);
        }
        for at in (kept..self.log.len()).rev() {
            self.adjust.pop(self.log.token(at));
        }
        self.log.truncate(kept);
        self.sequence.truncate(self.prompt + kept);
        self.fed = self.fed.min(self.sequence.len());
        for (at, token) in tokens.into_iter().enumerate() {
            if self.finish.is_some() {
                break;
            }
            // Tokens in the place of others are the model's as much as these were.
            self.take(token, at >= back)?;
        }
        Ok(true)
    }
}
