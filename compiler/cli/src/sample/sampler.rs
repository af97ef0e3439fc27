//! Draws one sample.
//!
//! Uniform choice from the mask inside a JSON string gives a long string of arbitrary Unicode. Where a JSON value
//! begins it nearly always gives a number, because most possible tokens are digits. So by default the sampler has
//! three preferences:
//!
//! - If the mask has plain tokens (short words and single ASCII characters), it picks among these.
//! - If these are of few [kinds](Kind), it picks a kind first and then a token of it. If they are of many, which is
//!   free text, it usually picks a word.
//! - Now and then it takes a token on the shortest path to an end, more often after half of the tokens.

use grammarc_artifacts::TokenKind;
use grammarc_runtime::ending::{next_token, spell};
use grammarc_runtime::error::{AcceptError, OptionsError};
use grammarc_runtime::{Grammar, Matcher, MatcherOptions};

use super::random::Random;

/// A sequence that may end does so once in this many times.
const END: usize = 6;
/// Once in this many tokens, a token on the path to an end is taken.
const PULL: usize = 8;
/// The same, after half of the tokens.
const LATE_PULL: usize = 2;
/// Bytes of the path to an end that are considered for one token.
const AHEAD: usize = 64;
/// Length of the longest completion that is written.
const LONGEST_COMPLETION: usize = 1 << 22;
/// Attempts to complete, with random tokens between them, if no tokens spell the shortest text.
const ATTEMPTS: usize = 64;
/// Greatest length of a plain token, in bytes.
const PLAIN: usize = 10;
/// The number of kinds of allowed tokens above which text is free.
const FEW_KINDS: usize = 16;
/// Once in this many tokens, free text has something other than a word.
const NO_WORD: usize = 8;

/// Options of drawing samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// Equal seeds give equal samples.
    pub seed: u64,
    /// Tokens to draw before the shortest completion is taken.
    pub max_tokens: usize,
    /// Pick from the whole mask, uniformly.
    pub uniform: bool,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self { seed: 0, max_tokens: 256, uniform: false }
    }
}

/// One output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its tokens, without an end token.
    pub tokens: Vec<u32>,
    /// The text of the tokens; a token that is not text is written by its name.
    pub text: Vec<u8>,
    /// Number of drawn tokens; the others complete them.
    pub drawn: usize,
}

/// Why a sample did not reach an end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The mask is empty and the sequence may not end: the artifact is wrong.
    #[error("dead end after {tokens} tokens: no token is allowed and the text may not end; it reads \"{}\"", text.escape_ascii())]
    DeadEnd {
        /// Tokens accepted.
        tokens: usize,
        /// The text of the tokens.
        text: Vec<u8>,
    },
    /// No completion within the limits can be spelled by tokens.
    #[error("no end was found after {tokens} tokens; the text reads \"{}\"", text.escape_ascii())]
    Unfinished {
        /// Tokens accepted.
        tokens: usize,
        /// The text of the tokens.
        text: Vec<u8>,
    },
    /// A token of the mask was rejected: the artifact is wrong, or a limit of the runtime was met.
    #[error("a token of the mask was not accepted after {tokens} tokens")]
    Accept {
        /// Tokens accepted.
        tokens: usize,
        /// Why not.
        source: AcceptError,
    },
    /// The options do not fit the vocabulary.
    #[error(transparent)]
    Options(#[from] OptionsError),
}

/// Draws samples of a grammar.
pub struct Sampler {
    grammar: Grammar,
    /// Kinds of the plain tokens, by token id.
    kinds: Vec<Option<Kind>>,
    options: SampleOptions,
}

impl Sampler {
    /// A sampler of a grammar. O(states + tokens).
    pub fn new(grammar: &Grammar, options: SampleOptions) -> Self {
        let vocabulary = grammar.vocabulary().artifact();
        let kinds = (0..vocabulary.token_count()).map(|token| {
            let is_text = vocabulary.token_kind(token) == TokenKind::Text;
            is_text.then(|| kind_of(vocabulary.token_bytes(token))).flatten()
        });
        Self { kinds: kinds.collect(), grammar: grammar.clone(), options }
    }

    /// Draws the sample with this number. Samples do not depend on each other.
    ///
    /// # Errors
    ///
    /// See [`SampleError`]. Dead ends do not occur with artifacts of a correct compiler.
    pub fn draw(&self, number: u64) -> Result<Sample, SampleError> {
        // End tokens are not part of a sample, so masks contain only the tokens of the grammar.
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

/// A sample in the making.
struct Walk<'s> {
    sampler: &'s Sampler,
    matcher: Matcher,
    random: Random,
    tokens: Vec<u32>,
}

impl Walk<'_> {
    /// Draws up to the limit of tokens, and says whether the sample ended before.
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

    /// Draws one token from the mask.
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

    /// Keeps the tokens of one kind, or plain tokens of all kinds, if there are any.
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

    /// The first token of a shortest completion.
    fn towards_the_end(&mut self) -> Option<u32> {
        let units = self.matcher.route(AHEAD)?;
        next_token(&mut self.matcher, &units, AHEAD).map(|(token, _)| token)
    }

    /// Takes the shortest completion. Sometimes no tokens spell it, because it may repeat an item where items must
    /// differ. Then a few tokens are taken first: random ones, and ones along the completion, because the obstacle
    /// may come late.
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

/// The look of a plain token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Letters, perhaps with a space before them.
    Word,
    /// Digits.
    Number,
    /// Any other single character; each is a kind of its own.
    Mark(u8),
}

/// Returns the kind of a plain token. `None` for other tokens.
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
