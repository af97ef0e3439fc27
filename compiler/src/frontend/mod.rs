//! Front ends: source text in, [`Lowered`](crate::ir::Lowered) grammar with spans and diagnostics out.

mod class;
pub mod gbnf;
pub mod json_schema;
pub mod regex;
