//! Front ends: source text in, [`Lowered`](crate::ir::Lowered) grammar with spans and diagnostics out.

mod class;
#[allow(dead_code, reason = "part of it is for the algebra to call")]
pub(crate) mod ecma;
pub mod gbnf;
pub mod json_schema;
pub mod regex;
