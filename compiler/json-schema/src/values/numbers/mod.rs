//! Exact sets of numbers: `minimum`, `maximum`, `multipleOf`, enumerated values and their Boolean combinations.
//!
//! A set is a line with cuts. Between two cuts it is a Boolean combination of multiples, which is a polynomial in the
//! indicators of divisors. All operations are exact arithmetic on these, and equal sets are equal values. Nothing is
//! ever rounded. An automaton of texts is built only when the texts are written, from the bounds first: where few
//! multiples are within bounds, they are listed.
//!
//! ```text
//! decimal ── divisor ── periodic ──► set ── automaton: the canonical text of a member ─────────┐
//! (one value)  (one keyword)      (algebra)                                                    ├─ counted ──► Expr
//!                                     └──── spelling: every legal text of a member ────────────┘  (digit limits)
//! ```
//!
//! A set has neither a limit on digits nor a notation; both are applied when the texts are written (`text`). The
//! notation of integers in draft 4 is represented by a pair of sets (`numerals`).
//!
//! Tests: `tests/` against exact arithmetic; unit tests in `decimal` and `spelling`.

pub(crate) mod any;

mod automaton;
mod bound;
mod counted;
mod decimal;
mod divisor;
mod multiple;
mod numerals;
mod periodic;
mod printed;
mod set;
mod spelling;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use decimal::Decimal;
pub(crate) use numerals::NumeralSet;
pub(crate) use periodic::MOST_TERMS;
pub(crate) use set::NumberSet;
pub(crate) use text::{Pieces, integers};
