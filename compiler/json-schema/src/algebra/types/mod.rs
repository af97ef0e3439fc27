//! The content of a formula by the type of the value.
//!
//! | file | what it has |
//! | --- | --- |
//! | [`scalars`] | null, booleans, numbers and strings: a set each |
//! | [`objects`] | a formula over atoms about members |
//! | [`arrays`] | a formula over atoms about items |
//! | [`unevaluated`] | `unevaluatedProperties` and `unevaluatedItems` |
//! | [`one_of`] | `oneOf` over objects whose branches exclude each other |

pub(crate) mod arrays;
pub(crate) mod objects;
pub(crate) mod one_of;
pub(crate) mod scalars;
pub(crate) mod unevaluated;
