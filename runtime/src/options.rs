//! Options of a matcher, and their default values.

use crate::error::OptionsError;
use crate::grammar::Grammar;
use crate::sort::sort_and_dedup;
use crate::step::machine::Limits;

/// Default limit on the configurations (parses) of one position, 12 bytes each. Real schemas reach 16. Beyond the
/// limit, an accept returns an error.
const CONFIGURATIONS: usize = 1 << 16;
/// Default limit on the stack frames of one sequence: a nesting depth of 16 million, in 256 MiB. Beyond the limit, an
/// accept returns an error.
const FRAMES: usize = 1 << 24;
/// Default number of tokens that a matcher can take back. Hosts with speculative decoding take back a few dozen. Older
/// positions are dropped.
const WINDOW: usize = 1024;

/// The options of one matcher. An option that is not set has its default.
///
/// ```
/// use grammarc_runtime::MatcherOptions;
/// let options = MatcherOptions::new().end_tokens([128_001, 128_009]).logit_width(128_256);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatcherOptions {
    end_tokens: Option<Vec<u32>>,
    logit_width: Option<u32>,
    rollback_window: Option<usize>,
    max_configurations: Option<usize>,
    max_frames: Option<usize>,
}

impl MatcherOptions {
    /// Returns options that are all at their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the ids of the tokens that end a sequence, in any order. Default: the end tokens of the vocabulary.
    pub fn end_tokens(mut self, tokens: impl IntoIterator<Item = u32>) -> Self {
        self.end_tokens = Some(tokens.into_iter().collect());
        self
    }

    /// Sets the length of the host's logit row, in tokens. The length must be at least that of the vocabulary. Ids
    /// beyond the vocabulary are never allowed. Default: the vocabulary's logit width.
    pub fn logit_width(mut self, width: u32) -> Self {
        self.logit_width = Some(width);
        self
    }

    /// Sets the rollback window: the number of tokens that the matcher can take back. Default: 1,024.
    pub fn rollback_window(mut self, tokens: usize) -> Self {
        self.rollback_window = Some(tokens);
        self
    }

    /// Sets the limit on the configurations (parses) of one position, from 1 to 2^29 - 1. Beyond the limit, an accept
    /// returns an error. Default: 65,536.
    pub fn max_configurations(mut self, limit: usize) -> Self {
        self.max_configurations = Some(limit);
        self
    }

    /// Sets the limit on the stack frames of the sequence and its rollback window, up to 2^29 - 1. Beyond the limit, an
    /// accept returns an error. Default: 16,777,216.
    pub fn max_frames(mut self, limit: usize) -> Self {
        self.max_frames = Some(limit);
        self
    }

    /// Checks the options against the grammar's vocabulary and fills in defaults. Returns an error for a logit width
    /// below the vocabulary's, an end token outside the row, or a limit out of range.
    pub(crate) fn check(self, grammar: &Grammar) -> Result<Settings, OptionsError> {
        let default = Settings::default_for(grammar);
        let vocabulary = default.width;
        let width = self.logit_width.unwrap_or(vocabulary);
        if width < vocabulary {
            return Err(OptionsError::LogitWidth { given: width, vocabulary });
        }
        let end_tokens = self.end_tokens.map_or(default.end_tokens, sorted);
        if let Some(&token) = end_tokens.iter().find(|&&token| token >= width) {
            return Err(OptionsError::EndToken { token, width });
        }
        let configurations = self.max_configurations.unwrap_or(CONFIGURATIONS);
        let frames = self.max_frames.unwrap_or(FRAMES);
        Ok(Settings {
            end_tokens,
            width,
            window: self.rollback_window.unwrap_or(WINDOW),
            limits: Limits {
                configurations: within("max_configurations", 1, configurations)?,
                frames: within("max_frames", 0, frames)?,
            },
        })
    }
}

/// Returns `given` if it lies between `least` and 2^29 - 1, otherwise an error with the option's name. The upper end
/// leaves room for indices and hash slots in 32 bits.
fn within(name: &'static str, least: usize, given: usize) -> Result<usize, OptionsError> {
    let most = u32::MAX as usize / 8;
    let fits = (least..=most).contains(&given);
    fits.then_some(given).ok_or(OptionsError::Limit { name, least, most, given })
}

/// Sorts token ids and removes duplicates.
fn sorted(mut tokens: Vec<u32>) -> Vec<u32> {
    sort_and_dedup(&mut tokens);
    tokens
}

/// The options of a matcher, checked and with defaults filled in.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Ids of the tokens that end a sequence, ascending and without duplicates.
    pub(crate) end_tokens: Vec<u32>,
    /// Length of the host's logit row, in tokens.
    pub(crate) width: u32,
    /// Number of tokens that can be taken back.
    pub(crate) window: usize,
    pub(crate) limits: Limits,
}

impl Settings {
    /// Returns the end tokens if the sequence may end, otherwise an empty slice.
    #[inline]
    pub(crate) fn ends(&self, may_end: bool) -> &[u32] {
        if may_end { &self.end_tokens } else { &[] }
    }

    /// Returns the default settings for the grammar's vocabulary. They never fail a check.
    pub(crate) fn default_for(grammar: &Grammar) -> Self {
        Self {
            end_tokens: sorted(grammar.vocabulary().end_tokens().to_vec()),
            width: grammar.vocabulary().logit_width(),
            window: WINDOW,
            limits: Limits { configurations: CONFIGURATIONS, frames: FRAMES },
        }
    }
}
