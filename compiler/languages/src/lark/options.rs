//! The options of a Lark source.

use grammarc_json_schema::JsonSchemaOptions;

/// Options of a Lark source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LarkOptions {
    /// Name of the start rule. That of a nested grammar is `start`.
    pub start: String,
    /// How the schemas of `%json` are read.
    pub schemas: JsonSchemaOptions,
}

impl Default for LarkOptions {
    fn default() -> Self {
        Self { start: "start".to_owned(), schemas: JsonSchemaOptions::default() }
    }
}
