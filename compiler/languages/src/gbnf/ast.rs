//! The syntax tree of a GBNF source, with spans. Names are not yet looked up.
//!
//! The parser bounds the depth by [`MAX_NESTING`], so recursion over a tree is safe.

use std::ops::Range;

use grammarc_grammar::ir::TokenRef;

/// Most levels of groups and repetitions inside each other. Grammars written by people stay below ten, generated
/// grammars below a hundred. Deeper nesting is an error, which bounds the recursion of the passes.
pub const MAX_NESTING: usize = 200;

/// The syntax tree of a whole GBNF source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ast {
    /// The rules in source order. Two rules may have one name; the lowering reports them.
    pub rules: Vec<RuleDefinition>,
    /// The sources of other languages in this one, in source order.
    pub inner: Vec<InnerSource>,
}

/// A source of another language within a GBNF source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerSource {
    /// Whether the source is given by name or inline.
    pub kind: InnerKind,
    /// The place of the inner source in the GBNF source, in bytes, with its `@`.
    pub span: Range<usize>,
}

/// How an [`InnerSource`] (a source of another language) is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InnerKind {
    /// `@"name"`: a source that was passed along with the grammar under this name.
    Named(String),
    /// `@language{...}`, `@language[...]` or `@language/.../`: a text in the named language.
    Inline {
        /// The name of the language, such as `json-schema`.
        language: String,
        /// The place of the inner text in the GBNF source, in bytes: with its brackets, without its slashes.
        text: Range<usize>,
    },
}

/// The definition of a rule, `name ::= body`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDefinition {
    /// The name of the rule that is defined.
    pub name: String,
    /// The place of the rule's name in the source, in bytes.
    pub span: Range<usize>,
    /// The right-hand side of the rule, after `::=`.
    pub body: Node,
    /// The place of the attributes after the name, with their brackets. `None` if the rule has none.
    pub attributes: Option<Range<usize>>,
    /// The assertion `(=...)` at the end of the rule: the text that has to follow the rule. `None` if there is none.
    pub lookahead: Option<Node>,
}

/// A part of the right-hand side of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What the part is: an alternation, a string, a call, and so on.
    pub kind: NodeKind,
    /// The place of the part in the source, in bytes.
    pub span: Range<usize>,
}

/// The kind of a [`Node`], a part of a right-hand side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Alternatives `a | b`, at least two.
    Alternation(Vec<Node>),
    /// Parts in order. An empty sequence denotes the empty string.
    Sequence(Vec<Node>),
    /// A string, with its escapes resolved.
    Literal(String),
    /// One character of a character class.
    Class(Class),
    /// The node `.`: any one character, line ends included.
    Any,
    /// One token of the vocabulary, `<...>` or `!<...>`.
    Token {
        /// The token between the angle brackets.
        token: TokenRef,
        /// Whether the node denotes all other tokens, `!<...>`.
        negated: bool,
    },
    /// A text of an inner source (of another language), by its index in [`Ast::inner`].
    Inner(usize),
    /// A call of a rule, by the rule's name.
    Call(String),
    /// A macro call of XGrammar's notation, such as `Regex("a+")`.
    Macro(Macro),
    /// A repetition: between `min` and `max` strings of the body.
    Repeat {
        /// The part that is repeated.
        body: Box<Node>,
        /// The least number of repetitions.
        min: u32,
        /// The greatest number of repetitions, inclusive. `None` if unbounded.
        max: Option<u32>,
    },
}

/// A macro call of XGrammar's notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Macro {
    /// `Regex(...)`: the texts that a regular expression matches as a whole.
    Regex {
        /// The regular expression, in the syntax of the crate `regex`.
        pattern: String,
        /// The flags, a string of `i`, `s` and `u`. `None` if not given.
        flags: Option<String>,
        /// Whether the text stands inside a JSON string. Then it excludes characters that JSON must escape.
        json_string: bool,
    },
    /// `Substring(...)`: any contiguous run of chunks from a list, the empty run included.
    Substring(Vec<String>),
    /// `Token(...)` or `ExcludeToken(...)`: one token of a set, or one outside it.
    Tokens {
        /// The ids of the tokens in the set.
        ids: Vec<u32>,
        /// Whether the macro denotes all tokens outside the set, `ExcludeToken(...)`.
        negated: bool,
    },
    /// `TagDispatch(...)` or `TokenTagDispatch(...)`: free text with tags in it.
    Dispatch(Dispatch),
}

/// Free text in which each tag is followed by a string of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The tags of the dispatch (free text with tags): the beginning of the tag, the name of the rule after it, and the
    /// place of that name.
    pub tags: Vec<(Trigger, String, Range<usize>)>,
    /// Strings or tokens that free text may not contain.
    pub excludes: Vec<Trigger>,
    /// Whether free text continues after the rule of a tag. Otherwise the dispatch ends there.
    pub loops: bool,
    /// Whether free text consists of whole tokens, and each tag begins with a token (`TokenTagDispatch`).
    pub of_tokens: bool,
}

/// The beginning of a tag in free text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A string of at least one byte, which begins the tag.
    Text(String),
    /// The id of a token, which begins the tag.
    Token(u32),
}

/// A character class. Its ranges are as written: unsorted, possibly overlapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Whether the class denotes all characters outside the ranges.
    pub negated: bool,
    /// The first and last character of each range, both inclusive.
    pub ranges: Vec<(char, char)>,
}
