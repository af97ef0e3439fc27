//! The relaxed grammar of a schema: it accepts the instances in every spelling that a repair may
//! choose.
//!
//! Keys may be in any order, and numbers and strings in any form. There is no white space, because
//! the search only passes lexemes. The grammar is compiled for a vocabulary of the 256 single
//! bytes, because a search reads bytes.
//!
//! The search does not check `uniqueItems`. The result of the repair is validated at the end.

use std::sync::OnceLock;

use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_runtime::Grammar;
use serde_json::Value;

use crate::text_grammar::{compile, refused_at};

/// A compiled grammar, over single bytes, of a schema's instances in every spelling.
#[derive(Debug)]
pub(crate) struct RelaxedSchema {
    pub(crate) grammar: Grammar,
}

impl RelaxedSchema {
    /// Compiles the relaxed grammar of a schema. `None` if the compiler rejects the schema or
    /// exceeds a limit. With `closed`, objects with `properties` accept no undeclared keys.
    pub(crate) fn compile(schema: &str, closed: bool) -> Option<Self> {
        let options = JsonSchemaOptions {
            text: TextForm::WIDE,
            key_order: KeyOrder::Any,
            closed,
            ..JsonSchemaOptions::default()
        };
        Some(Self { grammar: compile(&FrontEnd::JsonSchema(options), schema)? })
    }

    /// Returns the offset of the first byte that the grammar rejects in the value's compact JSON
    /// text. `None` if it accepts the text or exceeds a limit.
    pub(super) fn refuses(&self, value: &Value) -> Option<usize> {
        refused_at(&self.grammar, &value.to_string()).ok().flatten()
    }

    /// Whether both grammars have the same rules, so that searches with either give the same
    /// result.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (one, other) = (self.grammar.artifact(), other.grammar.artifact());
        one.start_rule() == other.start_rule() && one.tables() == other.tables()
    }
}

/// Returns the relaxed grammar of any JSON value. `None` if it cannot be compiled.
pub(crate) fn any_json() -> Option<&'static RelaxedSchema> {
    static ANY: OnceLock<Option<RelaxedSchema>> = OnceLock::new();
    ANY.get_or_init(|| RelaxedSchema::compile("true", false)).as_ref()
}
