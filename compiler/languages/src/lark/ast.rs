//! The syntax tree of a Lark source, with spans. Names are not yet looked up.
//!
//! The parser bounds the depth by [`MAX_NESTING`], nested grammars included.

use std::ops::Range;

/// Most levels of groups and nested grammars inside each other. Deeper nesting is an error, which
/// bounds the recursion of the passes.
pub(super) const MAX_NESTING: usize = 200;

/// The syntax tree of a source, or of a grammar nested in one.
#[derive(Debug, Default)]
pub(super) struct Ast {
    /// The definitions and directives in source order.
    pub(super) items: Vec<Item>,
}

/// A definition or a directive on the top level of a grammar.
#[derive(Debug)]
pub(super) enum Item {
    /// A rule `name: body` or a terminal `NAME: body`.
    Definition(Definition),
    /// `%ignore body`, with the node of the body.
    Ignore(Node),
    /// `%import common.NAME -> ALIAS`. A list of imports becomes one item for each name.
    Import {
        /// The imported path, such as `common.NAME`.
        path: String,
        /// The name that the import defines: the alias, or else the last part of the path.
        name: String,
        /// The place of the defined name in the source, in bytes.
        span: Range<usize>,
    },
    /// The place of the JSON of `%llguidance` or `%grammar_options`, in bytes.
    Options(Range<usize>),
}

/// The definition of a rule or a terminal.
#[derive(Debug)]
pub(super) struct Definition {
    /// The name without `?` and `!`, which shape syntax trees only.
    pub(super) name: String,
    /// The place of the defined name in the source, in bytes.
    pub(super) span: Range<usize>,
    /// The attributes of the rule, which are written in brackets after its name.
    pub(super) attributes: Vec<Attribute>,
    /// The right-hand side of the definition, after the colon.
    pub(super) body: Node,
}

/// An attribute of a rule, `name` or `name=value` in the brackets after its name.
#[derive(Debug)]
pub(super) struct Attribute {
    /// The name of the attribute.
    pub(super) name: String,
    /// The value of the attribute. `None` if it is written without `=`.
    pub(super) value: Option<Value>,
    /// The place of the attribute with its value, in bytes.
    pub(super) span: Range<usize>,
}

/// The value of an attribute of a rule.
#[derive(Debug)]
pub(super) enum Value {
    /// A number, as it is written in the source.
    Number(String),
    /// A string, a regular expression or another atom.
    Node(Node),
}

/// A part of the right-hand side of a definition.
#[derive(Debug)]
pub(super) struct Node {
    /// What the part is: an alternation, a sequence, a string, and so on.
    pub(super) kind: NodeKind,
    /// The place of the part in the source, in bytes.
    pub(super) span: Range<usize>,
}

/// The kind of a [`Node`], a part of a right-hand side.
#[derive(Debug)]
pub(super) enum NodeKind {
    /// Alternatives, `a | b`.
    Alternation(Vec<Node>),
    /// The intersection of its members, `a & b`.
    Conjunction(Vec<Node>),
    /// Parts in order. An empty sequence denotes the empty string.
    Sequence(Vec<Node>),
    /// A repetition: between `min` and `max` strings of the body.
    Repeat {
        /// The part that is repeated.
        body: Box<Node>,
        /// The least number of repetitions.
        min: u32,
        /// The greatest number of repetitions, inclusive. `None` if unbounded.
        max: Option<u32>,
    },
    /// The complement of a part, `~a`.
    Not(Box<Node>),
    /// The name of a rule or a terminal.
    Name(String),
    /// A string in double quotes.
    Literal {
        /// The text of the string, with its escapes resolved.
        text: String,
        /// Whether the string matches upper and lower case alike, because of the flag `i`.
        insensitive: bool,
    },
    /// One character of a range such as `"a".."z"`: the first and the last character, both
    /// inclusive.
    Range(char, char),
    /// A regular expression `/pattern/flags`.
    Regex {
        /// The place of the pattern, between the slashes, in bytes.
        pattern: Range<usize>,
        /// The place of the flags, after the closing slash, in bytes.
        flags: Range<usize>,
    },
    /// The place of a token or set of tokens, `<...>`, with its brackets.
    Token(Range<usize>),
    /// The place of the JSON Schema in `%json {...}`.
    Json(Range<usize>),
    /// The place of the JSON in `%regex {...}`.
    Structured(Range<usize>),
    /// The syntax tree of a nested grammar, `%lark {...}`.
    Nested(Ast),
}

impl NodeKind {
    /// Whether a name denotes a terminal: its first character after underscores is an upper-case
    /// letter.
    pub(super) fn is_terminal(name: &str) -> bool {
        name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_uppercase())
    }
}
