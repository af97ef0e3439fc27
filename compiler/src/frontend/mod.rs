//! Front ends: source text in, [`Lowered`](crate::ir::Lowered) grammar with spans and diagnostics out.

mod class;
mod ecma;
pub mod gbnf;
pub mod json_schema;
pub mod regex;
