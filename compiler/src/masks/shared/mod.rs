//! Facts about the rules of the vocabulary, which all grammars share. Every compilation uses them, and none depends on
//! a grammar.
//!
//! | file | what |
//! | --- | --- |
//! | [`facts`] | all facts of one vocabulary, each found when it is first asked for |
//! | [`transitions`] | transitions of states by single bytes, with plain tail calls resolved |
//! | [`predecessors`] | for each state and byte, the states with this one target on the byte |
//! | [`bisimulation`] | bisimilar states |
//! | [`rows`] | for each dense row, the rows near it; masks by their records |
//! | [`stored`] | outcomes that are read from stored masks |
//! | [`exits`] | exit classes, their nodes and the rules that return through them |
//! | [`chains`] | chains of follow entries |
//! | [`call_followers`] | bytes that follow a string of a rule within a token |
//! | [`countdowns`] | rules with a countdown, and equivalent rules without one |
//!
//! Tests: unit tests in `call_followers`, `facts`, `predecessors` and `rows`; `tests/tests/suite/shortcuts.rs`.

pub(crate) mod bisimulation;
pub(crate) mod call_followers;
pub(crate) mod chains;
pub(crate) mod countdowns;
pub(crate) mod exits;
pub(crate) mod facts;
pub(crate) mod predecessors;
pub(crate) mod rows;
pub(crate) mod stored;
pub(crate) mod transitions;
