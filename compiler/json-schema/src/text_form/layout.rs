//! Layouts: the whitespace inside the containers (arrays and objects) at one depth.
//!
//! If whitespace does not depend on depth, a text form has one layout for all containers. Indentation has one layout
//! for each level, and a container's layout decides that of the containers inside it. Each grammar rule is the content
//! of a formula in one layout.

use grammarc_grammar::ir::Expr;

use crate::options::whitespace::{Indentation, Separator, Whitespace};

/// The layout of the arrays and objects at one depth: the whitespace of JSON, or tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// JSON without whitespace.
    Compact,
    /// JSON with one space after each separator.
    Spaced,
    /// JSON with at most one space after each separator.
    Natural,
    /// JSON with these separators, between items or members and between key and value.
    Fixed(Separator, Separator),
    /// JSON with runs of whitespace wherever JSON allows it.
    Flexible,
    /// JSON with each item and member on its own line. The number counts the arrays and objects around this one.
    Lines(Indentation, u8),
    /// Members and items are written as tags, without brackets.
    Tagged,
}

impl Layout {
    /// Returns the layouts that a form of whitespace allows for the outermost array or object, at least one.
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

    /// Returns the layout of the arrays and objects directly inside an array or object with this layout.
    pub(crate) fn inside(self) -> Self {
        match self {
            Self::Lines(indentation, level) => Self::Lines(indentation, level.saturating_add(1)),
            other => other,
        }
    }

    /// Returns whether arrays and objects in this layout must be empty, because the text form allows no deeper level.
    pub(crate) fn is_last(self) -> bool {
        matches!(self, Self::Lines(indentation, level) if level >= indentation.levels)
    }

    /// Returns a small number that no other layout of the same text form has.
    pub(crate) fn index(self) -> usize {
        match self {
            Self::Spaced => 1,
            Self::Lines(_, level) => 2 + usize::from(level),
            Self::Tagged => 3 + usize::from(u8::MAX),
            _ => 0,
        }
    }

    /// Returns the name of the rule `name` in this layout.
    pub(crate) fn name(self, name: &str) -> String {
        match self {
            Self::Lines(_, level) => format!("{name}@{level}"),
            Self::Tagged => format!("{name}@tagged"),
            _ => name.to_owned(),
        }
    }

    /// Returns the grammar expression of a bracket in this layout; empty for tags, which have no brackets.
    pub(crate) fn bracket(self, bracket: u8) -> Expr {
        match self {
            Self::Tagged => Expr::Empty,
            _ => Expr::byte(bracket),
        }
    }

    /// Returns the whitespace and separators of an array or object that is not empty. `run` is a run of whitespace, for
    /// the layouts that have runs.
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

/// Returns a text as a grammar expression. One byte takes no memory of its own, which matters because separators are
/// copied for each member.
fn text(bytes: &[u8]) -> Expr {
    match *bytes {
        [byte] => Expr::byte(byte),
        _ => Expr::literal(bytes),
    }
}

/// The separators and whitespace between the tokens of an array or object, as grammar expressions.
#[derive(Clone, Debug)]
pub(crate) struct Gaps {
    /// The text after the opening bracket, even if the container is empty.
    pub(crate) lead: Expr,
    /// The text before the first item or member.
    pub(crate) first: Expr,
    /// The text between two items or members, with the comma.
    pub(crate) comma: Expr,
    /// The text between a key and its value, with the colon.
    pub(crate) colon: Expr,
    /// The text before the closing bracket, after an item or member.
    pub(crate) last: Expr,
}

impl Gaps {
    /// Returns the text before an item or member. `written` says whether another one is written before it.
    pub(crate) fn before(&self, written: bool) -> Expr {
        if written { self.comma.clone() } else { self.first.clone() }
    }
}
