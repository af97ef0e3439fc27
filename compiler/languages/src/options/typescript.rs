//! Reads and records the options of TypeScript by name.

use super::error::SettingsError;
use super::interface::{LanguageOptions, LowerContext, NamedOptions, Recorded, StartOptions};
use super::json_schema;
use super::language::Language;
use crate::deny::Deny;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema::JsonSchemaOptions;
use grammarc_typescript::{self as typescript, TypeScriptOptions};

impl LanguageOptions for TypeScriptOptions {
    fn language(&self) -> Language {
        Language::TypeScript
    }

    fn set(&mut self, given: NamedOptions, deny: &mut Vec<Deny>) -> Result<(), SettingsError> {
        let (given, schemas) = given.split(|given: &mut StartOptions| &mut given.schemas)?;
        self.start = given.start;
        json_schema::set(&mut self.json_schema, schemas, deny)
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        typescript::lower(source, self, within.budget)
    }

    fn recorded(&self) -> Recorded {
        let start = self.start.iter().map(|start| ("start", start.clone()));
        start.chain(json_schema::recorded(&self.json_schema)).collect()
    }

    fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        Some(&mut self.json_schema)
    }
}
