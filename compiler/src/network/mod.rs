//! Compiles the grammar IR to the network: one deterministic automaton for each rule, in the normal
//! form that masks and the runtime rely on (see ARCHITECTURE.md).
//!
//! | pass | file | what it does |
//! | --- | --- | --- |
//! | driver | [`pipeline`] | runs the passes, and repeats them when an assumption fails |
//! | build | [`build`], [`repeat`], [`required_keys`], [`counting`] | one automaton a rule; small rules are inlined, large bounds and sets of required keys become registers |
//! | texts | [`packed_string_set`] | sets of many texts, packed |
//! | left recursion | [`left_recursion`] | no rule begins with a call that leads back to it |
//! | merge | [`merge`] | equal rules become one; rules that the vocabulary holds are taken from it |
//! | layout | [`layout`] | numbering, tail calls, flags, first bytes: the flat records |
//! | bound | [`ambiguity`] | the most configurations of a parse position |
//!
//! The calls among the vocabulary's rules are read once for each vocabulary ([`shared`]). The kept
//! rules, which every grammar of a front end has, are recognized by their expressions
//! ([`known_rules`]).
//!
//! Invariant: no rule of the network derives the empty string, except the start rule at the bottom
//! of the stack. A caller of a nullable rule has a way around the call. So every path between two
//! consumed bytes is finite.
//!
//! Tests: `tests/tests/suite/{counters,ambiguity,members,bounds,recursion,digests}.rs`.

pub mod ambiguity;
mod build;
mod built;
mod calls;
mod content_hash;
mod counting;
mod display;
mod error;
mod first_sets;
pub mod follow;
mod graph_parts;
mod known_rules;
mod layout;
pub mod lazy_dfa;
mod left_recursion;
mod merge;
mod minimal;
mod normal_form;
pub mod packed_string_set;
mod pipeline;
mod repeat;
mod request;
mod required_keys;
mod rule;
pub mod shared;
mod token_sets;

pub use built::Built;
pub(crate) use calls::bytes_on;
pub use error::{NetworkError, NetworkErrorKind};
pub use grammarc_grammar::lexicon::Lexicon;
pub use normal_form::Network;
pub(crate) use pipeline::build_network;
pub(crate) use request::Vocabulary;
pub use request::{NetworkLimits, Roots};
pub use rule::{
    Arrival, CountDependent, Counted, Field, Label, Labels, NetworkRule, RegisterUpdate,
};
pub use shared::SharedRules;
