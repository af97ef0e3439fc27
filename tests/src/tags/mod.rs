//! Structural tags by their definition: what a tag accepts, found by trying every way to cut a text.
//!
//! | module | what |
//! | --- | --- |
//! | [`language`] | the positions at which a format may end in a text |
//! | [`random`] | random trees of formats, and texts of them |
//!
//! Nothing of the compiler is used: strings are cut into special tokens here, free text is looked through place by place.

pub mod language;
pub mod random;

use serde_json::{Value, json};

/// A symbol of a text: a character, or a special token by its index in [`SPECIAL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// A character.
    Char(char),
    /// A special token.
    Token(usize),
}

/// The special tokens.
pub const SPECIAL: [&str; 3] = ["<t>", "</t>", "<|x|>"];

/// A string as symbols: the longest special token at each place.
pub fn symbols(text: &str) -> Vec<Symbol> {
    let mut rest = text;
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let tokens = (0..SPECIAL.len()).filter(|&at| rest.starts_with(SPECIAL[at]));
        let longest = tokens.max_by_key(|&at| SPECIAL[at].len());
        let length = longest.map_or(first.len_utf8(), |at| SPECIAL[at].len());
        found.push(longest.map_or(Symbol::Char(first), Symbol::Token));
        rest = &rest[length..];
    }
    found
}

/// A format.
#[derive(Clone, Debug)]
pub enum Format {
    /// A text.
    Const(String),
    /// Free text without some strings.
    AnyText(Vec<String>),
    /// One or more of these characters.
    Some(&'static str),
    /// One after the other.
    Sequence(Vec<Format>),
    /// One of them.
    Or(Vec<Format>),
    /// Nothing or one.
    Optional(Box<Format>),
    /// Any number.
    Star(Box<Format>),
    /// A tag.
    Tag(Tag),
    /// Free text in which triggers lead to tags.
    Triggered {
        /// How tags begin.
        triggers: Vec<String>,
        /// The tags.
        tags: Vec<Tag>,
        /// The strings that the text may not have.
        excludes: Vec<String>,
        /// Whether a tag comes first.
        first: bool,
        /// Whether nothing comes after a tag.
        last: bool,
    },
    /// Tags with a text between them.
    Separated {
        /// The tags.
        tags: Vec<Tag>,
        /// The text between.
        separator: String,
        /// Whether there is one at least.
        least: bool,
        /// Whether there is one at most.
        most: bool,
    },
}

/// A tag.
#[derive(Clone, Debug)]
pub struct Tag {
    /// How it begins.
    pub begin: String,
    /// The format of the content.
    pub content: Box<Format>,
    /// How it may end.
    pub ends: Vec<String>,
}

impl Tag {
    fn json(&self) -> Value {
        json!({"type": "tag", "begin": self.begin, "content": self.content.json(), "end": self.ends})
    }
}

impl Format {
    /// The format as the compiler reads it.
    pub fn json(&self) -> Value {
        let all = |formats: &[Self]| formats.iter().map(Self::json).collect::<Vec<_>>();
        let tags = |tags: &[Tag]| tags.iter().map(Tag::json).collect::<Vec<_>>();
        match self {
            Self::Const(value) => json!({"type": "const_string", "value": value}),
            Self::AnyText(excludes) => json!({"type": "any_text", "excludes": excludes}),
            Self::Some(of) => json!({"type": "regex", "pattern": format!("[{of}]+")}),
            Self::Sequence(parts) => json!({"type": "sequence", "elements": all(parts)}),
            Self::Or(parts) => json!({"type": "or", "elements": all(parts)}),
            Self::Optional(content) => json!({"type": "optional", "content": content.json()}),
            Self::Star(content) => json!({"type": "star", "content": content.json()}),
            Self::Tag(tag) => tag.json(),
            Self::Triggered { triggers, tags: of, excludes, first, last } => json!({
                "type": "triggered_tags", "triggers": triggers, "tags": tags(of), "excludes": excludes,
                "at_least_one": first, "stop_after_first": last,
            }),
            Self::Separated { tags: of, separator, least, most } => json!({
                "type": "tags_with_separator", "tags": tags(of), "separator": separator,
                "at_least_one": least, "stop_after_first": most,
            }),
        }
    }
}
