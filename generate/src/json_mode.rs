//! JSON mode: what an output that is to be JSON is held to, while it is generated and after.
//!
//! With constrained decoding the grammar of the schema decides which tokens may come next, so that every finished output
//! parses; it is validated again, since formats and approximate keywords are more than the grammar says. Without it, the
//! output is extracted, parsed, and repaired where that is wanted.

use grammarc_json::{JsonSchema, JsonValidator};
use serde_json::{Map, Value, json};

use crate::grammar::Grammar;
use crate::params_error::ParamsError;

/// How JSON is asked for.
#[derive(Clone, Debug)]
pub struct JsonModeConfig {
    /// The schema of the value; any JSON if there is none.
    pub schema: Option<JsonSchema>,
    /// Fail where the output is not what was asked for; of repairs, take those alone of which every edit is certain.
    pub strict: bool,
    /// Repair what does not parse.
    pub repair: bool,
    /// A grammar in GBNF that decides which tokens may come next, in place of the schema's.
    pub grammar: Option<String>,
    /// Whether tokens are constrained while they are generated.
    pub constrained_decoding: bool,
    /// How JSON is written under the schema's grammar: options of JSON Schema by name (`whitespace`, `key-order`, …), as
    /// [`Settings::read`](grammarc_compiler::frontend::settings::Settings::read) has them.
    pub options: Map<String, Value>,
    /// Tell what changes in the value as it comes: [`Event::Changed`](crate::Event::Changed).
    pub changes: bool,
}

impl Default for JsonModeConfig {
    /// Any JSON: strict, constrained, without repair, written without whitespace.
    fn default() -> Self {
        Self {
            schema: None,
            strict: true,
            repair: false,
            grammar: None,
            constrained_decoding: true,
            options: compact(),
            changes: false,
        }
    }
}

impl JsonModeConfig {
    pub(crate) fn check(&self) -> Result<(), ParamsError> {
        if self.grammar.is_some() && !self.constrained_decoding {
            let reason = "a grammar says nothing without constrained decoding";
            return Err(ParamsError::new("json_mode.grammar", reason));
        }
        Ok(())
    }

    /// The grammar under which the output is generated; none without constrained decoding.
    pub fn grammar(&self) -> Option<Grammar> {
        if !self.constrained_decoding {
            return None;
        }
        Some(match (&self.grammar, &self.schema) {
            (Some(gbnf), _) => Grammar::from_gbnf(gbnf),
            (None, Some(schema)) => Grammar::schema(schema).with_options(self.options.clone()),
            (None, None) => Grammar::json().with_options(self.options.clone()),
        })
    }

    /// The validator of finished outputs. `cut` says that the output ended before its text did.
    pub fn validator(&self, cut: bool) -> JsonValidator {
        JsonValidator {
            schema: self.schema.clone(),
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
