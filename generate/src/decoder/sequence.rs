//! The tokens of a prompt and its output, the drafts behind them, and how many of them the model has read.

use crate::model::Rows;

/// The tokens that the model has to read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToFeed<'d> {
    /// Number of tokens of the sequence that the model keeps. It removes all later tokens before it
    /// reads.
    pub kept: usize,
    /// The tokens to read, at least one. A host may first feed some of them without requesting
    /// logits.
    pub tokens: &'d [u32],
    /// Which of the tokens need a row of logits after them.
    pub rows: Rows,
}

/// The tokens of a prompt, followed by the tokens of its output, and by drafts of the next tokens.
#[derive(Debug)]
pub(super) struct Sequence {
    tokens: Vec<u32>,
    /// Number of drafts: tokens at the end that are not part of the output yet.
    drafts: usize,
    /// Length of the prompt, in tokens.
    prompt: usize,
    /// Number of tokens that the model has read.
    fed: usize,
    /// Number of tokens that the model had read before its last call.
    rows_from: usize,
    /// Number of tokens whose log probabilities are known, if they are requested.
    observed: usize,
}

impl Sequence {
    /// Creates the sequence of a prompt with an empty output.
    pub(super) fn new(prompt: Vec<u32>) -> Self {
        let length = prompt.len();
        Self { tokens: prompt, drafts: 0, prompt: length, fed: 0, rows_from: 0, observed: length }
    }

    /// Returns the length of prompt and output, in tokens.
    pub(super) fn len(&self) -> usize {
        self.tokens.len() - self.drafts
    }

    /// Returns the token at an index. `None` after the end of the output.
    pub(super) fn get(&self, at: usize) -> Option<u32> {
        self.tokens[..self.len()].get(at).copied()
    }

    /// Returns the tokens of the output, without the prompt.
    pub(super) fn output(&self) -> &[u32] {
        &self.tokens[self.prompt..self.len()]
    }

    /// Adds a token to the output. The first draft is confirmed if it is this token. Otherwise all drafts are dropped.
    pub(super) fn push(&mut self, token: u32) {
        let len = self.len();
        if self.tokens.get(len) == Some(&token) {
            self.drafts -= 1;
            return;
        }
        self.drop_drafts();
        self.tokens.push(token);
    }

    /// Removes all tokens of the output after the first `tokens`, and all drafts.
    pub(super) fn truncate(&mut self, tokens: usize) {
        self.drop_drafts();
        self.tokens.truncate(self.prompt + tokens);
        self.fed = self.fed.min(self.tokens.len());
    }

    /// Replaces the drafts by others. They are dropped if the model has more than one token to read, such as a prompt.
    pub(super) fn draft(&mut self, drafts: &[u32]) {
        self.drop_drafts();
        if self.first_unread() + 1 == self.tokens.len() {
            self.tokens.extend_from_slice(drafts);
            self.drafts = drafts.len();
        }
    }

    /// Removes all drafts.
    pub(super) fn drop_drafts(&mut self) {
        self.tokens.truncate(self.len());
        self.drafts = 0;
        self.fed = self.fed.min(self.tokens.len());
    }

    /// Returns the first draft. `None` if there is none.
    pub(super) fn next_draft(&self) -> Option<u32> {
        self.tokens.get(self.len()).copied()
    }

    /// Whether the model has read the token at an index, a draft included.
    pub(super) fn has_read(&self, at: usize) -> bool {
        at < self.fed
    }

    /// Whether there are drafts.
    pub(super) fn has_drafts(&self) -> bool {
        self.drafts > 0
    }

    /// Returns the tokens that the model has to read next, with the drafts. `all_rows` requests logits after every
    /// token of the output; drafts need it. `has_ended` leaves out the last token, because no logits are needed
    /// after it.
    pub(super) fn to_feed(&self, all_rows: bool, has_ended: bool) -> ToFeed<'_> {
        let kept = self.first_unread();
        let before = self.prompt - 1;
        let (to, rows) = match all_rows {
            true if kept < before => (before, Rows::None),
            true if has_ended => (self.len() - 1, Rows::All),
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

    /// Returns the index of the first token that the model has to read. If tokens were removed, the
    /// last remaining token is read again for its logits.
    fn first_unread(&self) -> usize {
        self.fed.min(self.len() - 1)
    }

    /// Returns the number of tokens before the first row of logits. With `only_last`, there is only
    /// the row after the last token.
    pub(super) fn rows_from(&mut self, only_last: bool) -> usize {
        if only_last {
            self.rows_from = self.len() - 1;
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
