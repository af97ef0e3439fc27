//! JSON from language models: schemas, validation, extraction, repair, and JSON Lines.
//!
//! ```text
//! text ─ extract ─► candidates ─ strict ─► a value ─ schema ─► validated
//!                        │ none parses                ▲
//!                        └──► repair: a search over readings of the text, guided by the compiled schema
//! ```
//!
//! | module | contents |
//! | --- | --- |
//! | [`schema`] | validates values; lists violations; makes example instances |
//! | `strict` | a strict parser: a duplicate key is an error |
//! | `extract` | finds the parts of a text that may be JSON |
//! | [`repair`] | converts broken JSON to JSON, with the edits and their certainty |
//! | [`partial`] | the value of an incomplete text |
//! | [`jsonl`] | reads one JSON value on each line, and lists the other lines |
//! | [`text_grammar`] | checks whether a text matches a grammar |
//! | [`validator`] | validates an output by all of these in one call |
//!
//! A repair chooses between readings of the text. It never invents a key or a value, or drops,
//! moves or merges members. It does not change a type or a digit to satisfy a schema. If two
//! readings are equally good, the result says so.
//!
//! Tests: `tests/` of this crate, and unit tests in each file.

mod extract;
pub mod jsonl;
pub mod partial;
pub mod repair;
mod scan;
pub mod schema;
mod strict;
pub mod text_grammar;
pub mod validator;

pub use extract::extract_json;
pub use jsonl::{Jsonl, JsonlOptions, JsonlStream, parse_jsonl};
pub use partial::{Change, PartialError, PartialJson};
pub use repair::{Edit, EditKind, Grade, RepairError, RepairLimits, Repaired};
pub use schema::{Expected, JsonSchema, SchemaError, ValidationError};
pub use strict::{ParseError, parse};
pub use text_grammar::{Judgement, TextGrammar};
pub use validator::{JsonError, JsonValidator, Status, Validated};

/// The examples of this crate's documentation page, which are compiled and run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/repair.md")]
struct Page;
