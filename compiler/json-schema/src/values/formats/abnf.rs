//! Rules that several RFCs share: the core rules of RFC 5234, and combinators for its notation (ABNF).
//!
//! The rules of the formats are functions that return an expression and are named as in their RFC. Strings in ABNF
//! ignore case. Here [`text`] matches the given case, and [`any_case`] ignores case.

use std::sync::Arc;

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::{ByteSet, Expr, pass};

/// Most states of an automaton while the strings of a `format` are built. The grammars are fixed and need fewer; a test
/// builds all.
pub(super) const STATE_LIMIT: usize = 1 << 18;

/// Returns the ASCII letters: `ALPHA`.
pub(super) fn alpha() -> ByteSet {
    ByteSet::range(b'A', b'Z').union(ByteSet::range(b'a', b'z'))
}

/// Returns the ASCII digits: `DIGIT`.
pub(super) fn digit() -> ByteSet {
    ByteSet::range(b'0', b'9')
}

/// Returns the hexadecimal digits, in either case: `HEXDIG`.
pub(super) fn hexdig() -> ByteSet {
    digit().union(ByteSet::range(b'A', b'F')).union(ByteSet::range(b'a', b'f'))
}

/// Returns the ASCII letters and digits: `ALPHA / DIGIT`.
pub(super) fn alphanumeric() -> ByteSet {
    alpha().union(digit())
}

/// Returns the bytes of an ASCII string, as a set.
pub(super) fn set(bytes: &str) -> ByteSet {
    bytes.bytes().collect()
}

/// Returns an expression that matches one byte of a set.
pub(super) fn one(set: ByteSet) -> Expr {
    Expr::bytes(set)
}

/// Returns an expression that matches `text` in the given case.
pub(super) fn text(text: &str) -> Expr {
    Expr::literal(text)
}

/// Returns an expression that matches the ASCII string `text` in either case.
pub(super) fn any_case(text: &str) -> Expr {
    let either = |byte: u8| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()];
    Expr::seq(text.bytes().map(|byte| one(either(byte).into_iter().collect())))
}

/// Returns an expression that matches one or more digits.
pub(super) fn digits() -> Expr {
    one(digit()).plus()
}

/// Returns an expression that matches the numbers of a range (inclusive), each in `width` digits with leading zeros.
pub(super) fn padded(range: std::ops::RangeInclusive<u32>, width: usize) -> Expr {
    Expr::alt(range.map(|number| text(&format!("{number:0width$}"))))
}

/// Returns an expression that matches any character except the ASCII characters in `excluded`.
pub(super) fn any_char_but(excluded: &str) -> Expr {
    let ascii = one(ByteSet::range(0, 0x7f).minus(set(excluded)));
    Expr::alt([ascii, Expr::scalars([('\u{80}', char::MAX)])])
}

/// Returns an expression that matches one or more items with separators between them.
pub(super) fn separated(item: Expr, separator: Expr) -> Expr {
    Expr::seq([item.clone(), Expr::seq([separator, item]).star()])
}

/// Replaces an expression by its minimal automaton. A part that is repeated then costs less, and an intersection is
/// computed once.
pub(super) fn compiled(expr: &Expr) -> Expr {
    let dfa = pass::automaton(expr, StateBudget::of(STATE_LIMIT))
        .expect("a part of a format is smaller than the format");
    Expr::Regular(Arc::new(dfa))
}
