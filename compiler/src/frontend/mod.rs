//! Front ends: source text to grammar IR, with spans and diagnostics.

mod class;
pub mod gbnf;
pub mod json_schema;
pub mod regex;
