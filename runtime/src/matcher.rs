//! A matcher: one sequence of tokens under one grammar.

use std::sync::Arc;

use grammarc_artifacts::TokenKind;

use crate::drafts;
use crate::error::{
    AcceptError, AcceptManyError, AcceptTextError, BatchError, ImportError, OptionsError,
    RollbackError,
};
use crate::forced::{self, MAX_FORCED_RUN};
use crate::grammar::Grammar;
use crate::listed::UnstoredTokens;
use crate::lookahead::{Lookahead, MaskBuffers};
use crate::mask::union::{Mask, check_rows};
use crate::options::{MatcherOptions, Settings};
use crate::position::export;
use crate::step::input::Input;
use crate::step::machine::Limits;
use crate::step::sequence::{Scratch, Sequence};

/// One sequence under one grammar: the tokens accepted so far, and the tokens allowed next.
///
/// A call that fails does not change the matcher. Clones share the sequence until one of them moves.
#[derive(Debug)]
pub struct Matcher {
    grammar: Grammar,
    settings: Arc<Settings>,
    sequence: Arc<Sequence>,
    scratch: Scratch,
    masks: MaskBuffers,
}

impl Matcher {
    /// Returns a matcher at the start of a sequence, with the vocabulary's end tokens and logit width.
    pub fn new(grammar: &Grammar) -> Self {
        Self::at_start(grammar, Settings::default_for(grammar))
    }

    /// Returns a matcher at the start of a sequence.
    ///
    /// # Errors
    ///
    /// The options do not fit the vocabulary.
    pub fn with_options(grammar: &Grammar, options: MatcherOptions) -> Result<Self, OptionsError> {
        Ok(Self::at_start(grammar, options.check(grammar)?))
    }

    fn at_start(grammar: &Grammar, settings: Settings) -> Self {
        let sequence = Sequence::new(grammar.initial(), settings.window);
        Self {
            grammar: grammar.clone(),
            settings: Arc::new(settings),
            sequence: Arc::new(sequence),
            scratch: Scratch::default(),
            masks: MaskBuffers::default(),
        }
    }

    /// Returns the grammar of the matcher. If an unmasked grammar was completed, returns the complete grammar.
    pub fn grammar(&self) -> &Grammar {
        self.grammar.completed().unwrap_or(&self.grammar)
    }

    /// Returns the matcher's sequence: its stack frames, and its positions within the rollback window.
    pub(crate) fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// Returns the limits of a step.
    pub(crate) fn limits(&self) -> Limits {
        self.settings.limits
    }

    /// Returns the length of the host's logit row, in tokens. [`MatcherOptions`] may set it above the vocabulary's.
    pub fn logit_width(&self) -> u32 {
        self.settings.width
    }

    /// Returns the ids of the tokens that end the sequence, ascending and without duplicates.
    pub fn end_tokens(&self) -> &[u32] {
        &self.settings.end_tokens
    }

    /// Returns the mask: the set of tokens that may come next. In a finished sequence these are the end tokens.
    pub fn mask(&mut self) -> Mask<'_> {
        self.catch_up();
        let position = self.sequence.history.current();
        let needs_walk = UnstoredTokens::is_needed(&self.grammar, position)
            || !self.grammar.distinct().is_empty();
        let parts = &mut self.masks.parts;
        self.grammar.chains().collect(&self.sequence.frames, position, parts);
        let may_end = position.is_empty() || self.sequence.is_accepting(&self.grammar, position);
        if needs_walk {
            self.ahead().walk(may_end);
        }
        self.masks.mask(&self.grammar, &self.settings, may_end, needs_walk)
    }

    /// Returns a lookahead that starts at the matcher's position. Its steps do not move the matcher until `commit`.
    fn ahead(&mut self) -> Lookahead<'_> {
        let Self { grammar, settings, sequence, scratch, masks } = self;
        let sequence = Arc::make_mut(sequence);
        sequence.load(scratch);
        Lookahead { grammar, settings, sequence, scratch, masks }
    }

    /// Switches to the complete grammar, once an [unmasked](Grammar::early) one has its masks.
    #[inline]
    fn catch_up(&mut self) {
        if self.grammar.has_unstored() {
            self.take_completed();
        }
    }

    /// Switches to the complete grammar of an unmasked one, if there is one. Kept apart from
    /// [`catch_up`](Self::catch_up), which has nothing to do in most grammars.
    #[inline(never)]
    fn take_completed(&mut self) {
        if let Some(complete) = self.grammar.completed() {
            self.grammar = complete.clone();
        }
    }

    /// Accepts a token.
    ///
    /// A token edge of the grammar takes precedence, also for an end token. An end token that the grammar does not take
    /// finishes the sequence, if the sequence may end here.
    ///
    /// # Errors
    ///
    /// The token is not allowed here, or a limit was met.
    pub fn accept(&mut self, token: u32) -> Result<(), AcceptError> {
        let sequence = Arc::make_mut(&mut self.sequence);
        let text = self.grammar.vocabulary().text(token);
        if sequence.advance_by_run(&self.grammar, self.settings.limits, token, &text) {
            return Ok(());
        }
        self.accept_otherwise(token)
    }

    /// Accepts a token that [`Sequence::advance_by_run`] did not accept: the token was refused, or it needs several
    /// configurations, a token edge, an end token or a collection of frames.
    #[inline(never)]
    fn accept_otherwise(&mut self, token: u32) -> Result<(), AcceptError> {
        if self.is_finished() {
            return Err(AcceptError::Finished { token });
        }
        let mut ahead = self.ahead();
        ahead.advance_token(token)?;
        ahead.commit();
        Ok(())
    }

    /// Accepts the bytes of a text, however tokens divide it. The text may be the beginning of an answer in a prompt,
    /// or found without the model. The text counts as one token for [`rollback`](Self::rollback). An empty text changes
    /// nothing. O(bytes).
    ///
    /// # Errors
    ///
    /// The grammar does not allow the text, or no token may follow it. The matcher does not change.
    pub fn accept_text(&mut self, text: &[u8]) -> Result<(), AcceptTextError> {
        if text.is_empty() {
            return Ok(());
        }
        if self.is_finished() {
            return Err(AcceptTextError::Finished);
        }
        let mut ahead = self.ahead();
        if ahead.advance(Input::Bytes(text))? {
            ahead.commit();
            return Ok(());
        }
        ahead.advance_bytes(text)?;
        Err(AcceptTextError::NoToken)
    }

    /// Accepts the bytes of a part of a token, or of several tokens. Unlike a text of [`accept_text`](Self::accept_text),
    /// the bytes may end inside a token. More bytes have to follow there, since the mask and an exported position have a
    /// meaning only after whole tokens. The bytes count as one token for [`rollback`](Self::rollback). Empty bytes change
    /// nothing. O(bytes).
    ///
    /// # Errors
    ///
    /// The grammar does not allow a byte, the sequence has ended, or a limit was met, never
    /// [`NoToken`](AcceptTextError::NoToken). The matcher does not change.
    pub fn accept_bytes(&mut self, bytes: &[u8]) -> Result<(), AcceptTextError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.is_finished() {
            return Err(AcceptTextError::Finished);
        }
        let mut ahead = self.ahead();
        ahead.advance_bytes(bytes)?;
        ahead.commit();
        Ok(())
    }

    /// Accepts tokens in order, and stops at the first that is not allowed.
    ///
    /// # Errors
    ///
    /// A token was not accepted. The tokens before it were accepted, and the error has their number.
    pub fn accept_many(&mut self, tokens: &[u32]) -> Result<(), AcceptManyError> {
        for (accepted, &token) in tokens.iter().enumerate() {
            self.accept(token).map_err(|source| AcceptManyError { accepted, source })?;
        }
        Ok(())
    }

    /// Returns the length of the longest prefix of `tokens` that the matcher could accept. The prefix ends at a token
    /// that is not allowed or exceeds a limit. The matcher does not move.
    pub fn validate(&mut self, tokens: &[u32]) -> usize {
        let mut ahead = self.ahead();
        let refused = tokens.iter().position(|&token| ahead.advance_token(token).is_err());
        refused.unwrap_or(tokens.len())
    }

    /// Fills a bitmask of `[rows, row_words]` for speculative decoding: one bit for each token, 32 in a word. Row 0 has
    /// the mask of the position. Each further row has the mask after one more draft token, up to the first draft that
    /// is not allowed. Returns the number of allowed drafts.
    ///
    /// The remaining rows are copies of the last row, so no row allows a token that the grammar forbids there. The row
    /// after an end token allows the end tokens alone. The matcher does not move, whatever its rollback window. O(rows
    /// x `row_words`).
    ///
    /// # Errors
    ///
    /// The bitmask is not a whole number of rows, or has no more rows than there are drafts. Or its rows are too short
    /// for a mask. No row is written then.
    pub fn fill_drafts(
        &mut self,
        drafts: &[u32],
        bitmask: &mut [u32],
        row_words: usize,
    ) -> Result<usize, BatchError> {
        check_rows(self.settings.width, bitmask.len(), row_words, drafts.len() + 1)?;
        self.catch_up();
        Ok(drafts::fill(self.ahead(), drafts, bitmask, row_words))
    }

    /// Writes to `run` the longest sequence of tokens in which each token is the only one allowed. `run` is cleared
    /// first. The sequence has at most [`MAX_FORCED_RUN`](crate::MAX_FORCED_RUN) tokens, and ends where the text may
    /// end. The matcher does not move.
    pub fn forced_tokens(&mut self, run: &mut Vec<u32>) {
        self.forced_tokens_within(MAX_FORCED_RUN, run);
    }

    /// Writes forced tokens to `run` as [`forced_tokens`](Self::forced_tokens) does, at most `most`.
    pub(crate) fn forced_tokens_within(&mut self, most: usize, run: &mut Vec<u32>) {
        run.clear();
        self.catch_up();
        forced::tokens(self.ahead(), most, run);
    }

    /// Writes to `run` the longest byte string with which every continuation begins. `run` is cleared first. The string
    /// has at most [`MAX_FORCED_RUN`](crate::MAX_FORCED_RUN) bytes, and ends where the text may end. The matcher does
    /// not move.
    ///
    /// The bytes are those of the grammar. A token may continue past the end of the run.
    pub fn forced_bytes(&mut self, run: &mut Vec<u8>) {
        self.forced_bytes_within(MAX_FORCED_RUN, run);
    }

    /// Writes forced bytes to `run` as [`forced_bytes`](Self::forced_bytes) does, at most `most`.
    pub(crate) fn forced_bytes_within(&mut self, most: usize, run: &mut Vec<u8>) {
        run.clear();
        forced::bytes(self.ahead(), most, run);
    }

    /// Whether some allowed token is longer than `token` and begins with its bytes. A model may prefer that token, so a
    /// host that adds forced tokens by itself leaves `token` to the model. O(bytes of the token, and tokens that begin
    /// with them).
    pub fn allows_longer(&mut self, token: u32) -> bool {
        let vocabulary = self.grammar.vocabulary().clone();
        let trie = vocabulary.artifact().trie();
        if vocabulary.artifact().token_kind(token) != TokenKind::Text {
            return false;
        }
        let bytes = vocabulary.token_bytes(token);
        let Some(node) = bytes.iter().try_fold(0, |node, &byte| trie.child(node, byte)) else {
            return false;
        };
        let longer = trie.tokens_at(node).end..trie.tokens_below(node).end;
        let mask = self.mask();
        let longer = &trie.token_of_rank[longer.start as usize..longer.end as usize];
        longer.iter().any(|&token| mask.contains(token))
    }

    /// Takes back the last `tokens` tokens. The text of one [`accept_text`](Self::accept_text) counts as one token, and so
    /// do the bytes of one [`accept_bytes`](Self::accept_bytes).
    ///
    /// # Errors
    ///
    /// The sequence, or its rollback window, has fewer tokens. The matcher does not change then.
    pub fn rollback(&mut self, tokens: usize) -> Result<(), RollbackError> {
        let kept = self.sequence.history.depth();
        if tokens > kept {
            return Err(RollbackError { asked: tokens, kept });
        }
        if tokens > 0 {
            let sequence = Arc::make_mut(&mut self.sequence);
            let rolled = sequence.history.rollback(tokens);
            debug_assert!(rolled.is_ok(), "the depth was asked for above");
            sequence.frames.items.rollback(tokens);
        }
        Ok(())
    }

    /// Returns the number of tokens that [`rollback`](Self::rollback) can take back now.
    pub fn rollback_depth(&self) -> usize {
        self.sequence.history.depth()
    }

    /// Returns a second matcher at the same position, with the same options and history. The two matchers share the
    /// sequence. The first of them that moves copies it.
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// Moves to the start of a new sequence. Earlier tokens cannot be taken back afterwards.
    pub fn reset(&mut self) {
        self.sequence = Arc::new(Sequence::new(self.grammar.initial(), self.settings.window));
    }

    /// Whether the sequence may end here, so that an end token would be accepted.
    pub fn is_accepting(&self) -> bool {
        self.sequence.is_accepting(&self.grammar, self.sequence.history.current())
    }

    /// Whether the sequence has ended. A sequence ends at an accepted end token. Without end tokens, it ends where the
    /// text may end and no token may follow. O(1) with end tokens, otherwise the cost of a mask.
    pub fn is_finished(&self) -> bool {
        let is_alone = self.settings.end_tokens.is_empty();
        self.sequence.history.current().is_empty()
            || is_alone && self.is_accepting() && self.fork().mask().is_empty()
    }

    /// Returns the newest position as bytes, in the layout of [`export`](crate::export). Earlier positions are not
    /// exported.
    pub fn export(&self) -> Vec<u8> {
        export::write(&self.grammar, &self.sequence)
    }

    /// Moves to a position that was exported under the same grammar. Earlier tokens cannot be taken back afterwards.
    ///
    /// # Errors
    ///
    /// The bytes are not a position of this grammar, or the position exceeds the limits of this matcher.
    pub fn import(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let sequence = export::read(&self.grammar, &self.settings, bytes)?;
        self.sequence = Arc::new(sequence);
        Ok(())
    }
}

impl Clone for Matcher {
    /// Clones the position and shares the sequence. The clone has empty buffers.
    fn clone(&self) -> Self {
        Self {
            grammar: self.grammar.clone(),
            settings: Arc::clone(&self.settings),
            sequence: Arc::clone(&self.sequence),
            scratch: Scratch::default(),
            masks: MaskBuffers::default(),
        }
    }
}
