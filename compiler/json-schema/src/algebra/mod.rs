//! The algebra: the sets of values that schemas allow, with exact union, intersection and complement.
//!
//! A formula over values combines *literals*: conditions such as "satisfies this schema", each possibly negated. The
//! formula splits by type. For null, booleans, numbers and strings it evaluates to a set ([`types::scalars`]). For
//! objects and arrays it becomes a formula over *atoms*, which are facts about members and items ([`types::objects`],
//! [`types::arrays`]). That formula becomes an automaton by derivatives ([`automata`]): a state is the formula that
//! remains. Children are formulas over values again. There are finitely many of them, so every recursion closes into a
//! cycle ([`content::graph`]).
//!
//! | layer | state | content |
//! | --- | --- | --- |
//! | [`logic`] | [`Logic`](logic::layer::Logic) | boolean formulas, hash-consed, and limits on work |
//! | [`types`] | [`Types`] | what each keyword says about one type |
//! | [`simplify`] | [`Simplifier`](simplify::layer::Simplifier) | named steps that keep formulas small, and derivatives |
//! | [`automata`] | [`Automata`](automata::layer::Automata) | the automata over members and items |
//! | [`content`] | | the graph of all contents, which parts of it are empty, and why |
//!
//! Invariant: a layer owns the layer below and calls no function of a layer above.
//!
//! Formulas are used instead of unions of conjunctions, because an `oneOf` over overlapping objects and every `not`
//! multiply out exponentially. The automaton of a formula has only the combinations that members in order can make.
//!
//! Tests: `tests/` beside this front end, `tests/tests/suite/members.rs`, and `tests/tests/schemas/` against other
//! validators.

pub(crate) mod automata;
pub(crate) mod content;
pub(crate) mod logic;
pub(crate) mod promises;
pub(crate) mod simplify;
pub(crate) mod types;

pub(crate) use automata::item_automaton::ItemAutomaton;
pub(crate) use automata::member_automaton::{Member, MemberAutomaton, MemberName, MemberState};
pub(crate) use content::graph::ContentGraph;
pub(crate) use content::node::Content;
pub(crate) use logic::formula::FormulaId;
pub(crate) use types::layer::Types;
pub(crate) use types::scalar_sets::Scalars;
