//! The errors of ECMA-262 patterns.

use std::borrow::Cow;
use std::ops::Range;

/// The reason why a pattern has no automaton, with a place in the pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct EcmaError {
    /// The kind of the error: what is wrong with the pattern.
    pub(crate) kind: EcmaErrorKind,
    /// The place of the error in the pattern, in bytes.
    pub span: Range<usize>,
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EcmaErrorKind {
    /// The text is not a regular expression of ECMA-262.
    #[error("{message}")]
    Syntax {
        /// The message of the parser.
        message: String,
    },
    /// The pattern has a construct of another dialect, such as `(?P<name>...)`.
    #[error("{what} is not part of ECMA-262")]
    Foreign {
        /// The name of the construct.
        what: &'static str,
        /// The help for the error: what to write instead of the construct.
        help: Cow<'static, str>,
    },
    /// The pattern is longer than 256 KiB.
    #[error("the pattern is {length} bytes long, more than {limit}")]
    TooLong {
        /// The length of the pattern in bytes.
        length: usize,
        /// The greatest allowed length in bytes.
        limit: usize,
    },
    /// Groups are nested more than 100 levels deep.
    #[error("the pattern nests groups deeper than {limit} levels")]
    TooDeep {
        /// The greatest allowed number of levels of groups.
        limit: usize,
    },
    /// The pattern has a backreference, so its language is not regular.
    #[error("a backreference has no automaton")]
    Backreference,
    /// The pattern has a construct of ECMA-262 that is not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// The name of the construct.
        what: &'static str,
    },
    /// The automaton of the pattern would exceed the limit on states.
    #[error("the pattern needs an automaton of more than {limit} states")]
    TooLarge {
        /// The greatest allowed number of states of the automaton.
        limit: usize,
    },
}

impl EcmaError {
    /// Returns the help for the error: how to change the pattern.
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
