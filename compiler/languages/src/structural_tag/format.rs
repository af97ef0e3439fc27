//! The syntax tree of a structural tag, which consists of formats.
//!
//! The nesting limit of JSON bounds the depth, so recursion over a tree is safe.

use grammarc_grammar::ir::TokenRef;
use grammarc_json_schema::document::NodeId;

/// A format (a description of texts), with its place in the document.
#[derive(Clone, Debug)]
pub(super) struct Format {
    /// The kind of the format: a fixed text, a schema, a tag, and so on.
    pub(super) kind: Kind,
    /// The JSON value of the document that the format was read from.
    pub(super) at: NodeId,
}

/// A string with its place in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) at: NodeId,
}

/// A token with its place in the document.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) token: TokenRef,
    pub(super) at: NodeId,
}

/// The notation in which the members of an object are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Style {
    /// The members of the object are written as JSON.
    Json,
    /// The members of the object are written as tags, in the style of this name.
    Xml(&'static str),
}

/// A JSON Schema, with the notation of its values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Schema {
    /// The place of the schema in the document. `None` allows any object.
    pub(super) schema: Option<NodeId>,
    pub(super) style: Style,
    /// Whether the keys of objects may come in any order.
    pub(super) any_order: bool,
    /// Most characters of a run of whitespace. `None` takes the whitespace of the schema's options.
    pub(super) max_whitespace: Option<u32>,
    /// Whether the value has to be an object, even if the schema allows other values.
    pub(super) is_object: bool,
    /// Texts that no string and no key of the value may contain.
    pub(super) excludes: Vec<String>,
    /// Whether parts that do not compile are not enforced.
    pub(super) is_loosened: bool,
}

/// A tag: a beginning, a content, and one of several ends.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) at: NodeId,
    pub(super) begin: Mark,
    pub(super) content: Box<Format>,
    pub(super) end: Vec<Mark>,
    pub(super) role: Role,
}

/// The role of a tag for a splitter, which splits an output into its parts.
#[derive(Clone, Debug)]
pub(super) enum Role {
    /// A tag without a special role.
    Tag,
    /// A tag that calls the tool of this name.
    Call(String),
    /// A tag whose content is reasoning.
    Reasoning,
}

/// The beginning or end of a tag: a string or a token.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Text(Text),
    Token(Token),
}

impl Mark {
    /// Returns the string of the mark. `None` if the mark is a token.
    pub(super) fn text(&self) -> Option<&Text> {
        match self {
            Self::Text(text) => Some(text),
            Self::Token(_) => None,
        }
    }

    pub(super) fn at(&self) -> NodeId {
        match self {
            Self::Text(text) => text.at,
            Self::Token(token) => token.at,
        }
    }
}

/// A dispatch: free text in which triggers lead to formats.
#[derive(Clone, Debug)]
pub(super) struct Dispatch {
    pub(super) rules: Vec<Rule>,
    /// Strings or tokens that free text may not contain.
    pub(super) excludes: Vec<Mark>,
    /// Whether free text consists of whole tokens, special ones included, and not of characters.
    pub(super) by_token: bool,
    /// The least number of the rules' formats that the text must contain.
    pub(super) min: u32,
    /// The greatest number of the rules' formats that the text may contain, inclusive. `None` if
    /// unbounded.
    pub(super) max: Option<u32>,
    /// Whether a format has to come first, before any free text.
    pub(super) begins_with_tag: bool,
    /// Whether the text ends after the last of `max` formats.
    pub(super) ends_with_tag: bool,
    /// Whether formats follow each other without free text between or after them.
    pub(super) in_a_row: bool,
    /// The place of the option `unique`, by which each group of rules has at most one format.
    /// `None` if a group may repeat.
    pub(super) unique: Option<NodeId>,
}

impl Dispatch {
    /// Returns a dispatch without bounds: any number of the rules' formats, anywhere in free text.
    pub(super) fn of(rules: Vec<Rule>, excludes: Vec<Mark>) -> Self {
        Self {
            rules,
            excludes,
            by_token: false,
            min: 0,
            max: None,
            begins_with_tag: false,
            ends_with_tag: false,
            in_a_row: false,
            unique: None,
        }
    }
}

/// Tags with a separator between them. Only tags with a group are counted against the bounds.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) tags: Vec<(Tag, Option<u32>)>,
    pub(super) separator: Text,
    /// Ends of a tag after which no further tag follows.
    pub(super) last: Vec<Text>,
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    pub(super) unique: Option<NodeId>,
}

/// A rule of a dispatch: a trigger in free text, and what follows the trigger.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The string or token that free text is searched for.
    pub(super) trigger: Mark,
    /// The format or the rest of the tag after the trigger.
    pub(super) then: Then,
    /// The index by which the rule is counted. `None` if it does not count.
    pub(super) group: Option<u32>,
}

/// The continuation of a trigger in free text.
#[derive(Clone, Debug)]
pub(super) enum Then {
    /// The rest of a tag. The tag's beginning starts with the trigger.
    Tag(Tag),
    /// A whole format, which follows the trigger.
    Format(Format),
}

/// The language of a grammar within a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Syntax {
    /// The grammar is written in XGrammar's EBNF notation.
    Ebnf,
    /// The grammar is written in the Lark notation.
    Lark,
}

/// The kind of a [`Format`]: which texts it describes.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A fixed text.
    Const(Text),
    /// A value of a JSON Schema.
    Schema(Schema),
    /// A text of a grammar. The grammar is a string of the document.
    Grammar(NodeId, Syntax),
    /// A text that a regular expression matches as a whole. The expression is a string of the
    /// document.
    Regex(NodeId),
    /// A text that a regular expression matches. The expression is part of the compiler and not of
    /// the document.
    Pattern(&'static str),
    /// Free text without the texts of `excludes`, of at most `max_chars` characters.
    AnyText { excludes: Vec<Text>, max_tokens: Option<NodeId>, max_chars: Option<u32> },
    /// Any number of tokens, special ones included, except those of `excludes`.
    AnyTokens { excludes: Vec<Token>, max_tokens: Option<NodeId> },
    /// A single token of the vocabulary.
    Token(Token),
    /// A single token of the vocabulary that is none of the listed ones.
    ExcludeToken(Vec<Token>),
    /// Formats that follow each other in this order.
    Sequence(Vec<Format>),
    /// Alternative formats, of which the text matches one.
    Or(Vec<Format>),
    /// A tag, with its beginning, content and ends.
    Tag(Tag),
    /// Between `min` and `max` tags, with a separator between any two and no other text.
    Separated { tags: Vec<Tag>, separator: Text, min: u32, max: Option<u32> },
    /// Tags with a separator between them, of which only some count against the bounds.
    Counted(Counted),
    /// Between `min` and `max` texts of a format, one after the other.
    Repeat { content: Box<Format>, min: u32, max: Option<u32> },
    /// A dispatch: free text in which triggers lead to formats.
    Dispatch(Dispatch),
}
