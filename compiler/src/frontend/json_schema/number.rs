//! Numbers: their canonical text as an expression, and exact comparison of decimal texts.

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

/// The value of a decimal text: two texts are equal as numbers where their `Decimal`s are equal. The exponent is a
/// decimal text itself, so a hostile `1e999999999999` costs its length and no more.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    digits: Box<str>,
    /// Power of ten of the last digit, clamped to ±2^62; 0 for zero.
    exponent: i64,
}

impl Decimal {
    /// Reads a JSON number.
    pub(crate) fn parse(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_end_matches('0');
        let dropped = all.len() - significant.len();
        let digits = significant.trim_start_matches('0');
        if digits.is_empty() {
            return Self { negative: false, digits: "".into(), exponent: 0 };
        }
        let limit = 1i64 << 62;
        let clamped = if exponent.starts_with('-') { -limit } else { limit };
        let exponent = exponent.parse::<i64>().unwrap_or(clamped).clamp(-limit, limit);
        let shift = dropped as i64 - fraction.len() as i64;
        Self { negative, digits: digits.into(), exponent: exponent + shift }
    }

    /// Whether the number has no fractional part.
    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The value, where it is a natural number; `u64::MAX` where it is larger than that.
    pub(crate) fn natural(&self) -> Option<u64> {
        if self.negative || !self.is_integer() {
            return None;
        }
        let base = self.digits.parse::<u64>();
        if self.digits.is_empty() {
            return Some(0);
        }
        let power = u32::try_from(self.exponent).ok().and_then(|power| 10u64.checked_pow(power));
        Some(
            base.ok()
                .zip(power)
                .and_then(|(base, power)| base.checked_mul(power))
                .unwrap_or(u64::MAX),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_compare_as_numbers() {
        let equal = [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0.5", "5E-1"),
            ("-0", "0.00e7"),
            ("120.50", "1.205e+2"),
            ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
        ];
        for (a, b) in equal {
            assert_eq!(Decimal::parse(a), Decimal::parse(b), "{a} {b}");
        }
        let different = [("1", "-1"), ("1", "1.0000000000000000000000001"), ("1e400", "1e401")];
        for (a, b) in different {
            assert_ne!(Decimal::parse(a), Decimal::parse(b), "{a} {b}");
        }
    }

    #[test]
    fn naturals() {
        let cases = [
            ("0", Some(0)),
            ("-0.0", Some(0)),
            ("12", Some(12)),
            ("1.2e1", Some(12)),
            ("1.5", None),
            ("-1", None),
            ("1e19", Some(10_000_000_000_000_000_000)),
            ("1e20", Some(u64::MAX)),
            ("1e99999999999999999999", Some(u64::MAX)),
            ("1e-99999999999999999999", None),
        ];
        for (text, natural) in cases {
            assert_eq!(Decimal::parse(text).natural(), natural, "{text}");
        }
    }
}
