//! The syntax tree of a Lark source, with spans. Names are not yet looked up.
//!
//! The parser bounds the depth by [`MAX_NESTING`], nested grammars included.

use std::ops::Range;

/// Most levels of groups, repetitions and nested grammars inside each other.
pub(super) const MAX_NESTING: usize = 200;

/// A source, or a grammar nested in one.
#[derive(Debug, Default)]
pub(super) struct Ast {
    /// In source order.
    pub(super) items: Vec<Item>,
}

/// An item of the top level.
#[derive(Debug)]
pub(super) enum Item {
    /// `name: body` or `NAME: body`.
    Definition(Definition),
    /// `%ignore body`.
    Ignore(Node),
    /// `%import common.NAME -> ALIAS`, once for each name of a list.
    Import {
        /// The path with the name, `common.NAME`.
        path: String,
        /// The name to define.
        name: String,
        /// The place of the name.
        span: Range<usize>,
    },
    /// The JSON of `%llguidance` or `%grammar_options`.
    Options(Range<usize>),
}

/// A rule or a terminal.
#[derive(Debug)]
pub(super) struct Definition {
    /// The name without `?` and `!`, which shape syntax trees only.
    pub(super) name: String,
    /// The place of the name.
    pub(super) span: Range<usize>,
    /// Attributes in brackets.
    pub(super) attributes: Vec<Attribute>,
    /// The right-hand side.
    pub(super) body: Node,
}

/// `name` or `name=value` behind a rule's name.
#[derive(Debug)]
pub(super) struct Attribute {
    /// The name.
    pub(super) name: String,
    /// The value.
    pub(super) value: Option<Value>,
    /// The place of both.
    pub(super) span: Range<usize>,
}

/// The value of an attribute.
#[derive(Debug)]
pub(super) enum Value {
    /// A number, as it is written.
    Number(String),
    /// A terminal.
    Node(Node),
}

/// A part of a right-hand side.
#[derive(Debug)]
pub(super) struct Node {
    /// Its kind.
    pub(super) kind: NodeKind,
    /// Its place.
    pub(super) span: Range<usize>,
}

/// The kind of a [`Node`].
#[derive(Debug)]
pub(super) enum NodeKind {
    /// Alternatives.
    Alternation(Vec<Node>),
    /// Each of these at once.
    Conjunction(Vec<Node>),
    /// Parts in order.
    Sequence(Vec<Node>),
    /// Between `min` and `max` (unbounded where `None`) of the body.
    Repeat {
        /// The repeated part.
        body: Box<Node>,
        /// Fewest.
        min: u32,
        /// Most.
        max: Option<u32>,
    },
    /// All but this.
    Not(Box<Node>),
    /// A rule or a terminal.
    Name(String),
    /// A string.
    Literal {
        /// The text, escapes resolved.
        text: String,
        /// Whether case does not count.
        insensitive: bool,
    },
    /// One character of a range.
    Range(char, char),
    /// A regular expression.
    Regex {
        /// Between the slashes.
        pattern: Range<usize>,
        /// Behind them.
        flags: Range<usize>,
    },
    /// `<...>` with its brackets.
    Token(Range<usize>),
    /// `%json {...}`: where the JSON stands.
    Json(Range<usize>),
    /// `%regex {...}`: where the JSON stands.
    Structured(Range<usize>),
    /// `%lark {...}`.
    Nested(Ast),
}

impl NodeKind {
    /// Whether a name is one of a terminal.
    pub(super) fn is_terminal(name: &str) -> bool {
        name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_uppercase())
    }
}
