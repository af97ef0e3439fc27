//! Schemas with instances that are known to be valid or not, judged by the masks alone.
//!
//! MaskBench has such files: a `schema`, and `tests` with `data` and `valid`. An instance is written as Python's
//! `json.dumps` writes it, split into tokens by the tokenizer itself, and led through the masks of the compiled schema.

mod case;
mod dumps;
mod error;
mod judge;
mod tokens;
mod totals;

pub use case::{Case, Test, files, read};
pub use dumps::dumps;
pub use error::MaskbenchError;
pub use judge::{Inexact, Judge, Judged, Refusal, Summary, TestResult};
pub use tokens::Tokens;
pub use totals::{Percentiles, Refused, Totals, Wrong};
