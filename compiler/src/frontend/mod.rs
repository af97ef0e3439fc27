//! Front ends: source text to grammar IR, with spans and diagnostics.

mod class;
pub mod gbnf;
pub mod regex;
//! Front ends: source text in, [`Lowered`](crate::ir::Lowered) grammar with spans and diagnostics out.
pub mod json_schema;
