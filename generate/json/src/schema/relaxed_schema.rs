//! The relaxed grammar of a schema: the same instances, in every spelling that a repair may choose between.
//!
//! Keys may come in any order, numbers and strings in any form, without white space: the search supplies texts of
//! lexemes. It is compiled for the vocabulary of the 256 bytes, since a search reads bytes.
//!
//! The search does not compare `uniqueItems`; its result is validated at the end.

use std::sync::OnceLock;

use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_runtime::Grammar;
use serde_json::Value;

use crate::text_grammar::{compile, refused_at};

/// The grammar of a schema's instances in all spellings, over bytes.
#[derive(Debug)]
pub(crate) struct RelaxedSchema {
    pub(crate) grammar: Grammar,
}

impl RelaxedSchema {
    /// Compiles the relaxed grammar of a schema. `None` if the compiler refuses the schema or meets a limit. With `closed`, objects with
    /// `properties` take no undeclared keys.
    pub(crate) fn compile(schema: &str, closed: bool) -> Option<Self> {
        let options = JsonSchemaOptions {
            text: TextForm::WIDE,
            key_order: KeyOrder::Any,
            closed,
            ..JsonSchemaOptions::default()
        };
        Some(Self { grammar: compile(&FrontEnd::JsonSchema(options), schema)? })
    }

    /// Returns the offset in the value's compact JSON of the first byte that the grammar rejects. `None` if it
    /// accepts the text or meets a limit.
    pub(super) fn refuses(&self, value: &Value) -> Option<usize> {
        refused_at(&self.grammar, &value.to_string()).ok().flatten()
    }

    /// Whether both grammars have the same rules, so that searches with either have the same result.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (one, other) = (self.grammar.artifact(), other.grammar.artifact());
        one.start_rule() == other.start_rule() && one.tables() == other.tables()
    }
}

/// Returns the relaxed grammar of any JSON value.
pub(crate) fn any_json() -> Option<&'static RelaxedSchema> {
    static ANY: OnceLock<Option<RelaxedSchema>> = OnceLock::new();
    ANY.get_or_init(|| RelaxedSchema::compile("true", false)).as_ref()
}
