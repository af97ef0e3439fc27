//! Reads and records the options of Lark by name.

use super::error::SettingsError;
use super::interface::{LanguageOptions, LowerContext, NamedOptions, Recorded, StartOptions};
use super::json_schema;
use super::language::Language;
use crate::deny::Deny;
use crate::lark::{self, LarkOptions};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema::JsonSchemaOptions;

impl LanguageOptions for LarkOptions {
    fn language(&self) -> Language {
        Language::Lark
    }

    fn set(&mut self, given: NamedOptions, deny: &mut Vec<Deny>) -> Result<(), SettingsError> {
        let (given, schemas) = given.split(|given: &mut StartOptions| &mut given.schemas)?;
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
