//! JSON out of what language models write: schemas, validation, extraction, repair, JSON Lines.
//!
//! ```text
//! text ─ extract ─► candidates ─ strict ─► a value ─ schema ─► validated
//!                        │ none parses                ▲
//!                        └──► repair: a search over readings of the text, guided by the compiled schema
//! ```
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`schema`] | what a value has to be, what is wrong with one, what was expected |
//! | `strict` | the value of a text that is JSON: a key that occurs twice is an error |
//! | `extract` | where in a text JSON stands |
//! | [`repair`] | what a broken text says, with the edits that make it JSON, and how sure they are |
//! | [`partial`] | the value of a text while it comes |
//! | [`jsonl`] | the items of a text that is one JSON value a line, and the lines that are none |
//! | [`text_grammar`] | whether a text is one of a grammar's |
//! | [`validator`] | all of them in the order that a caller wants |
//!
//! A repair chooses between readings of the text. It never makes up a key or a value, drops, moves or merges members, or
//! changes a type or a digit to please a schema; where two readings are as good as each other, it says so.

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
