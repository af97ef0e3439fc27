//! The options of a Lark source.

use grammarc_json_schema::JsonSchemaOptions;

/// The options of a Lark source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LarkOptions {
    /// Name of the start rule; `start` by default. In nested grammars it is always `start`.
    pub start: String,
    /// The options for the JSON Schemas of `%json`.
    pub schemas: JsonSchemaOptions,
}

impl Default for LarkOptions {
    fn default() -> Self {
        Self { start: "start".to_owned(), schemas: JsonSchemaOptions::default() }
    }
}
