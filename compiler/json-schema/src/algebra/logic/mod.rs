//! Boolean formulas over schemas: the lowest layer of the algebra, which does not distinguish types of values.
//!
//! | file | content |
//! | --- | --- |
//! | [`formula`] | boolean formulas over literals, hash-consed |
//! | [`rebuild`] | negation, replacement and sorting: formulas rebuilt from their leaves |
//! | [`subject`] | subjects, the conditions that atoms state: a schema, a keyword or a constant |
//! | [`layer`] | formulas over the values of a document, and notes on its keywords |
//! | [`work`] | limits on work and memory, and what attempts have used |
//!
//! Tests: unit tests in `formula`; `tests/tests/schemas/meeting.rs`.

pub(crate) mod formula;
pub(crate) mod layer;
pub(crate) mod rebuild;
pub(crate) mod subject;
pub(crate) mod work;
