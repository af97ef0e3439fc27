//! Reads and records the options of built-in grammars by name.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::SettingsError;
use super::interface::{LanguageOptions, LowerContext, NamedOptions, Recorded};
use super::json_schema;
use super::language::Language;
use crate::builtin::{self, BuiltInOptions, Columns};
use crate::deny::Deny;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema::JsonSchemaOptions;

/// The options of built-in grammars, as given by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BuiltInSettings {
    line: Option<Value>,
    min_items: Option<u32>,
    max_items: Option<u32>,
    columns: Option<ColumnSettings>,
    separator: Option<char>,
    names: Vec<String>,
    attributes: Vec<String>,
    /// All other options, which are read as options of JSON Schema. Unknown names are an error
    /// there.
    #[serde(flatten)]
    schemas: Map<String, Value>,
}

/// The columns of `csv`, as a number or as a list of names.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ColumnSettings {
    Count(u32),
    Named(Vec<String>),
}

impl LanguageOptions for BuiltInOptions {
    fn language(&self) -> Language {
        Language::BuiltIn
    }

    fn set(&mut self, given: NamedOptions, deny: &mut Vec<Deny>) -> Result<(), SettingsError> {
        let (given, schemas) = given.split(|given: &mut BuiltInSettings| &mut given.schemas)?;
        let BuiltInSettings {
            line,
            min_items,
            max_items,
            columns,
            separator,
            names,
            attributes,
            ..
        } = given;
        self.line = line.map(|line| Source::new("line", line.to_string()));
        (self.min_items, self.max_items) = (min_items, max_items);
        self.columns = columns.map(|columns| match columns {
            ColumnSettings::Count(count) => Columns::Count(count),
            ColumnSettings::Named(names) => Columns::Named(names),
        });
        self.separator = separator;
        (self.names, self.attributes) = (names, attributes);
        json_schema::set(&mut self.json_schema, schemas, deny)
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        builtin::lower(source, self, within.budget)
    }

    fn recorded(&self) -> Recorded {
        let BuiltInOptions {
            line,
            json_schema: schema,
            min_items,
            max_items,
            columns,
            separator,
            names,
            attributes,
        } = self;
        let columns = columns.as_ref().map(|columns| match columns {
            Columns::Count(count) => count.to_string(),
            Columns::Named(names) => names.join(","),
        });
        let list = |names: &[String]| Some(names.join(",")).filter(|names| !names.is_empty());
        let own = [
            ("line", line.as_ref().map(|line| line.name.to_string())),
            ("min-items", min_items.map(|count| count.to_string())),
            ("max-items", max_items.map(|count| count.to_string())),
            ("columns", columns),
            ("separator", separator.map(String::from)),
            ("names", list(names)),
            ("attributes", list(attributes)),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let is_default = *schema == JsonSchemaOptions::default();
        own.chain(json_schema::recorded(schema).into_iter().filter(|_| !is_default)).collect()
    }

    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Borrowed(text.trim().as_bytes())
    }

    fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        Some(&mut self.json_schema)
    }
}
