//! A grammar over a sampler that the caller owns: the mask on logits, and the token that was drawn.

use grammarc_runtime::error::{AcceptError, BufferError};
use grammarc_runtime::{Grammar, Matcher};

/// Constrains one output to the texts of a grammar. For hosts that draw tokens themselves; all that a
/// [`Decoder`](crate::Decoder) does besides is theirs.
#[derive(Clone, Debug)]
pub struct JsonConstraintDecoder {
    matcher: Matcher,
}

impl JsonConstraintDecoder {
    /// A constraint before the first token.
    pub fn new(grammar: &Grammar) -> Self {
        Self { matcher: Matcher::new(grammar) }
    }

    /// Sets the logits of tokens that are not allowed to negative infinity, and leaves the others.
    ///
    /// # Errors
    ///
    /// The row does not have the vocabulary's width.
    pub fn apply_constraints(&mut self, logits: &mut [f32]) -> Result<(), BufferError> {
        self.matcher.mask().apply(logits)
    }

    /// Takes the token that was drawn.
    ///
    /// # Errors
    ///
    /// It is not allowed, or a limit was met; then nothing has changed.
    pub fn update_state(&mut self, token: u32) -> Result<(), AcceptError> {
        self.matcher.accept(token)
    }

    /// Whether the output may end here. That it must is another question: see [`JsonConstraintDecoder::must_end`].
    pub fn is_complete(&self) -> bool {
        self.matcher.is_accepting() || self.matcher.is_finished()
    }

    /// Whether nothing but an end token may follow.
    pub fn must_end(&mut self) -> bool {
        let ends = self.matcher.end_tokens().to_vec();
        self.is_complete() && self.matcher.mask().iter().all(|token| ends.contains(&token))
    }
}
