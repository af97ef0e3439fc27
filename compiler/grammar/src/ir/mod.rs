//! The grammar IR: the output of every front end and the input of the network.
//!
//! A [`Grammar`] is a list of rules over bytes and whole tokens. Front ends translate a source
//! directly. They leave all rewriting to the network: recursion, nullability, ambiguity and counted
//! repetition.
//!
//! Tests: unit tests in each file; `tests/tests/suite/masks.rs`, whose oracle reads the IR without
//! any rewriting.

mod counters;
mod delimited_repeat;
mod display;
mod endings;
pub mod example;
mod expr;
pub mod facts;
mod graft;
mod grammar;
mod graph;
mod graph_position;
pub mod pass;
mod place_graph;
pub mod recognize;
mod rule_id;
mod survey;
mod texts;
pub mod thompson;
mod unroll;

pub use expr::{ByteSet, Expr, ExprGraph, TokenRef, TokenSet};
pub use grammar::{
    Grammar, GrammarBuilder, Literals, Lowered, MarkerPart, Origin, Region, Rule, RuleKind,
};
pub use grammarc_artifacts::RegionKind;
pub use graph::{Counter, EdgeLabel, Graph, MOST_REQUIRED_KEYS, Step};
pub use place_graph::{PlaceGraph, PlaceNode};
pub use rule_id::RuleId;
pub use survey::{RuleGroup, Survey};
pub use texts::Texts;
