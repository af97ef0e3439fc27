//! The options of a structural tag.

use crate::sources::Sources;
use grammarc_json_schema::JsonSchemaOptions;

/// What the text of a special token denotes where it occurs in the strings of a structural tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokens {
    /// The text of a special token denotes that token only.
    #[default]
    Prefer,
    /// The text of a special token denotes that token, or the same text written with other tokens.
    Both,
    /// The text of a special token is ordinary text, written with other tokens only.
    Never,
}

/// What is refused if a tool of a request does not compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnRefused {
    /// The whole request.
    #[default]
    Request,
    /// The tool alone: the grammar accepts no call of it, and the report names it.
    Exclude,
    /// As little of the tool as possible: parts of its schema that do not compile are not enforced. A tool of which that
    /// leaves no call, or which is `strict`, is refused: the first is left out, the second refuses the request.
    Loosen,
}

impl OnRefused {
    /// The values, each with its name.
    pub const NAMED: [(&'static str, Self); 3] =
        [("request", Self::Request), ("exclude", Self::Exclude), ("loosen", Self::Loosen)];

    /// Returns the name of the value.
    pub fn name(self) -> &'static str {
        Self::NAMED.into_iter().find(|(_, value)| *value == self).map_or("", |(name, _)| name)
    }
}

/// The options of a structural tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StructuralTagOptions {
    /// What the text of a special token denotes in the strings of the tag.
    pub tokens: Tokens,
    /// The style of tool calls, for lists of tools and for requests that name no style.
    pub style: Option<String>,
    /// What is refused if a tool does not compile, for requests that do not say so.
    pub on_refused: OnRefused,
    /// The options for the JSON Schemas in the tag.
    pub schemas: JsonSchemaOptions,
    /// Sources that grammars in the tag may refer to as `@"name"`, by name.
    pub sources: Sources,
}
