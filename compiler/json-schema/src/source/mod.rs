//! The source of a schema: its dialect, its references, and the resources that they lead to.
//!
//! | file | what it has |
//! | --- | --- |
//! | [`dialect`] | the draft and the keywords that a schema follows |
//! | [`resolve`] | references and their targets |
//! | [`resources`] | schemas that the user gives by URI |
//! | [`occurrence`] | one occurrence of a keyword and its verdict |
//!
//! Tests: `resolve/tests`, `tests/dialects.rs` of this front end, `tests/tests/schemas/conformance.rs`.

pub(crate) mod dialect;
pub(crate) mod occurrence;
pub(crate) mod resolve;
pub(crate) mod resources;
