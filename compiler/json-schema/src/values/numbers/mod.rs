//! Exact sets of numbers: `minimum`, `maximum`, `multipleOf`, enumerated values and their Boolean combinations.
//!
//! Each number has one *canonical text*. It has an optional `-`, no leading zeros, no exponent, no zeros at the end of
//! a fraction, no point without a fraction, and is never `-0`. Every keyword about numbers is a regular language over
//! canonical texts. So a set is the minimal automaton of its members' canonical texts. Equal sets are equal automata,
//! and the operations are those of `grammarc_grammar::automata`. Nothing is ever rounded.
//!
//! ```text
//! decimal ── bound, multiple ──► set ── canonical form: the automaton itself ──────────┐
//! (one value)  (one keyword)   (algebra)                                               ├─ counted ──► Expr
//!                                └── scale ──► spelling: every legal text of a member ─┘  (digit limits)
//! ```
//!
//! A set has neither a limit on digits nor a notation; both are applied when the texts are written (`text`). The
//! notation of integers in draft 4 is represented by a pair of sets (`numerals`).
//!
//! Tests: `tests/` against exact arithmetic; unit tests in `decimal`, `set` and `spelling`.

pub(crate) mod any;

mod automaton;
mod bound;
mod counted;
mod decimal;
mod divisor;
mod multiple;
mod numerals;
mod periodic;
mod set;
mod spelling;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use decimal::Decimal;
pub(crate) use numerals::NumeralSet;
pub(crate) use set::NumberSet;
pub(crate) use text::{Pieces, integers};
