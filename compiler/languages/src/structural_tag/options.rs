//! The options of a structural tag.

use crate::sources::Sources;
use grammarc_json_schema::JsonSchemaOptions;

/// Meaning of the texts of special tokens in the strings of a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokens {
    /// Such a text is the token.
    #[default]
    Prefer,
    /// Such a text is the token, or the same text spelled by other tokens.
    Both,
    /// Such a text is spelled by other tokens.
    Never,
}

/// Options of a structural tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StructuralTagOptions {
    /// Meaning of special tokens in strings.
    pub tokens: Tokens,
    /// How schemas are read.
    pub schemas: JsonSchemaOptions,
    /// Sources that the grammars in it may refer to: `@"name"`.
    pub sources: Sources,
}
