//! Verdicts on texts, as data.

use serde::Serialize;

/// The result of a text.
#[derive(Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// The grammar accepts it.
    Accepted,
    /// A byte is not allowed.
    Refused {
        #[serde(flatten)]
        place: Place,
        /// The byte.
        found: u8,
        #[serde(flatten)]
        allowed: Allowed,
        /// Flags of `compile` with which the text would be accepted: its value is accepted in another form.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        compile_with: Vec<&'static str>,
    },
    /// The text ends where the grammar continues.
    EndsTooEarly {
        #[serde(flatten)]
        place: Place,
        #[serde(flatten)]
        allowed: Allowed,
    },
    /// A token is not allowed.
    TokenRefused {
        /// Index in the sequence, from 0.
        index: usize,
        token: u32,
        /// The text or the name of the token.
        text: String,
        /// The number of tokens allowed there.
        allowed_tokens: usize,
        may_end: bool,
    },
    /// The sequence of tokens ends where the grammar continues.
    EndsTooEarlyInTokens {
        /// The number of tokens.
        index: usize,
        /// The number of tokens allowed there.
        allowed_tokens: usize,
    },
    /// A limit of the runtime was met.
    Limit {
        #[serde(flatten)]
        place: Place,
        problem: String,
    },
}

/// A position in a text.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    /// Byte offset.
    pub(crate) offset: usize,
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column, from 1, in characters.
    pub(crate) column: usize,
    /// The end of the line up to here.
    #[serde(skip)]
    pub(crate) before: Vec<u8>,
}

/// The tokens that may come next.
#[derive(Debug, Serialize)]
pub(crate) struct Allowed {
    /// Bytes, ascending.
    pub(crate) allowed_bytes: Vec<u8>,
    /// Names of the special tokens that may come too.
    pub(crate) special_tokens: Vec<String>,
    /// Whether the text may end.
    pub(crate) may_end: bool,
}
