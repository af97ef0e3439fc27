//! The syntax tree of a GBNF source, with spans. Names are not yet looked up.
//!
//! The parser bounds the depth by [`MAX_NESTING`], so recursion over a tree is safe.

use std::ops::Range;

use grammarc_grammar::ir::TokenRef;

/// Most levels of groups and repetitions inside each other. Grammars written by people stay below ten, generated
/// grammars below a hundred. A deeper source is refused.
pub const MAX_NESTING: usize = 200;

/// A whole source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ast {
    /// The rules in source order. Names may occur more than once.
    pub rules: Vec<RuleDefinition>,
    /// The sources of other languages, in source order.
    pub inner: Vec<InnerSource>,
}

/// A source of another language within this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerSource {
    /// Its kind.
    pub kind: InnerKind,
    /// The place, the mark `@` included.
    pub span: Range<usize>,
}

/// The kind of an [`InnerSource`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InnerKind {
    /// `@"name"`: a source that was handed over with the grammar.
    Named(String),
    /// `@language{...}`, `@language[...]` or `@language/.../`: a text of that language.
    Inline {
        /// The language's name.
        language: String,
        /// The place of its text.
        text: Range<usize>,
    },
}

/// `name ::= body`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDefinition {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub span: Range<usize>,
    /// The right-hand side.
    pub body: Node,
    /// The attributes in brackets behind the name, with the brackets.
    pub attributes: Option<Range<usize>>,
    /// The text that has to follow, by an assertion `(=...)` at the end.
    pub lookahead: Option<Node>,
}

/// A part of a right-hand side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its kind.
    pub kind: NodeKind,
    /// Its place.
    pub span: Range<usize>,
}

/// The kind of a [`Node`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Alternatives, at least two.
    Alternation(Vec<Node>),
    /// Parts in order. No parts denote the empty string.
    Sequence(Vec<Node>),
    /// A string, escapes resolved.
    Literal(String),
    /// One character of a class.
    Class(Class),
    /// Any one character.
    Any,
    /// One token of the vocabulary.
    Token {
        /// The token named.
        token: TokenRef,
        /// Whether the complement is meant: any other token.
        negated: bool,
    },
    /// A text of the inner source with this number: see [`Ast::inner`].
    Inner(usize),
    /// A string of the rule with this name.
    Call(String),
    /// A macro of XGrammar's notation.
    Macro(Macro),
    /// Between `min` and `max` (unbounded where `None`) strings of the body.
    Repeat {
        /// The repeated part.
        body: Box<Node>,
        /// Fewest.
        min: u32,
        /// Most.
        max: Option<u32>,
    },
}

/// A macro of XGrammar's notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Macro {
    /// Texts that a regular expression matches.
    Regex {
        /// The expression.
        pattern: String,
        /// Flags, where they are given.
        flags: Option<String>,
        /// Whether the text is one within a JSON string, without what has to be escaped there.
        json_string: bool,
    },
    /// Any contiguous part of a list of chunks.
    Substring(Vec<String>),
    /// A set of tokens, or its complement.
    Tokens {
        /// The tokens.
        ids: Vec<u32>,
        /// Whether the complement is meant: any other token.
        negated: bool,
    },
    /// Free text in which tags lead to rules.
    Dispatch(Dispatch),
}

/// Free text in which tags lead to rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The tags: beginning, name of the rule, and place of that name.
    pub tags: Vec<(Trigger, String, Range<usize>)>,
    /// Texts that must not be in the text.
    pub excludes: Vec<Trigger>,
    /// Whether free text continues behind a tag.
    pub loops: bool,
    /// Whether free text is of whole tokens, and tags begin with a token.
    pub of_tokens: bool,
}

/// Beginning of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A string, not empty.
    Text(String),
    /// A token.
    Token(u32),
}

/// A character class. Ranges are as written: unsorted, possibly overlapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Whether the class is negated: all other characters.
    pub negated: bool,
    /// First and last character of each range.
    pub ranges: Vec<(char, char)>,
}
