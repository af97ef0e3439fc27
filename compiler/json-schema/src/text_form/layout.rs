//! Layouts: the whitespace inside the containers at one depth.
//!
//! If whitespace does not depend on depth, a form has one layout for all containers. Indentation has one for each
//! level, and a container's layout decides that of the containers in it. A rule is the content of a formula in a
//! layout.

use grammarc_grammar::ir::Expr;

use crate::options::whitespace::{Indentation, Separator, Whitespace};

/// The form of the containers at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Without whitespace.
    Compact,
    /// With a space after separators.
    Spaced,
    /// With at most one space after separators.
    Natural,
    /// With these separators.
    Fixed(Separator, Separator),
    /// With runs of whitespace.
    Flexible,
    /// On lines, inside this many other containers.
    Lines(Indentation, u8),
    /// As tags.
    Tagged,
}

impl Layout {
    /// The layouts that a document may be written in.
    pub(crate) fn of(whitespace: Whitespace) -> Vec<Self> {
        match whitespace {
            Whitespace::Compact | Whitespace::Flexible { max: 0 } => vec![Self::Compact],
            Whitespace::Spaced => vec![Self::Spaced],
            Whitespace::Natural => vec![Self::Natural],
            Whitespace::Fixed { item, key } => vec![Self::Fixed(item, key)],
            Whitespace::Indented(indentation) => vec![Self::Lines(indentation, 0)],
            Whitespace::Styled(indentation) => {
                vec![Self::Compact, Self::Spaced, Self::Lines(indentation, 0)]
            }
            Whitespace::Flexible { .. } => vec![Self::Flexible],
        }
    }

    /// The layout of a container's containers.
    pub(crate) fn inside(self) -> Self {
        match self {
            Self::Lines(indentation, level) => Self::Lines(indentation, level.saturating_add(1)),
            other => other,
        }
    }

    /// Whether containers have to be empty, because they are as deep as containers may be.
    pub(crate) fn is_last(self) -> bool {
        matches!(self, Self::Lines(indentation, level) if level >= indentation.levels)
    }

    /// A number that no other layout of one form has; small.
    pub(crate) fn index(self) -> usize {
        match self {
            Self::Spaced => 1,
            Self::Lines(_, level) => 2 + usize::from(level),
            Self::Tagged => 3 + usize::from(u8::MAX),
            _ => 0,
        }
    }

    /// The name of a rule in this layout.
    pub(crate) fn name(self, name: &str) -> String {
        match self {
            Self::Lines(_, level) => format!("{name}@{level}"),
            Self::Tagged => format!("{name}@tagged"),
            _ => name.to_owned(),
        }
    }

    /// A bracket of a container.
    pub(crate) fn bracket(self, bracket: u8) -> Expr {
        match self {
            Self::Tagged => Expr::Empty,
            _ => Expr::byte(bracket),
        }
    }

    /// The whitespace between the tokens of a container that is not empty; `run` is a run of whitespace if the layout
    /// has such.
    pub(crate) fn gaps(self, run: Expr) -> Gaps {
        let plain = |comma: &[u8], colon: &[u8]| Gaps {
            lead: Expr::Empty,
            first: Expr::Empty,
            comma: text(comma),
            colon: text(colon),
            last: Expr::Empty,
        };
        match self {
            Self::Compact => plain(b",", b":"),
            Self::Spaced => plain(b", ", b": "),
            Self::Fixed(item, key) => plain(item.as_bytes(), key.as_bytes()),
            Self::Natural => {
                let then_space = |byte| Expr::seq([Expr::byte(byte), Expr::byte(b' ').optional()]);
                Gaps { comma: then_space(b','), colon: then_space(b':'), ..plain(b"", b"") }
            }
            Self::Tagged => Gaps {
                lead: run.clone(),
                first: Expr::Empty,
                comma: run.clone(),
                colon: Expr::Empty,
                last: run,
            },
            Self::Flexible => {
                let around = |byte| Expr::seq([run.clone(), Expr::byte(byte), run.clone()]);
                let (comma, colon) = (around(b','), around(b':'));
                Gaps { lead: run.clone(), first: Expr::Empty, comma, colon, last: run }
            }
            Self::Lines(Indentation { spaces, .. }, level) => {
                let line = |level: usize| {
                    let mut line = vec![b'\n'];
                    line.resize(1 + usize::from(spaces) * level, b' ');
                    line
                };
                let level = usize::from(level);
                let inside = line(level + 1);
                Gaps {
                    lead: Expr::Empty,
                    first: Expr::literal(&inside),
                    comma: Expr::literal([b",", &inside[..]].concat()),
                    colon: Expr::literal(b": "),
                    last: Expr::literal(line(level)),
                }
            }
        }
    }
}

/// A text; one byte takes no memory of its own, and separators are copied for each member.
fn text(bytes: &[u8]) -> Expr {
    match *bytes {
        [byte] => Expr::byte(byte),
        _ => Expr::literal(bytes),
    }
}

/// The whitespace between the tokens of a container.
#[derive(Clone, Debug)]
pub(crate) struct Gaps {
    /// After the opening bracket.
    pub(crate) lead: Expr,
    /// Before the first item or member.
    pub(crate) first: Expr,
    /// Between items or members.
    pub(crate) comma: Expr,
    /// Between a key and its value.
    pub(crate) colon: Expr,
    /// Before the closing bracket, after an item or member.
    pub(crate) last: Expr,
}

impl Gaps {
    /// The text before an item or member, by whether another is written already.
    pub(crate) fn before(&self, written: bool) -> Expr {
        if written { self.comma.clone() } else { self.first.clone() }
    }
}
