//! A matcher: one sequence under one grammar.

use std::sync::Arc;

use crate::error::{
    AcceptError, AcceptManyError, AcceptTextError, ImportError, OptionsError, RollbackError,
};
use crate::export;
use crate::grammar::Grammar;
use crate::listing::Listing;
use crate::mask::Mask;
use crate::options::{MatcherOptions, Settings};
use crate::sequence::{Input, Scratch, Sequence};

/// One sequence under one grammar: which tokens may come next, and what was accepted so far.
///
/// A call that fails leaves the matcher as it was. Clones share the sequence until one of them moves on.
#[derive(Debug)]
pub struct Matcher {
    pub(crate) grammar: Grammar,
    pub(crate) settings: Arc<Settings>,
    pub(crate) sequence: Arc<Sequence>,
    pub(crate) scratch: Scratch,
    pub(crate) listing: Listing,
}

impl Matcher {
    /// A matcher at the start of a sequence, with the vocabulary's end tokens and logit width.
    pub fn new(grammar: &Grammar) -> Self {
        Self::at_start(grammar, Settings::default_for(grammar))
    }

    /// A matcher at the start of a sequence.
    ///
    /// # Errors
    ///
    /// The options do not fit the vocabulary.
    pub fn with_options(grammar: &Grammar, options: MatcherOptions) -> Result<Self, OptionsError> {
        Ok(Self::at_start(grammar, options.settle(grammar)?))
    }

    fn at_start(grammar: &Grammar, settings: Settings) -> Self {
        let sequence = Sequence::new(grammar.initial(), settings.window);
        Self {
            grammar: grammar.clone(),
            settings: Arc::new(settings),
            sequence: Arc::new(sequence),
            scratch: Scratch::default(),
            listing: Listing::default(),
        }
    }

    /// The grammar: the complete one, once that is there.
    pub fn grammar(&self) -> &Grammar {
        self.grammar.completed().unwrap_or(&self.grammar)
    }

    /// The host's logit width.
    pub fn logit_width(&self) -> u32 {
        self.settings.width
    }

    /// The tokens that end the sequence, sorted.
    pub fn end_tokens(&self) -> &[u32] {
        &self.settings.end_tokens
    }

    /// The tokens that may come next. In a finished sequence these are the end tokens: none, in a matcher that has none.
    pub fn mask(&mut self) -> Mask<'_> {
        self.catch_up();
        let position = self.sequence.trail.current();
        let frames = &self.sequence.frames;
        let is_listed = Listing::is_needed(&self.grammar, position);
        self.grammar.chains().collect(frames, position, &mut self.scratch.parts);
        let ended = position.is_empty() || self.sequence.is_accepting(&self.grammar, position);
        let ends = if ended { &self.settings.end_tokens[..] } else { &[] };
        let mut listed: &[u32] = &[];
        if is_listed || !self.grammar.distinct().is_empty() {
            let sequence = Arc::make_mut(&mut self.sequence);
            sequence.load(&mut self.scratch);
            let (scratch, listing) = (&mut self.scratch, &mut self.listing);
            listed = beside(&self.grammar, &self.settings, sequence, scratch, listing, ends);
        }
        let Scratch { parts, excluded, .. } = &self.scratch;
        Mask::new(&self.grammar, parts, excluded, listed, ends, self.settings.width)
    }

    /// Goes over to the complete grammar, once the masks of an [early](Grammar::early) one are there.
    #[inline]
    pub(crate) fn catch_up(&mut self) {
        if self.grammar.has_listed()
            && let Some(complete) = self.grammar.completed()
        {
            self.grammar = complete.clone();
        }
    }

    /// Accepts a token.
    ///
    /// The grammar's own edge on a token comes first, also for an end token; an end token that the grammar does
    /// not take finishes the sequence where it may end.
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

    /// Accepts a token that a run does not, or says why not.
    #[inline(never)]
    fn accept_otherwise(&mut self, token: u32) -> Result<(), AcceptError> {
        if self.is_finished() {
            return Err(AcceptError::Finished { token });
        }
        let sequence = Arc::make_mut(&mut self.sequence);
        sequence.load(&mut self.scratch);
        advance(&self.grammar, &self.settings, sequence, &mut self.scratch, token)?;
        sequence.trail.push(&self.scratch.position);
        sequence.frames.items.accept();
        Ok(())
    }

    /// Accepts a text, however it would be cut into tokens: a prompt's beginning of the answer, or what a host has found
    /// without the model. It counts as one token for [`rollback`](Self::rollback). An empty text is nothing. O(bytes).
    ///
    /// # Errors
    ///
    /// The grammar does not allow the text, or no token may follow it; the matcher is as it was.
    pub fn accept_text(&mut self, text: &[u8]) -> Result<(), AcceptTextError> {
        if text.is_empty() {
            return Ok(());
        }
        if self.is_finished() {
            return Err(AcceptTextError::Finished);
        }
        let (limits, scratch) = (self.settings.limits, &mut self.scratch);
        let sequence = Arc::make_mut(&mut self.sequence);
        sequence.load(scratch);
        if sequence.advance(&self.grammar, limits, scratch, Input::Bytes(text))? {
            sequence.trail.push(&scratch.position);
            sequence.frames.items.accept();
            return Ok(());
        }
        for (at, byte) in text.iter().enumerate() {
            let byte = Input::Byte(std::array::from_ref(byte));
            if !sequence.advance(&self.grammar, limits, scratch, byte)? {
                return Err(AcceptTextError::Refused { at });
            }
        }
        Err(AcceptTextError::NoToken)
    }

    /// Accepts tokens one after the other, up to the first that is not allowed.
    ///
    /// # Errors
    ///
    /// A token was not accepted; those before it were, and the error counts them.
    pub fn accept_many(&mut self, tokens: &[u32]) -> Result<(), AcceptManyError> {
        for (accepted, &token) in tokens.iter().enumerate() {
            self.accept(token).map_err(|source| AcceptManyError { accepted, source })?;
        }
        Ok(())
    }

    /// How many of the tokens could be accepted one after the other; a token that meets a limit could not. The
    /// matcher does not move.
    pub fn validate(&mut self, tokens: &[u32]) -> usize {
        let sequence = Arc::make_mut(&mut self.sequence);
        sequence.load(&mut self.scratch);
        let scratch = &mut self.scratch;
        let refused = tokens.iter().position(|&token| {
            advance(&self.grammar, &self.settings, sequence, scratch, token).is_err()
        });
        refused.unwrap_or(tokens.len())
    }

    /// Takes back the last tokens.
    ///
    /// # Errors
    ///
    /// More tokens than were accepted, or than the rollback window keeps.
    pub fn rollback(&mut self, tokens: usize) -> Result<(), RollbackError> {
        let kept = self.sequence.trail.depth();
        if tokens > kept {
            return Err(RollbackError { asked: tokens, kept });
        }
        if tokens > 0 {
            let sequence = Arc::make_mut(&mut self.sequence);
            let rolled = sequence.trail.rollback(tokens);
            debug_assert!(rolled.is_ok(), "the depth was asked for above");
            sequence.frames.items.rollback(tokens);
        }
        Ok(())
    }

    /// How many tokens can be taken back now.
    pub fn rollback_depth(&self) -> usize {
        self.sequence.trail.depth()
    }

    /// A second matcher at the same position, with the same options and the same tokens to take back. The sequence
    /// is shared until one of the two moves on, and copied then.
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// Goes back to the start of a sequence and forgets what was accepted.
    pub fn reset(&mut self) {
        self.sequence = Arc::new(Sequence::new(self.grammar.initial(), self.settings.window));
    }

    /// Whether the sequence may end here: an end token would be accepted.
    pub fn is_accepting(&self) -> bool {
        self.sequence.is_accepting(&self.grammar, self.sequence.trail.current())
    }

    /// Whether the sequence is over: an end token was accepted, or the matcher has no end tokens and nothing may follow. O(1)
    /// with end tokens, and the work of a mask without.
    pub fn is_finished(&self) -> bool {
        let is_alone = self.settings.end_tokens.is_empty();
        self.sequence.trail.current().is_empty()
            || is_alone && self.is_accepting() && self.fork().mask().is_empty()
    }

    /// The position as plain bytes, in the layout of [`export`](crate::export).
    pub fn export(&self) -> Vec<u8> {
        export::write(&self.grammar, &self.sequence)
    }

    /// Goes to a position that was exported under the same grammar, with nothing to take back.
    ///
    /// # Errors
    ///
    /// The bytes are not a position of this grammar, or it is larger than this matcher's limits.
    pub fn import(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let sequence = export::read(&self.grammar, &self.settings, bytes)?;
        self.sequence = Arc::new(sequence);
        Ok(())
    }
}

impl Clone for Matcher {
    fn clone(&self) -> Self {
        Self {
            grammar: self.grammar.clone(),
            settings: Arc::clone(&self.settings),
            sequence: Arc::clone(&self.sequence),
            scratch: Scratch::default(),
            listing: Listing::default(),
        }
    }
}

/// The tokens that `scratch.position` allows besides stored masks, ascending; stored masks that only a walk finds go to
/// `scratch.parts`. Sets `scratch.excluded` to what items that must differ exclude of all these, but for tokens that end the sequence
/// there.
pub(crate) fn beside<'l>(
    grammar: &Grammar,
    settings: &Settings,
    sequence: &mut Sequence,
    scratch: &mut Scratch,
    listing: &'l mut Listing,
    ends: &[u32],
) -> &'l [u32] {
    let Scratch { position, parts, excluded, distinct, .. } = scratch;
    let (frames, limits) = (&mut sequence.frames, settings.limits);
    listing.collect(grammar, frames, limits, position, parts);
    if !grammar.distinct().is_empty() {
        let mask = Mask::new(grammar, parts, &[], listing.tokens(), &[], settings.width);
        distinct.walk.collect(grammar, frames, limits, position, mask, excluded);
        excluded.retain(|token| ends.binary_search(token).is_err());
        listing.exclude(excluded);
    }
    listing.tokens()
}

/// Advances `scratch.position` over a token, an end token included, which leaves it empty.
pub(crate) fn advance(
    grammar: &Grammar,
    settings: &Settings,
    sequence: &mut Sequence,
    scratch: &mut Scratch,
    token: u32,
) -> Result<(), AcceptError> {
    if token >= settings.width {
        return Err(AcceptError::OutOfRange { token, width: settings.width });
    }
    if scratch.position.is_empty() {
        return Err(AcceptError::Finished { token });
    }
    let text = grammar.vocabulary().text(token);
    let input = Input::Token(token, &text);
    if sequence.advance(grammar, settings.limits, scratch, input)? {
        return Ok(());
    }
    let ends = settings.end_tokens.binary_search(&token).is_ok();
    if ends && sequence.is_accepting(grammar, &scratch.position) {
        scratch.position.clear();
        return Ok(());
    }
    Err(AcceptError::Refused { token })
}
