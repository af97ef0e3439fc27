//! Reads and records the options of structural tags by name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::SettingsError;
use super::interface::{LanguageOptions, LowerContext, NamedOptions, Recorded};
use super::json_schema;
use super::language::Language;
use super::named_sources::{self, SourceSettings};
use crate::canonical;
use crate::deny::Deny;
use crate::sources::Sources;
use crate::structural_tag::{self, OnRefused, StructuralTagOptions, Tokens};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema::JsonSchemaOptions;

/// The options of structural tags, as given by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StructuralTagSettings {
    tokens: Tokens,
    style: Option<String>,
    on_refused: OnRefused,
    sources: BTreeMap<String, SourceSettings>,
    /// All other options, which are read as options of JSON Schema. Unknown names are an error
    /// there.
    #[serde(flatten)]
    schemas: Map<String, Value>,
}

impl LanguageOptions for StructuralTagOptions {
    fn language(&self) -> Language {
        Language::StructuralTag
    }

    fn set(&mut self, given: NamedOptions, deny: &mut Vec<Deny>) -> Result<(), SettingsError> {
        let (given, schemas) =
            given.split(|given: &mut StructuralTagSettings| &mut given.schemas)?;
        self.tokens = given.tokens;
        self.style = given.style;
        self.on_refused = given.on_refused;
        self.sources = named_sources::sources(given.sources);
        json_schema::set(&mut self.schemas, schemas, deny)
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        structural_tag::lower_with(source, self, within.controls, within.reader, within.budget)
    }

    fn recorded(&self) -> Recorded {
        let mut recorded = json_schema::recorded(&self.schemas);
        match self.tokens {
            Tokens::Prefer => {}
            Tokens::Both => recorded.push(("tokens", "both".to_owned())),
            Tokens::Never => recorded.push(("tokens", "never".to_owned())),
        }
        recorded.extend(self.style.clone().map(|style| ("style", style)));
        if self.on_refused != OnRefused::Request {
            recorded.push(("on-refused", self.on_refused.name().to_owned()));
        }
        recorded.extend(named_sources::recorded(&self.sources));
        recorded
    }

    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Owned(canonical::spelling(text))
    }

    fn depends_on_vocabulary(&self, _: &str) -> bool {
        true
    }

    fn sources(&mut self) -> Option<&mut Sources> {
        Some(&mut self.sources)
    }

    fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        Some(&mut self.schemas)
    }
}
