//! Syntax trees of ECMA-262 patterns, with flags, escapes and groups resolved.

use regex_syntax::hir::ClassUnicode;

/// A node of the syntax tree of a pattern, with the nodes below it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// One character of a character class.
    Class(ClassUnicode),
    /// A sequence of parts. An empty sequence matches the empty string.
    Seq(Vec<Node>),
    /// Alternatives, of which one matches. No alternatives match nothing.
    Alt(Vec<Node>),
    /// Between `min` and `max` matches of the body, both inclusive. Without `max` their number is unbounded.
    Repeat { body: Box<Node>, min: u32, max: Option<u32> },
    /// An assertion: the start of the string.
    Start,
    /// An assertion: the end of the string.
    End,
    /// An assertion: a word character is on exactly one side of the position. With `negative`, on both sides or
    /// neither.
    WordBoundary { negative: bool },
    /// An assertion: the body matches directly after the position, or directly before it with `behind`. With
    /// `negative`, the body must not match there.
    Look { behind: bool, negative: bool, body: Box<Node> },
}

impl Node {
    /// Whether every match of the tree begins at the start of the string. False for some trees for which this holds,
    /// because only their first nodes are examined.
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

    /// Whether the tree contains no assertion.
    pub(super) fn asserts_nothing(&self) -> bool {
        match self {
            Self::Class(_) => true,
            Self::Seq(parts) | Self::Alt(parts) => parts.iter().all(Self::asserts_nothing),
            Self::Repeat { body, .. } => body.asserts_nothing(),
            Self::Start | Self::End | Self::WordBoundary { .. } | Self::Look { .. } => false,
        }
    }
}
