//! The values of each type that a formula allows: the second layer of the algebra.
//!
//! | file | content |
//! | --- | --- |
//! | [`memo`] | memo tables by subject and by formula |
//! | [`scalar_sets`] | sets of null, booleans, numbers and strings |
//! | [`object_atoms`], [`object_facts`] | atoms about members, the arena of their formulas, and queries about these
//! formulas |
//! | [`array_atoms`] | atoms about items, and the arena of their formulas |
//! | [`layer`] | the state of the layer |
//! | [`domain`] | how keywords combine, for all types alike |
//! | [`containers`] | the domain of objects and of arrays |
//! | [`objects`], [`arrays`], [`scalars`] | the keywords of each type |
//! | [`structure`] | whether a formula allows arrays and objects |
//! | [`unevaluated`] | `unevaluatedProperties` and `unevaluatedItems` |
//! | [`facts`] | what the conjuncts of an object formula state about keys |
//!
//! Tests: `cases.rs`, `counts.rs` and `unevaluated.rs` in `tests/` of this front end;
//! `tests/tests/schemas/{agreement,meeting}.rs`.

pub(crate) mod array_atoms;
pub(crate) mod arrays;
pub(crate) mod containers;
pub(crate) mod domain;
pub(crate) mod facts;
pub(crate) mod layer;
pub(crate) mod memo;
pub(crate) mod object_atoms;
pub(crate) mod object_facts;
pub(crate) mod objects;
pub(crate) mod scalar_sets;
pub(crate) mod scalars;
pub(crate) mod structure;
pub(crate) mod unevaluated;
