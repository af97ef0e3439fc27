//! Steps that keep formulas from multiplying: the third layer of the algebra.
//!
//! Each step is in the list [`Step::ALL`](steps::Step::ALL) and can be switched off.
//!
//! | file | content |
//! | --- | --- |
//! | [`steps`] | the list of steps, switches and counters |
//! | [`layer`] | the state of the layer |
//! | [`atoms`] | what the next value decides about the atoms of a formula |
//! | [`quick_emptiness`] | formulas that obviously hold for no value |
//! | [`unit_propagation`] | alternatives decided by the facts beside them |
//! | [`discriminator`] | alternatives that the scalars of the next value distinguish |
//! | [`by_key_set`] | alternatives grouped by the keys that they allow |
//! | [`disjoint_one_of`] | `oneOf` over objects whose branches exclude each other |
//! | [`derivatives`] | the formula that remains after a value |
//!
//! Tests: `tests/steps.rs` of this front end leaves out each step; `tests/tests/schemas/meeting.rs`.

pub(crate) mod atoms;
pub(crate) mod by_key_set;
pub(crate) mod derivatives;
pub(crate) mod discriminator;
pub(crate) mod disjoint_one_of;
pub(crate) mod layer;
pub(crate) mod quick_emptiness;
pub(crate) mod steps;
pub(crate) mod unit_propagation;
