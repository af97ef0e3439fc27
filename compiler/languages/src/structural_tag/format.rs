//! The syntax tree of a structural tag.
//!
//! The nesting limit of JSON bounds the depth, so recursion over a tree is safe.

use grammarc_grammar::ir::TokenRef;
use grammarc_json_schema::document::NodeId;

/// A format with its place.
#[derive(Clone, Debug)]
pub(super) struct Format {
    /// Its kind.
    pub(super) kind: Kind,
    /// Its place.
    pub(super) at: NodeId,
}

/// A text with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) at: NodeId,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) token: TokenRef,
    pub(super) at: NodeId,
}

/// The notation of an object's members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Style {
    /// As JSON.
    Json,
    /// As tags of a family of models.
    Xml(&'static str),
}

/// A JSON Schema of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Schema {
    /// The schema. Without one, any value is allowed.
    pub(super) schema: Option<NodeId>,
    pub(super) style: Style,
    /// Whether keys may come in any order.
    pub(super) any_order: bool,
    /// Longest run of whitespace, if whitespace is flexible.
    pub(super) max_whitespace: Option<u32>,
    /// Whether the value has to be an object, whatever the schema allows.
    pub(super) is_object: bool,
    /// Texts that no string and no key may contain.
    pub(super) excludes: Vec<String>,
}

/// A beginning, a format, and one of some ends.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) at: NodeId,
    pub(super) begin: Mark,
    pub(super) content: Box<Format>,
    pub(super) end: Vec<Mark>,
    pub(super) role: Role,
}

/// Role of a tag in an output that is split.
#[derive(Clone, Debug)]
pub(super) enum Role {
    /// A tag.
    Tag,
    /// The call of a tool with this name.
    Call(String),
    /// A tag whose text is reasoning.
    Reasoning,
}

/// A beginning or an end of a tag.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Text(Text),
    Token(Token),
}

impl Mark {
    /// Returns the text, if the mark is a text.
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

/// Free text or tokens with triggers in it that lead to formats.
#[derive(Clone, Debug)]
pub(super) struct Dispatch {
    pub(super) rules: Vec<Rule>,
    /// Texts or tokens that may not occur.
    pub(super) excludes: Vec<Mark>,
    /// Whether free text is of whole tokens, special ones too, instead of characters.
    pub(super) by_token: bool,
    /// Minimum number of formats.
    pub(super) min: u32,
    /// Maximum number of formats.
    pub(super) max: Option<u32>,
    /// Whether a format has to come first.
    pub(super) begins_with_tag: bool,
    /// Whether the text ends behind the last of `max` formats.
    pub(super) ends_with_tag: bool,
    /// Whether no free text stands between formats or behind the last one.
    pub(super) in_a_row: bool,
    /// The place of `unique`, if each group of rules may have at most one format.
    pub(super) unique: Option<NodeId>,
}

impl Dispatch {
    /// Free text in which any number of the rules' formats may come anywhere.
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

/// Tags with a separator between them, and bounds on the number of those that have a group.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) tags: Vec<(Tag, Option<u32>)>,
    pub(super) separator: Text,
    /// Ends of the last tag: after one of these no tag follows.
    pub(super) last: Vec<Text>,
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    pub(super) unique: Option<NodeId>,
}

/// A trigger in free text, and its continuation.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The text or token that starts the rule.
    pub(super) trigger: Mark,
    /// Continuation behind it.
    pub(super) then: Then,
    /// The group of the rule, if the rule counts.
    pub(super) group: Option<u32>,
}

/// Continuation behind a trigger.
#[derive(Clone, Debug)]
pub(super) enum Then {
    /// The rest of a tag, whose beginning begins with the trigger.
    Tag(Tag),
    /// A format.
    Format(Format),
}

/// Notations of the grammars in a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// XGrammar's EBNF.
    Ebnf,
    /// Lark.
    Lark,
}

/// Kinds of formats.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// One text.
    Const(Text),
    /// A value of a schema.
    Schema(Schema),
    /// A text of a grammar, given as source.
    Grammar(NodeId, Syntax),
    /// A text that a pattern matches.
    Regex(NodeId),
    /// A pattern that the document does not contain.
    Pattern(&'static str),
    /// Free text.
    AnyText { excludes: Vec<Text>, max_tokens: Option<NodeId>, max_chars: Option<u32> },
    /// Any tokens.
    AnyTokens { excludes: Vec<Token>, max_tokens: Option<NodeId> },
    /// One token.
    Token(Token),
    /// One token of the complement.
    ExcludeToken(Vec<Token>),
    /// Formats in order.
    Sequence(Vec<Format>),
    /// Alternative formats.
    Or(Vec<Format>),
    /// A tag.
    Tag(Tag),
    /// Tags with a separator between them and nothing else.
    Separated { tags: Vec<Tag>, separator: Text, min: u32, max: Option<u32> },
    /// Tags with a separator between them. Some of them count.
    Counted(Counted),
    /// A bounded repetition.
    Repeat { content: Box<Format>, min: u32, max: Option<u32> },
    /// Free text with formats in it.
    Dispatch(Dispatch),
}
