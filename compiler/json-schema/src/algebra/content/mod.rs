//! The graph of all contents that a value can have: its fixpoint, its cardinality, and which parts of it are empty.
//!
//! | file | content |
//! | --- | --- |
//! | [`node`] | the content of one formula, a node of the graph |
//! | [`steps`] | edges of automata, reduced to what decides emptiness |
//! | [`graph`] | the content of each formula, and the least fixpoint of satisfiable formulas |
//! | [`cardinality`] | whether a set has more values than a bound |
//! | [`explore`] | builds the graph of a formula |
//! | [`emptiness`] | exact tests of emptiness |
//! | [`endless`] | formulas that only infinite values satisfy |
//! | [`unsatisfiable_pair`] | the two places to blame for an empty formula |
//! | [`merge`] | formulas with equal contents become one |
//! | [`pruned`] | notes on places that nothing satisfies |
//! | [`report`] | errors of schemas without an instance |
//!
//! Tests: `cases.rs` and `advice.rs` in `tests/` of this front end; `tests/tests/schemas/{meeting,recursion}.rs`.

pub(crate) mod cardinality;

pub(crate) mod emptiness;
pub(crate) mod endless;
pub(crate) mod explore;
pub(crate) mod graph;
pub(crate) mod merge;
pub(crate) mod node;
pub(crate) mod pruned;
pub(crate) mod report;
pub(crate) mod steps;
pub(crate) mod unsatisfiable_pair;
