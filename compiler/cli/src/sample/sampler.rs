//! Draws one random sample of a grammar.
//!
//! Uniform choice from the mask inside a JSON string gives a long string of arbitrary Unicode. Where a JSON value
//! begins it nearly always gives a number, because most possible tokens are digits. So by default the sampler has
//! three preferences:
//!
//! - If the mask has plain tokens (short words and single ASCII characters), it picks among these.
//! - If the plain tokens are of few [kinds](Kind), it picks a kind first and then a token of that
//!   kind. Plain tokens of many kinds indicate free text, where it usually picks a word.
//! - Now and then it takes a token on the shortest path to an end, more often after half of the
//!   tokens.

use grammarc_artifacts::TokenKind;
use grammarc_runtime::ending::{next_token, spell};
use grammarc_runtime::error::{AcceptError, OptionsError};
use grammarc_runtime::{Grammar, Matcher, MatcherOptions};

use super::random::Random;

/// A sequence that may end does so with probability 1 in this number.
const END: usize = 6;
/// In the first half of the tokens, a token on the path to an end is taken with probability 1 in
/// this number.
const PULL: usize = 8;
/// In the second half of the tokens, a token on the path to an end is taken with probability 1 in
/// this number.
const LATE_PULL: usize = 2;
/// Bytes of the shortest path to an end that are computed to choose one token.
const AHEAD: usize = 64;
/// Limit on the length of a completion, in bytes. A sample that needs a longer one is reported as
/// unfinished.
const LONGEST_COMPLETION: usize = 1 << 22;
/// Attempts to complete a sample, with random tokens between them. Needed if no tokens spell the
/// shortest completion.
const ATTEMPTS: usize = 64;
/// Greatest length of a plain token, in bytes.
const PLAIN: usize = 10;
/// Greatest number of kinds among the allowed tokens for which a kind is drawn first. More kinds
/// indicate free text.
const FEW_KINDS: usize = 16;
/// In free text, something other than a word is drawn with probability 1 in this number.
const NO_WORD: usize = 8;

/// Options for drawing samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// Seed of the random numbers. Equal seeds give equal samples.
    pub seed: u64,
    /// Number of tokens to draw before the shortest completion is taken.
    pub max_tokens: usize,
    /// Whether to pick uniformly from the whole mask, without any preference.
    pub uniform: bool,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self { seed: 0, max_tokens: 256, uniform: false }
    }
}

/// One random output of a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The tokens of the sample, without an end token.
    pub tokens: Vec<u32>,
    /// The text of the tokens, as bytes. A special token is written by its name.
    pub text: Vec<u8>,
    /// Number of tokens that were drawn. The tokens after them are the completion.
    pub drawn: usize,
}

/// The reason why a sample did not reach an end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The mask is empty and the sequence may not end. The artifact is wrong.
    #[error("dead end after {tokens} tokens: no token is allowed and the text may not end; it reads \"{}\"", text.escape_ascii())]
    DeadEnd {
        /// Number of tokens accepted before the dead end.
        tokens: usize,
        /// The text of the accepted tokens.
        text: Vec<u8>,
    },
    /// No completion within the length limit can be spelled by tokens.
    #[error("no end was found after {tokens} tokens; the text reads \"{}\"", text.escape_ascii())]
    Unfinished {
        /// Number of tokens accepted.
        tokens: usize,
        /// The text of the accepted tokens.
        text: Vec<u8>,
    },
    /// A token of the mask was rejected. The artifact is wrong, or a limit of the runtime was
    /// exceeded.
    #[error("a token of the mask was not accepted after {tokens} tokens")]
    Accept {
        /// Number of tokens accepted before the rejected one.
        tokens: usize,
        /// The reason why the token was rejected.
        source: AcceptError,
    },
    /// The matcher's options do not fit the vocabulary.
    #[error(transparent)]
    Options(#[from] OptionsError),
}

/// Draws random samples of one grammar.
pub struct Sampler {
    grammar: Grammar,
    /// For each token id, the kind of the plain token. `None` if the token is not plain.
    kinds: Vec<Option<Kind>>,
    options: SampleOptions,
}

impl Sampler {
    /// Creates a sampler of a grammar. O(states + tokens).
    pub fn new(grammar: &Grammar, options: SampleOptions) -> Self {
        let vocabulary = grammar.vocabulary().artifact();
        let kinds = (0..vocabulary.token_count()).map(|token| {
            let is_text = vocabulary.token_kind(token) == TokenKind::Text;
            is_text.then(|| kind_of(vocabulary.token_bytes(token))).flatten()
        });
        Self { kinds: kinds.collect(), grammar: grammar.clone(), options }
    }

    /// Draws the sample with this number. Equal numbers give equal samples, whatever was drawn
    /// before.
    ///
    /// # Errors
    ///
    /// See [`SampleError`]. Dead ends do not occur with artifacts of a correct compiler.
    pub fn draw(&self, number: u64) -> Result<Sample, SampleError> {
        // Without end tokens in the matcher, masks contain only tokens of the grammar.
        let options = MatcherOptions::new().end_tokens([]);
        let mut walk = Walk {
            sampler: self,
            matcher: Matcher::with_options(&self.grammar, options)?,
            random: Random::new(self.options.seed, number),
            tokens: Vec::new(),
        };
        let ended = walk.draw_tokens()?;
        let drawn = walk.tokens.len();
        if !ended {
            walk.complete()?;
        }
        Ok(Sample { text: walk.text(), tokens: walk.tokens, drawn })
    }
}

/// A sample that is being drawn.
struct Walk<'s> {
    sampler: &'s Sampler,
    matcher: Matcher,
    random: Random,
    tokens: Vec<u32>,
}

impl Walk<'_> {
    /// Draws tokens up to the limit. Returns whether the sample ended before the limit.
    fn draw_tokens(&mut self) -> Result<bool, SampleError> {
        let SampleOptions { max_tokens, uniform, .. } = self.sampler.options;
        while self.tokens.len() < max_tokens {
            let accepting = self.matcher.is_accepting();
            if accepting && (self.matcher.mask().is_empty() || self.random.once_in(END)) {
                return Ok(true);
            }
            let pull = if self.tokens.len() * 2 > max_tokens { LATE_PULL } else { PULL };
            let pulled = !uniform && self.random.once_in(pull);
            match pulled.then(|| self.towards_the_end()).flatten() {
                Some(token) => self.accept(token)?,
                None => self.draw_one()?,
            }
        }
        Ok(false)
    }

    /// Draws one token from the mask and accepts it. Fails at a dead end: if the mask is empty.
    fn draw_one(&mut self) -> Result<(), SampleError> {
        let mut allowed: Vec<u32> = self.matcher.mask().iter().collect();
        if !self.sampler.options.uniform {
            self.prefer_plain(&mut allowed);
        }
        match allowed.get(self.random.below(allowed.len())) {
            Some(&token) => self.accept(token),
            None => Err(SampleError::DeadEnd { tokens: self.tokens.len(), text: self.text() }),
        }
    }

    /// Reduces `allowed` to the plain tokens of one drawn kind, or of all kinds in free text. Keeps
    /// all tokens if none is plain.
    fn prefer_plain(&mut self, allowed: &mut Vec<u32>) {
        let kind = |token: &u32| self.sampler.kinds.get(*token as usize).copied().flatten();
        let mut kinds: Vec<Kind> = allowed.iter().filter_map(kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let chosen = if kinds.len() <= FEW_KINDS {
            kinds.get(self.random.below(kinds.len())).copied()
        } else {
            (!self.random.once_in(NO_WORD))
                .then_some(Kind::Word)
                .filter(|word| kinds.contains(word))
        };
        match chosen {
            Some(chosen) => allowed.retain(|token| kind(token) == Some(chosen)),
            None if !kinds.is_empty() => allowed.retain(|token| kind(token).is_some()),
            None => {}
        }
    }

    /// Returns the first token of a shortest completion. `None` if no completion is found.
    fn towards_the_end(&mut self) -> Option<u32> {
        let units = self.matcher.route(AHEAD)?;
        next_token(&mut self.matcher, &units, AHEAD).map(|(token, _)| token)
    }

    /// Accepts the tokens of the shortest completion. Sometimes no tokens spell it, because it may
    /// repeat an item where items must differ. Then a few other tokens are accepted first: random
    /// ones, and ones along the completion, because the obstacle may come late.
    fn complete(&mut self) -> Result<(), SampleError> {
        for _ in 0..ATTEMPTS {
            let Some(units) = self.matcher.route(LONGEST_COMPLETION) else { break };
            if units.len() == LONGEST_COMPLETION {
                break;
            }
            if let Some(tokens) = spell(&mut self.matcher, &units) {
                self.tokens.extend(tokens);
                return Ok(());
            }
            for _ in 0..=self.random.below(4) {
                if self.matcher.is_accepting() {
                    return Ok(());
                }
                let along = self.random.once_in(2);
                match along.then(|| self.towards_the_end()).flatten() {
                    Some(token) => self.accept(token)?,
                    None => self.draw_one()?,
                }
            }
        }
        Err(SampleError::Unfinished { tokens: self.tokens.len(), text: self.text() })
    }

    fn accept(&mut self, token: u32) -> Result<(), SampleError> {
        let tokens = self.tokens.len();
        self.matcher.accept(token).map_err(|source| SampleError::Accept { tokens, source })?;
        self.tokens.push(token);
        Ok(())
    }

    fn text(&self) -> Vec<u8> {
        let vocabulary = self.sampler.grammar.vocabulary();
        self.tokens.iter().flat_map(|&token| vocabulary.token_bytes(token)).copied().collect()
    }
}

/// The kind of a plain token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// ASCII letters, optionally with a space before them.
    Word,
    /// ASCII digits.
    Number,
    /// Any other single printable ASCII character. Each character is a kind of its own.
    Mark(u8),
}

/// Returns the kind of a plain token (short word, number or single character). `None` for other
/// tokens.
fn kind_of(bytes: &[u8]) -> Option<Kind> {
    let word = bytes.strip_prefix(b" ").unwrap_or(bytes);
    match bytes {
        _ if bytes.len() > PLAIN => None,
        &[byte @ b' '..=b'~'] if !byte.is_ascii_alphanumeric() => Some(Kind::Mark(byte)),
        [_, ..] if bytes.iter().all(u8::is_ascii_digit) => Some(Kind::Number),
        _ if !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic) => Some(Kind::Word),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_tokens_have_a_kind() {
        for (token, kind) in [
            ("a", Some(Kind::Word)),
            (" word", Some(Kind::Word)),
            ("42", Some(Kind::Number)),
            (" ", Some(Kind::Mark(b' '))),
            ("{", Some(Kind::Mark(b'{'))),
            ("", None),
            ("\n", None),
            (" 42", None),
            ("{\"", None),
            ("é", None),
            ("incomprehensible", None),
        ] {
            assert_eq!(kind_of(token.as_bytes()), kind, "{token:?}");
        }
    }
}
