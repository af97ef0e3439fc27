//! JSON from language models: schemas, validation, extraction, repair, JSON Lines.
//!
//! ```text
//! text ─ extract ─► candidates ─ strict ─► a value ─ schema ─► validated
//!                        │ none parses                ▲
//!                        └──► repair: a search over readings of the text, guided by the compiled schema
//! ```
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`schema`] | validation of values, violations, examples of instances |
//! | `strict` | a strict parser: a repeated key is an error |
//! | `extract` | the parts of a text that may be JSON |
//! | [`repair`] | broken JSON to JSON, with the edits and their certainty |
//! | [`partial`] | the value of an incomplete text |
//! | [`jsonl`] | the items of a text with one JSON value a line, and the other lines |
//! | [`text_grammar`] | whether a text is in a grammar |
//! | [`validator`] | all of these in one call |
//!
//! A repair chooses between readings of the text. It never makes up a key or a value, drops, moves or merges members, or
//! changes a type or a digit to please a schema. If two readings are equally good, the result says so.
//!
//! Tests: `tests/` here, and unit tests beside each file.

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

/// The examples of the page on this crate, which are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/repair.md")]
struct Page;
