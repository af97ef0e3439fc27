//! Verdicts on texts and token sequences, as data.

use serde::Serialize;

/// The result of checking one text or token sequence.
#[derive(Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// The grammar accepts the text or the token sequence.
    Accepted,
    /// The grammar rejects a byte of the text.
    Refused {
        #[serde(flatten)]
        place: Place,
        /// The rejected byte.
        found: u8,
        #[serde(flatten)]
        allowed: Allowed,
        /// Flags of `compile` with which the grammar would accept the text. Empty unless the text's
        /// value is accepted in another form.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        compile_with: Vec<&'static str>,
    },
    /// The text ends before the grammar permits an end.
    EndsTooEarly {
        #[serde(flatten)]
        place: Place,
        #[serde(flatten)]
        allowed: Allowed,
    },
    /// The grammar rejects a token of the sequence.
    TokenRefused {
        /// Index of the rejected token in the sequence, from 0.
        index: usize,
        token: u32,
        /// The text of the rejected token, or the name of a special token. Empty for an unknown id.
        text: String,
        /// Number of tokens that are allowed in place of the rejected one.
        allowed_tokens: usize,
        may_end: bool,
    },
    /// The token sequence ends before the grammar permits an end.
    EndsTooEarlyInTokens {
        /// Number of tokens in the sequence.
        index: usize,
        /// Number of tokens that are allowed next.
        allowed_tokens: usize,
    },
    /// A limit of the runtime was exceeded.
    Limit {
        #[serde(flatten)]
        place: Place,
        problem: String,
    },
}

/// A position in a text.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    /// Offset in bytes, from 0.
    pub(crate) offset: usize,
    /// Line number, from 1.
    pub(crate) line: usize,
    /// Column in characters, from 1.
    pub(crate) column: usize,
    /// The bytes of the line just before the position, for quoting.
    #[serde(skip)]
    pub(crate) before: Vec<u8>,
}

/// What may come next at a position.
#[derive(Debug, Serialize)]
pub(crate) struct Allowed {
    /// The allowed bytes, in ascending order.
    pub(crate) allowed_bytes: Vec<u8>,
    /// Names of the allowed special tokens.
    pub(crate) special_tokens: Vec<String>,
    /// Whether the text may end here.
    pub(crate) may_end: bool,
}
