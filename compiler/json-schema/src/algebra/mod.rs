//! The algebra: what schemas say, as sets of values with exact union, intersection and complement.
//!
//! A value satisfies a formula over *literals*: schemas, keywords or constant values, each with a sign. The formula splits
//! by type. For null, booleans, numbers and strings it evaluates to a set ([`types::scalars`]). For objects and arrays it
//! becomes a formula over *atoms*, which are facts about members and items ([`types::objects`], [`types::arrays`]). That
//! formula becomes an automaton by derivatives ([`automata`]): a state is the formula that remains. Children are formulas
//! over literals again. There are finitely many of them, so recursion of any shape closes into cycles ([`content::graph`]).
//!
//! | layer | state | content |
//! | --- | --- | --- |
//! | [`logic`] | [`Logic`](logic::layer::Logic) | boolean formulas, hash-consed, and limits on work |
//! | [`types`] | [`Types`] | what each keyword says about one type |
//! | [`simplify`] | [`Simplifier`](simplify::layer::Simplifier) | named steps that keep formulas small, and derivatives |
//! | [`automata`] | [`Automata`](automata::layer::Automata) | the automata over members and items |
//! | [`content`] | | the graph of all contents, what of it is empty, and why |
//!
//! Invariant: a layer owns the one below and calls nothing above.
//!
//! Formulas are used instead of unions of conjunctions. An `oneOf` over overlapping objects and every `not` multiply out
//! exponentially, while the automaton of a formula meets only the combinations that members in order can make.
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
