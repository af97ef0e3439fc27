//! A matcher of bytes, without a tokenizer, to check a text against a grammar.

use crate::error::{BytesError, LimitError, OptionsError};
use crate::grammar::Grammar;
use crate::options::{MatcherOptions, Settings};
use crate::position::Configuration;
use crate::step::input::Input;
use crate::step::machine::Limits;
use crate::step::sequence::{Scratch, Sequence};
use crate::step::texts::Text;

/// Reads one text under one grammar, byte by byte. The result does not depend on how tokens divide the text, nor on
/// whether the vocabulary can spell it.
#[derive(Debug)]
pub struct ByteMatcher {
    grammar: Grammar,
    settings: Settings,
    sequence: Sequence,
    scratch: Scratch,
}

impl ByteMatcher {
    /// Returns a matcher at the start of a text.
    pub fn new(grammar: &Grammar) -> Self {
        Self::at_start(grammar, Settings::default_for(grammar))
    }

    /// Returns a matcher at the start of a text. Of the options, only the limits have an effect.
    ///
    /// # Errors
    ///
    /// The options do not fit the vocabulary.
    pub fn with_options(grammar: &Grammar, options: MatcherOptions) -> Result<Self, OptionsError> {
        Ok(Self::at_start(grammar, options.check(grammar)?))
    }

    fn at_start(grammar: &Grammar, settings: Settings) -> Self {
        let mut sequence = Sequence::new(grammar.initial(), 0);
        let mut scratch = Scratch::default();
        sequence.load(&mut scratch);
        Self { grammar: grammar.clone(), settings, sequence, scratch }
    }

    /// Accepts bytes up to the first that is not allowed.
    ///
    /// # Errors
    ///
    /// A byte is not allowed or met a limit. The bytes before it were accepted.
    pub fn accept(&mut self, bytes: &[u8]) -> Result<(), BytesError> {
        let limits = self.settings.limits;
        for (at, &byte) in bytes.iter().enumerate() {
            let input = Input::Byte(&[byte]);
            match self.sequence.advance(&self.grammar, limits, &mut self.scratch, input) {
                Ok(true) => {}
                Ok(false) => return Err(BytesError::Refused { at }),
                Err(limit) => return Err(BytesError::Limit { at, limit }),
            }
        }
        Ok(())
    }

    /// Accepts a special token, which has no bytes, by its id. Returns `false`, without any change, if the token is not
    /// allowed.
    ///
    /// # Errors
    ///
    /// The limit on configurations or on frames was met. The matcher does not change.
    pub fn accept_token(&mut self, token: u32) -> Result<bool, LimitError> {
        let none = Text::default();
        let input = Input::Token(token, &none);
        self.sequence.advance(&self.grammar, self.settings.limits, &mut self.scratch, input)
    }

    /// Whether the text may end at the current position.
    pub fn is_accepting(&self) -> bool {
        self.sequence.is_accepting(&self.grammar, &self.scratch.position)
    }

    /// Returns the bytes that may come next, in ascending order.
    ///
    /// # Errors
    ///
    /// The limit on configurations or on frames was met.
    pub fn allowed_bytes(&mut self) -> Result<Vec<u8>, LimitError> {
        let limits = self.settings.limits;
        Ok(self
            .sequence
            .first_bytes(&self.grammar, limits, &mut self.scratch)?
            .bytes
            .iter()
            .collect())
    }

    /// Whether some special token, which has no bytes, may come next.
    ///
    /// # Errors
    ///
    /// The limit on configurations or on frames was met.
    pub fn tokens_allowed(&mut self) -> Result<bool, LimitError> {
        let limits = self.settings.limits;
        Ok(self.sequence.first_bytes(&self.grammar, limits, &mut self.scratch)?.tokens)
    }

    /// Returns the number of configurations: the parses of the text so far. 1 under a deterministic grammar, 0 never.
    pub fn configurations(&self) -> usize {
        self.scratch.position.len()
    }

    /// Returns a second matcher at the same position, with a copy of the sequence.
    #[must_use]
    pub fn fork(&self) -> Self {
        let (grammar, settings) = (self.grammar.clone(), self.settings.clone());
        let (sequence, mut scratch) = (self.sequence.clone(), Scratch::default());
        // Nothing is ever taken back, so the newest position is in the buffers, and the history has only the first.
        scratch.position.clone_from(&self.scratch.position);
        Self { grammar, settings, sequence, scratch }
    }

    /// Returns the grammar, the limits, the sequence and the position of the matcher.
    pub(crate) fn parts(&self) -> (&Grammar, Limits, &Sequence, &Vec<Configuration>) {
        (&self.grammar, self.settings.limits, &self.sequence, &self.scratch.position)
    }

    /// Moves to the start of a new text.
    pub fn reset(&mut self) {
        self.sequence = Sequence::new(self.grammar.initial(), 0);
        self.sequence.load(&mut self.scratch);
    }
}
