//! Errors of patterns.

use std::ops::Range;

use grammarc_grammar::diagnostics::Diagnostic;

/// Why a pattern has no expression or no automaton. Spans are byte ranges in the pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The text is no regular expression.
    #[error("{message}")]
    Syntax {
        /// The parser's message.
        message: String,
        /// Byte range in the pattern.
        span: Range<usize>,
        /// Another range involved, such as the first use of a duplicate name.
        other: Option<Range<usize>>,
    },
    /// Groups, repetitions and classes are nested deeper than the limit.
    #[error("the pattern is nested more than {limit} deep")]
    NestedTooDeep {
        /// The limit.
        limit: u32,
        /// The start of the first level beyond it.
        span: Range<usize>,
    },
    /// The pattern has a construct of another dialect.
    #[error("{what} is not part of this dialect")]
    Foreign {
        /// The construct.
        what: &'static str,
        /// The form to use.
        help: &'static str,
        /// Byte range in the pattern.
        span: Range<usize>,
    },
    /// A pattern with lookaround, which is read as ECMA-262, is not valid there.
    #[error("{message}")]
    Lookaround {
        /// The message.
        message: String,
        /// Advice on the error.
        help: String,
        /// Byte range in the pattern.
        span: Range<usize>,
    },
    /// The pattern uses a feature that regular languages do not have.
    #[error("{message}")]
    Unsupported {
        /// The parser's message.
        message: String,
        /// Byte range in the pattern.
        span: Range<usize>,
    },
    /// The text exceeds the limit on length.
    #[error("the pattern is {length} bytes long and may be {limit} long")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// The character classes of the pattern would take too much memory.
    #[error("the character classes of the pattern are too large, all in all")]
    ClassesTooLarge {
        /// The class at which the limit is exceeded.
        span: Range<usize>,
    },
    /// A Unicode word boundary, which an automaton over bytes cannot decide.
    #[error("word boundaries by Unicode rules are not supported")]
    UnicodeWordBoundary {
        /// The first assertion on words.
        span: Range<usize>,
    },
    /// The automaton needs more memory than allowed.
    #[error("the automaton of the pattern needs more than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// The assertion that requires an automaton, or the whole pattern.
        span: Range<usize>,
    },
    /// The pattern matches no text.
    #[error("the pattern matches nothing")]
    MatchesNothing {
        /// The whole pattern.
        span: Range<usize>,
    },
}

impl PatternError {
    /// The error as a diagnostic about the pattern's text.
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

    /// Byte range of the error in the pattern. `None` if the error concerns the pattern as a whole.
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
