//! Grammar that the RFCs share: the core rules of RFC 5234 and combinators for its notation.
//!
//! The rules of the formats keep the names of their RFC, as functions that return an expression. ABNF strings ignore
//! case. Here [`text`] matches the given case, and [`any_case`] ignores case.

use std::sync::Arc;

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::{ByteSet, Expr, pass};

/// Limit on the states of intermediate automata. The grammars are fixed, so none exceeds it.
pub(super) const STATE_LIMIT: usize = 1 << 18;

/// `ALPHA`.
pub(super) fn alpha() -> ByteSet {
    ByteSet::range(b'A', b'Z').union(ByteSet::range(b'a', b'z'))
}

/// `DIGIT`.
pub(super) fn digit() -> ByteSet {
    ByteSet::range(b'0', b'9')
}

/// `HEXDIG`, of either case.
pub(super) fn hexdig() -> ByteSet {
    digit().union(ByteSet::range(b'A', b'F')).union(ByteSet::range(b'a', b'f'))
}

/// `ALPHA / DIGIT`.
pub(super) fn alphanumeric() -> ByteSet {
    alpha().union(digit())
}

/// The bytes of an ASCII string, as a set.
pub(super) fn set(bytes: &str) -> ByteSet {
    bytes.bytes().collect()
}

/// One byte of a set.
pub(super) fn one(set: ByteSet) -> Expr {
    Expr::bytes(set)
}

/// These characters, in the given case.
pub(super) fn text(text: &str) -> Expr {
    Expr::literal(text)
}

/// These ASCII characters, in either case.
pub(super) fn any_case(text: &str) -> Expr {
    let either = |byte: u8| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()];
    Expr::seq(text.bytes().map(|byte| one(either(byte).into_iter().collect())))
}

/// One or more digits.
pub(super) fn digits() -> Expr {
    one(digit()).plus()
}

/// A number of the range, in `width` digits with leading zeros.
pub(super) fn padded(range: std::ops::RangeInclusive<u32>, width: usize) -> Expr {
    Expr::alt(range.map(|number| text(&format!("{number:0width$}"))))
}

/// Any character except these ASCII ones.
pub(super) fn any_char_but(excluded: &str) -> Expr {
    let ascii = one(ByteSet::range(0, 0x7f).minus(set(excluded)));
    Expr::alt([ascii, Expr::scalars([('\u{80}', char::MAX)])])
}

/// Items with separators between them, one item at least.
pub(super) fn separated(item: Expr, separator: Expr) -> Expr {
    Expr::seq([item.clone(), Expr::seq([separator, item]).star()])
}

/// Replaces an expression by its minimal automaton. Repeated parts then cost less, and an intersection is computed
/// once.
pub(super) fn compiled(expr: &Expr) -> Expr {
    let dfa = pass::automaton(expr, StateBudget::of(STATE_LIMIT))
        .expect("a part of a format is smaller than the format");
    Expr::Regular(Arc::new(dfa))
}
