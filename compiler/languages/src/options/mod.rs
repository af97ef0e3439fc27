//! The options of each language: how they are read by name, recorded in artifacts and applied to a source.
//!
//! Each language has a file here, which reads its options by name and implements [`LanguageOptions`] for them.
//!
//! Tests: `settings/tests/table.rs`; `tests/tests/suite/options.rs` for pages and bindings.

#[cfg(feature = "builtin")]
mod built_in;
mod error;
#[cfg(feature = "gbnf")]
mod gbnf;
mod interface;
#[cfg(feature = "json-schema")]
mod json_schema;
mod language;
#[cfg(feature = "lark")]
mod lark;
#[cfg(feature = "gbnf")]
mod named_sources;
mod plain;
#[cfg(feature = "structural-tag")]
mod structural_tag;
mod table;
#[cfg(feature = "typescript")]
mod typescript;

pub use error::SettingsError;
pub(crate) use interface::{LanguageOptions, LowerContext, NamedOptions};
pub use language::Language;
pub use table::{OPTIONS, OptionRow, OptionValue, Section};
