//! Boolean formulas over schemas: the lowest layer, which knows nothing of types.
//!
//! | file | content |
//! | --- | --- |
//! | [`formula`] | boolean formulas over literals, hash-consed |
//! | [`rebuild`] | negation, replacement and sorting: formulas rebuilt from their leaves |
//! | [`subject`] | subjects of literals: schemas, keywords and values |
//! | [`layer`] | formulas over the values of a document, and notes on its keywords |
//! | [`work`] | limits on work and memory, and what attempts have used |
//!
//! Tests: unit tests in `formula`; `tests/tests/schemas/meeting.rs`.

pub(crate) mod formula;
pub(crate) mod layer;
pub(crate) mod rebuild;
pub(crate) mod subject;
pub(crate) mod work;
