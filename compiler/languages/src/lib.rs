//! The languages that grammarc compiles. The front end of a language lowers a source text to a
//! [`Lowered`](grammarc_grammar::ir::Lowered) grammar, with places and diagnostics.
//!
//! [`FrontEnd`] is a language with its options, for callers that accept sources of any language. [`settings`] reads
//! options by name. [`deny`] refuses sources by the report of their grammar. Each language has a feature; the feature
//! `all` enables all of them.
//!
//! Tests: unit tests beside each language; `compiler/tests/{grammars,messages}.rs` for all of them.

#[cfg(feature = "builtin")]
pub mod builtin;
mod canonical;
pub mod choice;
pub mod compose;
pub mod deny;
#[cfg(feature = "gbnf")]
mod free_text;
mod front_end;
#[cfg(feature = "gbnf")]
pub mod gbnf;
#[cfg_attr(
    not(feature = "gbnf"),
    expect(dead_code, reason = "grammars alone have sources of other languages in them")
)]
mod inner;
#[cfg(feature = "lark")]
pub mod lark;
mod nested;
mod options;
pub mod settings;
pub mod sources;
#[cfg(feature = "structural-tag")]
pub mod structural_tag;
pub mod substring;
#[cfg(all(test, feature = "all"))]
mod test_support;

pub use front_end::FrontEnd;
#[cfg(feature = "json-schema")]
pub use grammarc_json_schema as json_schema;
#[cfg(feature = "regex")]
pub use grammarc_patterns::regex;
#[cfg(feature = "typescript")]
pub use grammarc_typescript as typescript;
