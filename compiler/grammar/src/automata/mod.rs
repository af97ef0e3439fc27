//! Finite automata over an alphabet of symbols: the toolkit that rules, patterns and repetitions are built with.
//!
//! Symbols 0 to 255 are bytes. Users of the toolkit assign larger symbols: the network uses them for calls and token
//! sets. One determinization and one minimization therefore serve patterns and rules.
//!
//! Tests: unit tests in `minimize`, `determinize` and `byte_rows`; the rest by the patterns and the network,
//! `tests/tests/suite/masks.rs`.

mod byte_rows;
mod determinize;
mod dfa;
mod minimize;
mod minimize_acyclic;
mod nfa;
mod product;
mod state_budget;
mod table;

pub use byte_rows::ByteRows;
pub use determinize::determinize;
pub use dfa::{Dfa, DfaState, Edge, Edges, Symbol};
pub use minimize::{minimal, minimal_table, minimize, minimize_within};
pub use nfa::Nfa;
pub use product::{complement, difference, intersect};
pub use state_budget::{StateBudget, StateLimit};
pub use table::Table;
