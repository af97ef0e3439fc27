//! JSON mode: requirements on an output that is JSON, during the generation and after it.
//!
//! With constrained decoding, the grammar of the schema masks the tokens, so every finished output
//! parses. The output is still validated, because the grammar does not fully cover formats and
//! approximate keywords. Without constrained decoding, the JSON is extracted from the output,
//! parsed, and repaired if that is enabled.

use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::GbnfOptions;
use grammarc_compiler::frontend::settings::Language;
use grammarc_json::{JsonSchema, JsonValidator, TextGrammar};
use serde_json::{Map, Value, json};

use crate::grammar::Grammar;

/// The settings of JSON mode.
#[derive(Clone, Debug)]
pub struct JsonModeConfig {
    /// The schema that the value has to satisfy. `None` allows any object or array.
    pub schema: Option<JsonSchema>,
    /// Whether an invalid output is an error. In strict mode, the only repair without `repair` is
    /// that of [`JsonValidator::repair_json`]. A value that violates the schema is an error in
    /// either mode.
    pub strict: bool,
    /// Whether an output that does not parse is repaired. An output that cannot be repaired is an
    /// error.
    pub repair: bool,
    /// A grammar in GBNF that replaces the grammar of the schema. Unless a schema is also set, the
    /// output need not be JSON.
    pub grammar: Option<String>,
    /// Whether the grammar masks the tokens during the generation. A backend without logits only
    /// validates the finished output, and adds a warning.
    pub constrained_decoding: bool,
    /// Whether undeclared keys are rejected in objects with `properties` and without
    /// `additionalProperties`: the option `closed` of the JSON Schema front end.
    pub closed: bool,
    /// Options for the form of the JSON under the schema's grammar. Maps names of JSON Schema
    /// options (`whitespace`, `key-order`, …) to values as
    /// [`Settings::read`](grammarc_compiler::frontend::settings::Settings::read) takes them.
    pub options: Map<String, Value>,
    /// Whether to send the changes of the value during the generation, as
    /// [`Event::Changed`](crate::Event::Changed).
    pub changes: bool,
}

impl Default for JsonModeConfig {
    /// Returns the settings for any object or array: strict, constrained, without repair, without
    /// white space.
    fn default() -> Self {
        Self {
            schema: None,
            strict: true,
            repair: false,
            grammar: None,
            constrained_decoding: true,
            closed: false,
            options: compact(),
            changes: false,
        }
    }
}

/// The schema that is used if none is set: any object or array.
const CONTAINER: &str = r#"{"type": ["object", "array"]}"#;

impl JsonModeConfig {
    /// Returns the grammar that masks the tokens. `None` without constrained decoding.
    pub fn grammar(&self) -> Option<Grammar> {
        if !self.constrained_decoding {
            return None;
        }
        if let Some(gbnf) = &self.grammar {
            return Some(Grammar::from_gbnf(gbnf));
        }
        let mut options = self.options.clone();
        if self.closed {
            options.insert("closed".to_owned(), Value::Bool(true));
        }
        let schema = self.schema.as_ref().map_or(CONTAINER, JsonSchema::text);
        Some(Grammar::new(Language::JsonSchema, schema).with_options(options))
    }

    /// Returns the validator for finished outputs. `cut` states that the output was truncated.
    pub fn validator(&self, cut: bool) -> JsonValidator {
        let front_end = || FrontEnd::Gbnf(GbnfOptions::default());
        JsonValidator {
            schema: self.schema.clone(),
            grammar: self.grammar.as_ref().map(|gbnf| TextGrammar::new(front_end(), gbnf)),
            closed: self.closed,
            strict: self.strict,
            repair: self.repair,
            cut,
            ..JsonValidator::default()
        }
    }
}

/// Returns the JSON Schema options for the compact form: no white space, and numbers in their
/// shortest form.
pub fn compact() -> Map<String, Value> {
    let options = json!({"whitespace": "compact", "numbers": "canonical"});
    options.as_object().cloned().unwrap_or_default()
}
