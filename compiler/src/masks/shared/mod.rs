//! Facts about the vocabulary's rules that every compilation uses. None depends on a grammar.
//!
//! | file | what |
//! | --- | --- |
//! | [`facts`] | all of them, each found when it is first asked for |
//! | [`transitions`] | transitions of states by single bytes, plain tail calls looked through |
//! | [`predecessors`] | by state and byte, the states that go there and nowhere else on it |
//! | [`bisimulation`] | states that do the same |
//! | [`rows`] | dense rows that are near each other, masks by their records |
//! | [`stored`] | outcomes that are read from stored masks |
//! | [`exits`] | exit classes, their nodes and the rules that are left through them |
//! | [`chains`] | chains of follow entries |
//! | [`call_followers`] | bytes that come behind a string of a rule within a token |
//! | [`countdowns`] | rules with a countdown, and rules without one that do the same until it ends |
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
