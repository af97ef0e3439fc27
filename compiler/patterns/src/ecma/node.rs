//! Patterns as trees: what is left of the syntax when flags, escapes and groups are resolved.

use regex_syntax::hir::ClassUnicode;

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// One character of the class.
    Class(ClassUnicode),
    /// One after the other; nothing where there is none.
    Seq(Vec<Node>),
    /// Any one of them.
    Alt(Vec<Node>),
    /// Between `min` and `max` of the body.
    Repeat { body: Box<Node>, min: u32, max: Option<u32> },
    /// The start of the string.
    Start,
    /// The end of the string.
    End,
    /// Between a word character and another or none; anywhere else where `negative`.
    WordBoundary { negative: bool },
    /// Whether the body matches right ahead of this place, or right behind it.
    Look { behind: bool, negative: bool, body: Box<Node> },
}

impl Node {
    /// Whether a match can only begin at the start of the string. May say no where the answer is yes.
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

    /// Whether there is no assertion of any kind in it.
    pub(super) fn asserts_nothing(&self) -> bool {
        match self {
            Self::Class(_) => true,
            Self::Seq(parts) | Self::Alt(parts) => parts.iter().all(Self::asserts_nothing),
            Self::Repeat { body, .. } => body.asserts_nothing(),
            Self::Start | Self::End | Self::WordBoundary { .. } | Self::Look { .. } => false,
        }
    }
}
