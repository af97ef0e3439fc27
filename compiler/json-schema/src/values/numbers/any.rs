//! The texts of numbers constrained only by their type: all texts that JSON allows, within the limits on digits.

use grammarc_grammar::ir::{ByteSet, Expr};

use crate::options::DigitLimits;

/// Returns a grammar expression of `min` to `max` decimal digits.
fn digits(min: u32, max: u32) -> Expr {
    Expr::Bytes(ByteSet::range(b'0', b'9')).repeat(min, Some(max))
}

/// Returns the grammar expression of the digits before the point, at most `limits.integer` of them. The first is not
/// zero.
fn leading(limits: DigitLimits) -> Expr {
    let first = Expr::Bytes(ByteSet::range(b'1', b'9'));
    Expr::seq([first, digits(0, limits.integer.saturating_sub(1))])
}

/// Returns a grammar expression of the integers `0|-?[1-9][0-9]*` with at most `limits.integer` digits.
pub(crate) fn integer(limits: DigitLimits) -> Expr {
    let minus = Expr::byte(b'-').optional();
    Expr::alt([Expr::byte(b'0'), Expr::seq([minus, leading(limits)])])
}

/// Returns the grammar expression of the digits after the point in canonical form: between one and `most` digits, the
/// last of them not zero.
pub(crate) fn fraction(most: u32) -> Expr {
    let last = Expr::Bytes(ByteSet::range(b'1', b'9'));
    Expr::seq([digits(0, most.saturating_sub(1)), last])
}

/// Returns the grammar expression of the canonical texts of all numbers within the limits on digits. A canonical text
/// has no exponent, and no zero at the end of its fraction.
pub(crate) fn canonical(limits: DigitLimits) -> Expr {
    let (minus, zero) = (Expr::byte(b'-').optional(), Expr::byte(b'0'));
    let fraction = match limits.fraction {
        0 => Expr::Never,
        most => Expr::seq([Expr::byte(b'.'), fraction(most)]),
    };
    Expr::alt([
        zero.clone(),
        Expr::seq([minus.clone(), zero, fraction.clone()]),
        Expr::seq([minus, leading(limits), fraction.optional()]),
    ])
}

/// Returns the grammar expression of all JSON texts of numbers, with an optional fraction and exponent. Each part has
/// its limit on digits.
pub(crate) fn number(limits: DigitLimits) -> Expr {
    let whole = Expr::alt([Expr::byte(b'0'), leading(limits)]);
    let fraction = match limits.fraction {
        0 => Expr::Empty,
        most => Expr::seq([Expr::byte(b'.'), digits(1, most)]).optional(),
    };
    let exponent = match limits.exponent {
        0 => Expr::Empty,
        most => Expr::seq([
            Expr::Bytes([b'e', b'E'].into_iter().collect()),
            Expr::Bytes([b'+', b'-'].into_iter().collect()).optional(),
            exponent(most),
        ])
        .optional(),
    };
    Expr::seq([Expr::byte(b'-').optional(), whole, fraction, exponent])
}

/// Returns the grammar expression of the digits of an exponent: at most `most` leading zeros, and at most `most` digits
/// after them. `most` must not be zero.
fn exponent(most: u32) -> Expr {
    let zeros = Expr::byte(b'0').repeat(0, Some(most));
    let first = Expr::Bytes(ByteSet::range(b'1', b'9'));
    let digits = Expr::seq([first, digits(0, most - 1)]);
    Expr::seq([zeros, Expr::alt([Expr::byte(b'0'), digits])])
}
