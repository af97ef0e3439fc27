//! Schemas that are derived from Rust types.
//!
//! The crate `schemars` derives the schema, so `#[serde(...)]` and `#[schemars(...)]` attributes have an effect.
//! Properties come in the order of the fields, in which serde writes them.

use std::sync::Arc;

use schemars::JsonSchema;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;

use super::JsonSchemaOptions;

/// The text of a schema, with a name for diagnostics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    source: Source,
}

impl Schema {
    /// Returns the schema of a type, in draft 2020-12, named after the type.
    ///
    /// ```
    /// use grammarc_grammar::budget::Budget;
    /// use grammarc_json_schema::{JsonSchemaOptions, Schema};
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Call {
    ///     tool: String,
    ///     retries: Option<u8>,
    /// }
    ///
    /// let lowered = Schema::from_type::<Call>().lower(&JsonSchemaOptions::default(), &Budget::new());
    /// assert_eq!(&*lowered.expect("it has instances").source.name, "Call");
    /// ```
    pub fn from_type<T: JsonSchema>() -> Self {
        let schema = schemars::schema_for!(T);
        // The text is indented, because diagnostics quote it.
        let text = format!("{:#}", schema.as_value());
        Self { source: Source::new(T::schema_name().into_owned(), text) }
    }

    /// Wraps the text of a schema. `name` names it in diagnostics.
    pub fn from_text(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { source: Source::new(name, text) }
    }

    /// Returns the text of the schema.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// Returns the grammar of the JSON texts of the schema's instances.
    ///
    /// # Errors
    ///
    /// The errors of [`lower`](fn@super::lower).
    pub fn lower(
        &self,
        options: &JsonSchemaOptions,
        budget: &Budget,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        super::lower(self.source.clone(), options, budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grammarc_grammar::ir::recognize::accepted_prefixes;

    #[derive(JsonSchema)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    #[expect(dead_code, reason = "only the schema is looked at")]
    enum Action {
        Move { steps: u8, fast: bool },
        Say { text: String, to: Option<Vec<String>> },
    }

    #[test]
    fn fields_come_in_their_order() {
        let schema = Schema::from_type::<Vec<Action>>();
        let lowered =
            schema.lower(&JsonSchemaOptions::default(), &Budget::new()).expect("it has instances");
        let accepts =
            |text: &str| accepted_prefixes(&lowered.grammar, text.as_bytes()).contains(&text.len());
        assert!(accepts(r#"[{"kind":"move","steps":255,"fast":true},{"kind":"say","text":""}]"#));
        assert!(accepts(
            r#"[{"kind":"say","text":"a","to":["b"]},{"kind":"say","text":"a","to":null}]"#
        ));
        for wrong in [
            r#"[{"kind":"move","steps":256,"fast":true}]"#,
            r#"[{"kind":"move","fast":true,"steps":5}]"#,
            r#"[{"kind":"move","steps":5}]"#,
            r#"[{"kind":"turn"}]"#,
        ] {
            assert!(!accepts(wrong), "{wrong}");
        }
    }
}
