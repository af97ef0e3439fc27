//! JSON mode: what an output that is to be JSON is held to, while it is generated and after.
//!
//! With constrained decoding the grammar of the schema decides which tokens may come next, so that every finished output
//! parses; it is validated again, since formats and approximate keywords are more than the grammar says. Without it, the
//! output is extracted, parsed, and repaired where that is wanted.

use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::GbnfOptions;
use grammarc_compiler::frontend::settings::Language;
use grammarc_json::{JsonSchema, JsonValidator, TextGrammar};
use serde_json::{Map, Value, json};

use crate::grammar::Grammar;

/// How JSON is asked for.
#[derive(Clone, Debug)]
pub struct JsonModeConfig {
    /// The schema of the value. Any object or array if there is none.
    pub schema: Option<JsonSchema>,
    /// Fail where the output is not right. Of repairs, take those that
    /// [`JsonValidator::repair_json`] takes in strict mode. A value that violates the schema fails in any case.
    pub strict: bool,
    /// Repair what does not parse. An output that cannot be repaired fails.
    pub repair: bool,
    /// A grammar in GBNF that the output has to be a text of, in place of the schema's. The output need not be JSON then, unless
    /// there is a schema as well.
    pub grammar: Option<String>,
    /// Whether tokens are constrained while they are generated. A backend without logits validates the output alone, and says
    /// so in a warning.
    pub constrained_decoding: bool,
    /// Refuse undeclared keys in objects with `properties` and without `additionalProperties`: the front end's option `closed`.
    pub closed: bool,
    /// How JSON is written under the schema's grammar: options of JSON Schema by name (`whitespace`, `key-order`, …), as
    /// [`Settings::read`](grammarc_compiler::frontend::settings::Settings::read) has them.
    pub options: Map<String, Value>,
    /// Tell what changes in the value as it comes: [`Event::Changed`](crate::Event::Changed).
    pub changes: bool,
}

impl Default for JsonModeConfig {
    /// Any object or array: strict, constrained, without repair, written without whitespace.
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

/// The schema that is used if there is none: any object or array.
const CONTAINER: &str = r#"{"type": ["object", "array"]}"#;

impl JsonModeConfig {
    /// The grammar under which the output is generated; none without constrained decoding.
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

    /// The validator of finished outputs. `cut` says that the output ended before its text did.
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

/// The options of JSON in one text for each value: no whitespace, and numbers in their shortest form.
pub fn compact() -> Map<String, Value> {
    let options = json!({"whitespace": "compact", "numbers": "canonical"});
    options.as_object().cloned().unwrap_or_default()
}
