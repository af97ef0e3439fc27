//! Finite automata over an alphabet of symbols, from which rules, patterns and repetitions are
//! built.
//!
//! Symbols 0 to 255 are bytes. Users assign larger symbols: the network uses them for calls and
//! token sets. So one determinization and one minimization serve both patterns and rules.
//!
//! Tests: unit tests in `minimize`, `determinize` and `byte_rows`. The tests of patterns and of the
//! network cover the rest, `tests/tests/suite/masks.rs`.

mod byte_rows;
mod determinize;
mod dfa;
mod minimize;
mod minimize_acyclic;
mod nfa;
mod product;
mod refine;
mod right_linear;
mod simulation;
mod state_budget;
mod table;

pub use byte_rows::ByteRows;
pub use determinize::determinize;
pub use dfa::{Dfa, DfaState, Edge, Edges, Symbol};
pub use minimize::{minimal, minimal_table, minimize, minimize_within};
pub use nfa::Nfa;
pub use product::{complement, difference, intersect};
pub use refine::{ALONE, Classes, Levels, Refinement};
pub use right_linear::RightLinear;
pub use simulation::{ChainsByState, Entry, Simulation};
pub use state_budget::{StateBudget, StateLimit};
pub use table::Table;
