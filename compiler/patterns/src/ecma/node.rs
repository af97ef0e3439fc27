//! Patterns as trees, with flags, escapes and groups resolved.

use regex_syntax::hir::ClassUnicode;

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// One character of the class.
    Class(ClassUnicode),
    /// A sequence; empty if there are no parts.
    Seq(Vec<Node>),
    /// An alternation.
    Alt(Vec<Node>),
    /// Between `min` and `max` repetitions of the body.
    Repeat { body: Box<Node>, min: u32, max: Option<u32> },
    /// The start of the string.
    Start,
    /// The end of the string.
    End,
    /// A position between a word character and another character or none; if `negative`, any other position.
    WordBoundary { negative: bool },
    /// Whether the body matches directly after this position, or directly before it if `behind`.
    Look { behind: bool, negative: bool, body: Box<Node> },
}

impl Node {
    /// Whether every match begins at the start of the string. May be false for some such trees.
    pub(super) fn is_anchored(&self) -> bool {
        match self {
            Self::Start => true,
            Self::Seq(parts) => parts
                .iter()
                .find(|part| !matches!(part, Self::Look { .. } | Self::WordBoundary { .. }))
                .is_some_and(Self::is_anchored),
            Self::Alt(choices) => choices.iter().all(Self::is_anchored),
            Self::Repeat { body, min, .. } => *min > 0 && body.is_anchored(),
            Self::Class(_) | Self::End | Self::WordBoundary { .. } | Self::Look { .. } => false,
        }
    }

    /// Whether the tree has no assertion.
    pub(super) fn asserts_nothing(&self) -> bool {
        match self {
            Self::Class(_) => true,
            Self::Seq(parts) | Self::Alt(parts) => parts.iter().all(Self::asserts_nothing),
            Self::Repeat { body, .. } => body.asserts_nothing(),
            Self::Start | Self::End | Self::WordBoundary { .. } | Self::Look { .. } => false,
        }
    }
}
