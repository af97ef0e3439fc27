//! The texts of numbers that only their type constrains: every text that JSON allows, within the limits on digits.

use crate::ir::{ByteSet, Expr};

use super::options::DigitLimits;

fn digits(min: u32, max: u32) -> Expr {
    Expr::Bytes(ByteSet::range(b'0', b'9')).repeat(min, Some(max))
}

/// `-?(0|[1-9][0-9]*)` within the limit.
pub(crate) fn integer(limits: DigitLimits) -> Expr {
    let leading = Expr::Bytes(ByteSet::range(b'1', b'9'));
    Expr::seq([
        Expr::byte(b'-').optional(),
        Expr::alt([
            Expr::byte(b'0'),
            Expr::seq([leading, digits(0, limits.integer.saturating_sub(1))]),
        ]),
    ])
}

/// The digits behind a point in canonical form: at most so many, one at least, and no zero at the end.
pub(crate) fn fraction(most: u32) -> Expr {
    let last = Expr::Bytes(ByteSet::range(b'1', b'9'));
    Expr::seq([digits(0, most.saturating_sub(1)), last])
}

/// An integer with an optional fraction and exponent, each within its limit.
pub(crate) fn number(limits: DigitLimits) -> Expr {
    let part = |lead: Expr, limit: u32| match limit {
        0 => Expr::Empty,
        limit => Expr::seq([lead, digits(1, limit)]).optional(),
    };
    let exponent = Expr::seq([
        Expr::Bytes([b'e', b'E'].into_iter().collect()),
        Expr::Bytes([b'+', b'-'].into_iter().collect()).optional(),
    ]);
    Expr::seq([
        integer(limits),
        part(Expr::byte(b'.'), limits.fraction),
        part(exponent, limits.exponent),
    ])
}
