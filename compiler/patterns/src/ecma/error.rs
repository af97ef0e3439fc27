//! Why a pattern has no automaton.

use std::borrow::Cow;
use std::ops::Range;

/// Why a pattern has no automaton, with the range in its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct EcmaError {
    /// The kind of the error.
    pub(crate) kind: EcmaErrorKind,
    /// Byte range in the pattern's text.
    pub span: Range<usize>,
}

/// The kind of an error in a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EcmaErrorKind {
    /// The text is not a regular expression of ECMA-262.
    #[error("{message}")]
    Syntax {
        /// The parser's message.
        message: String,
    },
    /// The pattern has a construct of another dialect.
    #[error("{what} is not part of ECMA-262")]
    Foreign {
        /// The construct.
        what: &'static str,
        /// The form to use.
        help: Cow<'static, str>,
    },
    /// The pattern text is longer than the limit.
    #[error("the pattern is {length} bytes long, more than {limit}")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Groups are nested too deep.
    #[error("the pattern nests groups deeper than {limit} levels")]
    TooDeep {
        /// The limit in levels.
        limit: usize,
    },
    /// A backreference, which is not regular.
    #[error("a backreference has no automaton")]
    Backreference,
    /// A construct of ECMA-262 that is not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// The construct.
        what: &'static str,
    },
    /// The automaton would be too large.
    #[error("the pattern needs an automaton of more than {limit} states")]
    TooLarge {
        /// The limit in states.
        limit: usize,
    },
}

impl EcmaError {
    /// Advice on the error.
    pub fn help(&self) -> &str {
        match &self.kind {
            EcmaErrorKind::Syntax { .. } => {
                "patterns are ECMA-262 regular expressions: characters that mean something are escaped with `\\`"
            }
            EcmaErrorKind::Foreign { help, .. } => help,
            EcmaErrorKind::TooLong { .. } => "split it: several patterns under `allOf` all apply",
            EcmaErrorKind::TooDeep { .. } => "write the inner groups out",
            EcmaErrorKind::Backreference => {
                "write what it may match as alternatives, or leave it out"
            }
            EcmaErrorKind::Unsupported { .. } => "write the characters that are meant as a class",
            EcmaErrorKind::TooLarge { .. } => {
                "put the pattern between `^` and `$` and let no text be counted in two ways, where counts cost nothing, or \
                 lower them"
            }
        }
    }
}
