//! Options of Lark by name.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::SettingsError;
use super::interface::{LanguageOptions, LowerContext, NamedOptions, Recorded};
use super::json_schema;
use crate::deny::Deny;
use crate::lark::{self, LarkOptions};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema::JsonSchemaOptions;

/// Options of Lark by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StartSettings {
    start: Option<String>,
    /// Options of the schemas; other names are refused there.
    #[serde(flatten)]
    schemas: Map<String, Value>,
}

impl LanguageOptions for LarkOptions {
    fn set(&mut self, given: NamedOptions, deny: &mut Vec<Deny>) -> Result<(), SettingsError> {
        let (given, schemas) = given.split(|given: &mut StartSettings| &mut given.schemas)?;
        if let Some(start) = given.start {
            self.start = start;
        }
        json_schema::set(&mut self.schemas, schemas, deny)
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        lark::lower(source, self, within.budget)
    }

    fn recorded(&self) -> Recorded {
        let mut recorded = vec![("start", self.start.clone())];
        recorded.extend(json_schema::recorded(&self.schemas));
        recorded
    }

    fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        Some(&mut self.schemas)
    }
}
