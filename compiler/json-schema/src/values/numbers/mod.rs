//! Sets of numbers, exactly: minimum, maximum, multipleOf, enumerated values and their Boolean combinations.
//!
//! A number has one *canonical text*: an optional `-`, no leading zeros, no exponent, no zeros at the end of a
//! fraction, no point without a fraction, no `-0`. Every keyword about numbers is a regular language over canonical
//! texts, so a set is the minimal automaton of its members' canonical texts: equal sets are equal automata, the
//! operations are those of `grammarc_grammar::automata`, and digits are compared as digits, so nothing is ever rounded.
//!
//! ```text
//! decimal ── bound, multiple ──► set ── canonical form: the automaton itself ──────────┐
//! (one value)  (one keyword)   (algebra)                                               ├─ counted ──► Expr
//!                                └── scale ──► spelling: every legal text of a member ─┘  (digit limits)
//! ```
//!
//! A set knows no limit on digits and no notation; both come in where a text is made (`text`). A pair of sets tells
//! what draft 4 says of the notation of integers (`numerals`).

pub(crate) mod any;

mod bound;
mod counted;
mod decimal;
mod multiple;
mod numerals;
mod scale;
mod set;
mod spelling;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use decimal::Decimal;
pub(crate) use numerals::NumeralSet;
pub(crate) use set::NumberSet;
pub(crate) use text::{Pieces, integers};
