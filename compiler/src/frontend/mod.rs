//! Front ends: source text in, [`Lowered`](crate::ir::Lowered) grammar with spans and diagnostics out.

pub mod json_schema;
