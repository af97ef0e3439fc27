//! Reads and records the options of JSON Schema by name, for all languages that have schemas.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::error::SettingsError;
use super::interface::{LanguageOptions, LowerContext, NamedOptions, Recorded};
use super::language::Language;
use crate::canonical;
use crate::deny::Deny;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema::{
    self as json_schema, Escapes, Formats, JsonSchemaOptions, KeyOrder, NumberForm, SchemaDialect,
    Separator, TextForm, Whitespace,
};
use std::borrow::Cow;

/// The options of JSON Schema, as given by name. `None` keeps the default.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct JsonSchemaSettings {
    whitespace: Option<String>,
    levels: Option<u8>,
    separators: Option<(String, String)>,
    surround: Option<u32>,
    numbers: Option<NumberForm>,
    escapes: Option<Escapes>,
    key_order: Option<KeyOrder>,
    closed: bool,
    dialect: Option<SchemaDialect>,
    formats: Option<Formats>,
    resources: BTreeMap<String, Value>,
    max_states: Option<usize>,
    max_unordered: Option<u8>,
    max_shapes: Option<usize>,
    max_rules: Option<usize>,
    deny: Vec<Deny>,
}

impl LanguageOptions for JsonSchemaOptions {
    fn language(&self) -> Language {
        Language::JsonSchema
    }

    fn set(&mut self, given: NamedOptions, deny: &mut Vec<Deny>) -> Result<(), SettingsError> {
        set(self, given, deny)
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        json_schema::lower(source, self, within.budget)
    }

    fn recorded(&self) -> Recorded {
        recorded(self)
    }

    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Owned(canonical::spelling(text))
    }

    fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        Some(self)
    }
}

/// Sets the options of JSON Schema that are given by name. Kinds of keywords to deny are added to
/// `deny`.
///
/// # Errors
///
/// Returns a [`SettingsError`] if a name or value is wrong, or if two options exclude each other.
pub(super) fn set(
    options: &mut JsonSchemaOptions,
    given: NamedOptions,
    deny: &mut Vec<Deny>,
) -> Result<(), SettingsError> {
    let JsonSchemaSettings {
        whitespace,
        levels,
        separators,
        surround,
        numbers,
        escapes,
        key_order,
        closed,
        dialect,
        formats,
        resources,
        max_states,
        max_unordered,
        max_shapes,
        max_rules,
        deny: denied,
    } = given.read()?;
    deny.extend(denied);
    if whitespace.is_some() && separators.is_some() {
        let problem = "take the place of `whitespace`, so only one of them can be given";
        return Err(SettingsError::Together { option: "separators", problem });
    }
    let TextForm { whitespace: form, .. } = &mut options.text;
    if let Some(text) = whitespace {
        *form = text.parse()?;
    }
    if let Some((item, key)) = separators {
        *form = Whitespace::Fixed { item: Separator::item(&item)?, key: Separator::key(&key)? };
    }
    if let Some(levels) = levels
        && !form.set_levels(levels)
    {
        let problem = "is for indented and styled text";
        return Err(SettingsError::Together { option: "levels", problem });
    }
    let text = &mut options.text;
    text.surround = surround.unwrap_or(text.surround);
    text.numbers = numbers.unwrap_or(text.numbers);
    text.escapes = escapes.unwrap_or(text.escapes);
    options.key_order = key_order.unwrap_or(options.key_order);
    options.closed |= closed;
    options.dialect = dialect.unwrap_or(options.dialect);
    options.formats = formats.unwrap_or(options.formats);
    options.max_states = max_states.unwrap_or(options.max_states);
    options.max_unordered = max_unordered.unwrap_or(options.max_unordered);
    options.max_shapes = max_shapes.unwrap_or(options.max_shapes);
    options.max_rules = max_rules.unwrap_or(options.max_rules);
    for (uri, schema) in resources {
        options.resources.add(&uri, schema)?;
    }
    Ok(())
}

/// Returns names and values of the options of JSON Schema, as an artifact records them.
pub(super) fn recorded(options: &JsonSchemaOptions) -> Recorded {
    let TextForm { whitespace, surround, numbers, escapes, .. } = options.text;
    let numbers = match numbers {
        NumberForm::Natural => "natural",
        NumberForm::Canonical => "canonical",
        NumberForm::Any => "any",
    };
    let escapes = match escapes {
        Escapes::Shortest => "shortest",
        Escapes::Any => "any",
    };
    let order = match options.key_order {
        KeyOrder::Schema => "schema",
        KeyOrder::Any => "any",
        KeyOrder::AnyOnce => "any-once",
        KeyOrder::Sorted => "sorted",
    };
    let mut recorded = vec![
        ("whitespace", whitespace.to_string()),
        ("numbers", numbers.to_owned()),
        ("escapes", escapes.to_owned()),
        ("key-order", order.to_owned()),
    ];
    if let Whitespace::Indented(indentation) | Whitespace::Styled(indentation) = whitespace {
        recorded.push(("levels", indentation.levels.to_string()));
    }
    if surround > 0 {
        recorded.push(("surround", surround.to_string()));
    }
    if options.closed {
        recorded.push(("closed", "true".to_owned()));
    }
    if options.dialect == SchemaDialect::OpenApi30 {
        recorded.push(("dialect", "openapi-3.0".to_owned()));
    }
    if options.formats == Formats::Annotated {
        recorded.push(("formats", "annotated".to_owned()));
    }
    recorded
}
