//! Two matchers over the same tokens, and their masks side by side.

use std::fmt;

use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::random::Rng;

use crate::fixture::Fixture;

/// Longest random walk, in tokens.
const WALK: usize = 48;

/// Numbers of comparisons.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compared {
    pub(crate) texts: usize,
    pub(crate) steps: usize,
    pub(crate) bits: usize,
}

impl std::ops::AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        self.texts += other.texts;
        self.steps += other.steps;
        self.bits += other.bits;
    }
}

/// A text after which masks are not equal.
pub(crate) struct Difference {
    /// The text that was accepted before.
    pub(crate) text: String,
    /// Tokens that only ours allows: how many, and some of them.
    pub(crate) ours: (usize, Vec<String>),
    /// Tokens that only llguidance allows.
    pub(crate) theirs: (usize, Vec<String>),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, ours, theirs } = self;
        write!(f, "after {text:?}: only ours {ours:?}, only llguidance {theirs:?}")
    }
}

/// How a text ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Both took every token, and both say whether the text may end.
    Accepted { may_end: bool },
    /// Both refused the token at this place.
    Refused { at: usize },
}

/// The engines at the same place of the same text.
pub(crate) struct Lockstep<'f> {
    fixture: &'f Fixture,
    ours: Matcher,
    theirs: llguidance::Matcher,
    /// Tokens whose bits count.
    counted: &'f [u32],
    words: Vec<u32>,
    their_words: Vec<u32>,
    text: Vec<u8>,
    pub(crate) compared: Compared,
}

impl<'f> Lockstep<'f> {
    pub(crate) fn new(
        fixture: &'f Fixture,
        grammar: &Grammar,
        theirs: llguidance::Matcher,
        counted: &'f [u32],
    ) -> Self {
        let words = vec![0; fixture.text_tokens.len()];
        Self {
            fixture,
            ours: Matcher::new(grammar),
            theirs,
            counted,
            their_words: words.clone(),
            words,
            text: Vec::new(),
            compared: Compared { texts: 1, ..Compared::default() },
        }
    }

    /// Computes both masks and compares them, and whether the text may end.
    pub(crate) fn compare(&mut self) -> Result<(), Difference> {
        self.ours.mask().fill(&mut self.words).expect("the words of a whole row");
        let theirs = self.theirs.compute_mask_or_eos().expect("a mask");
        self.their_words.fill(0);
        let known = theirs.as_slice().len().min(self.their_words.len());
        self.their_words[..known].copy_from_slice(&theirs.as_slice()[..known]);
        self.compared.steps += 1;
        let (mut ours, mut their) = (Vec::new(), Vec::new());
        let both = self.words.iter().zip(&self.their_words).zip(self.counted);
        for (at, ((&left, &right), &counted)) in both.enumerate() {
            self.compared.bits += counted.count_ones() as usize;
            push_bits(left & !right & counted, at, &mut ours);
            push_bits(right & !left & counted, at, &mut their);
        }
        if ours.is_empty() && their.is_empty() {
            return self.compare_end();
        }
        let some = |tokens: &[u32]| {
            let shown = tokens.iter().take(6).map(|&token| self.fixture.shown(token));
            (tokens.len(), shown.collect())
        };
        Err(Difference {
            text: self.text.escape_ascii().to_string(),
            ours: some(&ours),
            theirs: some(&their),
        })
    }

    fn compare_end(&mut self) -> Result<(), Difference> {
        let ours = self.ours.is_accepting();
        let theirs = self.theirs.is_accepting().expect("an answer");
        let end = |allowed| (usize::from(allowed), vec!["the end".to_owned()]);
        let text = self.text.escape_ascii().to_string();
        if ours == theirs {
            Ok(())
        } else {
            Err(Difference { text, ours: end(ours), theirs: end(theirs) })
        }
    }

    /// Accepts a token on both sides. Both masks hold it.
    fn accept(&mut self, token: u32) {
        self.ours.accept(token).expect("a token of the mask");
        self.theirs.consume_token(token).expect("a token of the mask");
        self.text.extend_from_slice(self.fixture.ours.artifact().token_bytes(token));
    }

    /// Follows the tokens of a text, and compares before the first, after each, and at the end.
    pub(crate) fn follow(&mut self, tokens: &[u32]) -> Result<End, Difference> {
        for (at, &token) in tokens.iter().enumerate() {
            self.compare()?;
            let allowed = |words: &[u32]| words[(token / 32) as usize] >> (token % 32) & 1 == 1;
            if !allowed(&self.words) {
                assert!(self.ours.accept(token).is_err(), "accepts what its mask refuses");
                return Ok(End::Refused { at });
            }
            self.accept(token);
        }
        self.compare()?;
        Ok(End::Accepted { may_end: self.ours.is_accepting() })
    }

    /// Follows random tokens of the masks, and compares at each step. Half of the tokens are the shortest of a few draws, so
    /// that walks meet punctuation as well as words.
    pub(crate) fn walk(&mut self, rng: &mut Rng) -> Result<(), Difference> {
        for _ in 0..WALK {
            self.compare()?;
            let mut allowed = Vec::new();
            for (at, (&word, &counted)) in self.words.iter().zip(self.counted).enumerate() {
                push_bits(word & counted, at, &mut allowed);
            }
            if allowed.is_empty() {
                break;
            }
            let vocabulary = self.fixture.ours.artifact();
            let draws = if rng.one_in(2) { 6 } else { 1 };
            let draws = (0..draws).map(|_| *rng.pick(&allowed));
            let token = draws.min_by_key(|&token| vocabulary.token_bytes(token).len());
            self.accept(token.expect("there is at least one draw"));
        }
        Ok(())
    }
}

/// Adds the tokens of a mask word.
fn push_bits(mut word: u32, at: usize, tokens: &mut Vec<u32>) {
    while word != 0 {
        tokens.push(at as u32 * u32::BITS + word.trailing_zeros());
        word &= word - 1;
    }
}
