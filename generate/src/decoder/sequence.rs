//! The tokens of the prompt and the output, and the part of them that the model has read.

use crate::model::Rows;

/// Tokens for the model to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToFeed<'d> {
    /// Number of tokens of the sequence that stay. The model drops the tokens after them.
    pub kept: usize,
    /// The tokens after them, at least one. A host may first feed some of them alone, without asking for logits.
    pub tokens: &'d [u32],
    /// The tokens after which logits are needed.
    pub rows: Rows,
}

/// The tokens of a prompt and its output.
#[derive(Debug)]
pub(super) struct Sequence {
    tokens: Vec<u32>,
    /// Length of the prompt, in tokens.
    prompt: usize,
    /// Number of tokens that the model has read.
    fed: usize,
    /// Number of tokens that the model had read before its last call.
    rows_from: usize,
    /// Number of tokens whose log probabilities are known, where they are wanted.
    observed: usize,
}

impl Sequence {
    /// Returns the sequence of a prompt.
    pub(super) fn new(prompt: Vec<u32>) -> Self {
        Self { prompt: prompt.len(), observed: prompt.len(), tokens: prompt, fed: 0, rows_from: 0 }
    }

    /// Returns the length of prompt and output, in tokens.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns a token; `None` after the end.
    pub(super) fn get(&self, at: usize) -> Option<u32> {
        self.tokens.get(at).copied()
    }

    /// Returns the tokens of the output.
    pub(super) fn output(&self) -> &[u32] {
        &self.tokens[self.prompt..]
    }

    /// Adds a token to the output.
    pub(super) fn push(&mut self, token: u32) {
        self.tokens.push(token);
    }

    /// Removes all but the first `tokens` tokens of the output.
    pub(super) fn truncate(&mut self, tokens: usize) {
        self.tokens.truncate(self.prompt + tokens);
        self.fed = self.fed.min(self.tokens.len());
    }

    /// Returns the tokens for the model to read next. `all_rows` asks for logits after every token of the output;
    /// `has_ended` leaves out the last token, after which no logits are needed then.
    pub(super) fn to_feed(&self, all_rows: bool, has_ended: bool) -> ToFeed<'_> {
        let kept = self.first_unread();
        let before = self.prompt - 1;
        let (to, rows) = match all_rows {
            true if kept < before => (before, Rows::None),
            true if has_ended => (self.tokens.len() - 1, Rows::All),
            true => (self.tokens.len(), Rows::All),
            false => (self.tokens.len(), Rows::Last),
        };
        ToFeed { kept, tokens: &self.tokens[kept..to], rows }
    }

    /// Records that the model has read the next `tokens` tokens.
    pub(super) fn feed(&mut self, tokens: usize) {
        self.rows_from = self.first_unread();
        self.fed = self.rows_from + tokens;
    }

    /// Returns the first token that the model has to read. The last token is read anew where tokens after it were removed.
    fn first_unread(&self) -> usize {
        self.fed.min(self.tokens.len() - 1)
    }

    /// Returns the number of the token that the first row of logits follows. With `only_last`, the row follows the last token.
    pub(super) fn rows_from(&mut self, only_last: bool) -> usize {
        if only_last {
            self.rows_from = self.tokens.len() - 1;
        }
        self.rows_from
    }

    /// Records that the log probabilities of the first `tokens` tokens are known.
    pub(super) fn observe(&mut self, tokens: usize) {
        self.observed = tokens;
    }

    /// Returns the number of tokens whose log probabilities are known.
    pub(super) fn observed(&self) -> usize {
        self.observed
    }
}
