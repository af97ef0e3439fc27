//! JSON mode: the requirements on an output that is JSON, during the generation and after it.
//!
//! With constrained decoding the grammar of the schema masks the tokens, so every finished output parses. It is
//! validated again, since formats and approximate keywords are not fully in the grammar. Without constrained
//! decoding, the output is extracted, parsed, and repaired if that is enabled.

use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::GbnfOptions;
use grammarc_compiler::frontend::settings::Language;
use grammarc_json::{JsonSchema, JsonValidator, TextGrammar};
use serde_json::{Map, Value, json};

use crate::grammar::Grammar;

/// The settings of JSON mode.
#[derive(Clone, Debug)]
pub struct JsonModeConfig {
    /// The schema of the value. Any object or array if there is none.
    pub schema: Option<JsonSchema>,
    /// Fails on an invalid output. Of repairs, only those of [`JsonValidator::repair_json`] in strict mode are
    /// applied. A value that violates the schema always fails.
    pub strict: bool,
    /// Repairs an output that does not parse. An output that cannot be repaired fails.
    pub repair: bool,
    /// A grammar in GBNF that replaces the schema's. The output need not be JSON then, unless there is also a schema.
    pub grammar: Option<String>,
    /// Whether tokens are constrained during the generation. A backend without logits only validates the output, and
    /// adds a warning.
    pub constrained_decoding: bool,
    /// Refuses undeclared keys in objects with `properties` and without `additionalProperties`: the front end's
    /// option `closed`.
    pub closed: bool,
    /// Form of the JSON under the schema's grammar: options of JSON Schema by name (`whitespace`, `key-order`, …), as
    /// [`Settings::read`](grammarc_compiler::frontend::settings::Settings::read) takes them.
    pub options: Map<String, Value>,
    /// Sends the changes in the value during the generation: [`Event::Changed`](crate::Event::Changed).
    pub changes: bool,
}

impl Default for JsonModeConfig {
    /// Returns the settings for any object or array: strict, constrained, without repair, without whitespace.
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

/// The default schema: any object or array.
const CONTAINER: &str = r#"{"type": ["object", "array"]}"#;

impl JsonModeConfig {
    /// Returns the grammar of the generation. `None` without constrained decoding.
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

    /// Returns the validator of finished outputs. `cut` states that the output was truncated.
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

/// Returns the JSON Schema options of the compact form: no whitespace, and numbers in their shortest form.
pub fn compact() -> Map<String, Value> {
    let options = json!({"whitespace": "compact", "numbers": "canonical"});
    options.as_object().cloned().unwrap_or_default()
}
