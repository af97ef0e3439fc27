//! The errors of patterns in the syntax of the `regex` crate.

use std::ops::Range;

use grammarc_grammar::diagnostics::Diagnostic;

/// The reason why a pattern has no expression or no automaton. Places are ranges of bytes in the
/// pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The text is not a regular expression.
    #[error("{message}")]
    Syntax {
        /// The message of the parser.
        message: String,
        /// The place of the error in the pattern, in bytes.
        span: Range<usize>,
        /// Another place that is involved, in bytes, such as the first use of a duplicate name.
        other: Option<Range<usize>>,
    },
    /// Groups, repetitions and classes are nested too deep.
    #[error("the pattern is nested more than {limit} deep")]
    NestedTooDeep {
        /// The greatest allowed number of levels of nesting.
        limit: u32,
        /// The place of the first level of nesting beyond the limit, in bytes.
        span: Range<usize>,
    },
    /// The pattern has a construct of another dialect, such as `\Z`.
    #[error("{what} is not part of this dialect")]
    Foreign {
        /// The name of the construct.
        what: &'static str,
        /// The help for the error: what to write instead of the construct.
        help: &'static str,
        /// The place of the construct in the pattern, in bytes.
        span: Range<usize>,
    },
    /// The pattern has lookaround, so it is read as ECMA-262, where it is not valid or too large.
    #[error("{message}")]
    Lookaround {
        /// The message of the ECMA-262 front end.
        message: String,
        /// The help for the error: how to change the pattern.
        help: String,
        /// The place of the error in the pattern, in bytes.
        span: Range<usize>,
    },
    /// The pattern has a backreference, so its language is not regular.
    #[error("{message}")]
    Unsupported {
        /// The message of the parser.
        message: String,
        /// The place of the construct in the pattern, in bytes.
        span: Range<usize>,
    },
    /// The pattern is longer than 256 KiB.
    #[error("the pattern is {length} bytes long and may be {limit} long")]
    TooLong {
        /// The length of the pattern in bytes.
        length: usize,
        /// The greatest allowed length in bytes.
        limit: usize,
    },
    /// The character classes of the pattern together would take too much memory or time.
    #[error("the character classes of the pattern are too large, all in all")]
    ClassesTooLarge {
        /// The place of the class at which the limit is exceeded, in bytes.
        span: Range<usize>,
    },
    /// The pattern has a Unicode word boundary, which an automaton over bytes cannot decide.
    #[error("word boundaries by Unicode rules are not supported")]
    UnicodeWordBoundary {
        /// The place of the first assertion on words, in bytes.
        span: Range<usize>,
    },
    /// The automaton of the pattern needs more memory than allowed.
    #[error("the automaton of the pattern needs more than {limit} bytes")]
    TooLarge {
        /// The greatest allowed memory in bytes, for each stage of the construction.
        limit: usize,
        /// The place of the assertion that requires an automaton, or else the whole pattern, in
        /// bytes.
        span: Range<usize>,
    },
    /// The pattern matches no text.
    #[error("the pattern matches nothing")]
    MatchesNothing {
        /// The place of the whole pattern, in bytes.
        span: Range<usize>,
    },
}

impl PatternError {
    /// Returns the error as a diagnostic about the text of the pattern.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, label, help) = match self {
            Self::Syntax { .. } => ("regex::syntax", "", None),
            Self::NestedTooDeep { .. } => (
                "regex::nested-too-deep",
                "one too many",
                Some("a GBNF grammar can give the inner part a rule of its own"),
            ),
            Self::Foreign { help, .. } => ("regex::syntax", "", Some(*help)),
            Self::Lookaround { help, .. } => ("regex::lookaround", "", Some(&**help)),
            Self::Unsupported { .. } => (
                "regex::unsupported",
                "",
                Some("what a backreference matches is not regular; spell the cases out"),
            ),
            Self::TooLong { .. } => ("regex::too-long", "", Some("write it as a GBNF grammar")),
            Self::ClassesTooLarge { .. } => {
                ("regex::classes-too-large", "one too many", Some("write it as a GBNF grammar"))
            }
            Self::UnicodeWordBoundary { .. } => (
                "regex::unicode-word-boundary",
                "",
                Some("use boundaries of ASCII words: `(?-u:\\b)`"),
            ),
            Self::TooLarge { .. } => (
                "regex::too-large",
                "an automaton is necessary here, and it spells repetitions out",
                Some(
                    "do without the assertion, lower the bounds of repetitions, or raise the limit",
                ),
            ),
            Self::MatchesNothing { .. } => (
                "regex::matches-nothing",
                "",
                Some("look for an empty class, or an anchor with text on its far side"),
            ),
        };
        let mut diagnostic = Diagnostic::error(code, self.to_string());
        if let Some(span) = self.span() {
            diagnostic = diagnostic.with_label(span, label);
        }
        if let Self::Syntax { other: Some(other), .. } = self {
            diagnostic = diagnostic.with_label(other.clone(), "first here");
        }
        match help {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        }
    }

    /// Returns the place of the error in the pattern, in bytes. `None` if the error concerns the
    /// whole pattern.
    pub fn span(&self) -> Option<Range<usize>> {
        match self {
            Self::Syntax { span, .. }
            | Self::NestedTooDeep { span, .. }
            | Self::Foreign { span, .. }
            | Self::Lookaround { span, .. }
            | Self::Unsupported { span, .. }
            | Self::ClassesTooLarge { span }
            | Self::UnicodeWordBoundary { span }
            | Self::TooLarge { span, .. }
            | Self::MatchesNothing { span } => Some(span.clone()),
            Self::TooLong { .. } => None,
        }
    }
}
