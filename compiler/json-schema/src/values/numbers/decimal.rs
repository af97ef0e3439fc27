//! An exact decimal number of any size, read from the text of a JSON number.
//!
//! Equal numbers have equal `Decimal`s. The canonical text of a number (without an exponent) is as long as its exponent
//! requires. A number is rejected if that text would exceed [`MAX_DIGITS`]. So a hostile `1e1000000000` costs no more
//! than its own length.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// Most digits of a number in canonical text, before and after the point together. A longer number is an error.
pub(crate) const MAX_DIGITS: usize = 10_000;

/// The reason why a text is not accepted as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecimalError {
    /// The text is not a JSON number.
    #[error("not a JSON number")]
    Syntax,
    /// The number has more than [`MAX_DIGITS`] digits when written without an exponent.
    #[error("the number has more than {MAX_DIGITS} digits when written without an exponent")]
    TooManyDigits,
}

/// A decimal number: `digits` times ten to the power `exponent`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    /// Whether the number is below zero.
    negative: bool,
    /// The ASCII digits without leading and trailing zeros; empty for the number zero.
    digits: Box<[u8]>,
    /// The power of ten of the last digit; 0 for the number zero.
    exponent: i32,
}

impl Decimal {
    /// Returns the number 0.
    pub(crate) fn zero() -> Self {
        Self { negative: false, digits: Box::default(), exponent: 0 }
    }

    /// Returns the number 1.
    pub(crate) fn one() -> Self {
        Self { negative: false, digits: [b'1'].into(), exponent: 0 }
    }

    /// Returns the number with the opposite sign; zero stays zero.
    #[must_use]
    pub(crate) fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    /// Reads a JSON number. Takes time linear in the length of the text.
    ///
    /// # Errors
    ///
    /// [`DecimalError`] if the text is not a JSON number or the number has too many digits.
    pub(crate) fn parse(text: &str) -> Result<Self, DecimalError> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, self::exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
            Some(_) => return Err(DecimalError::Syntax),
            None => (mantissa, ""),
        };
        if !is_digits(whole) || (whole.len() > 1 && whole.starts_with('0')) {
            return Err(DecimalError::Syntax);
        }
        let all = [whole.as_bytes(), fraction.as_bytes()].concat();
        let Some(first) = all.iter().position(|&digit| digit != b'0') else {
            return Ok(Self::zero());
        };
        let past = all.iter().rposition(|&digit| digit != b'0').map_or(first, |last| last + 1);
        let digits: Box<[u8]> = all[first..past].into();
        let dropped = (all.len() - past) as i64 - fraction.len() as i64;
        let exponent = exponent.saturating_add(dropped);
        let length = digits.len() as i64;
        let written = match exponent {
            0.. => length.saturating_add(exponent),
            _ => length.max(exponent.saturating_neg()),
        };
        match i32::try_from(exponent) {
            Ok(exponent) if written <= MAX_DIGITS as i64 => Ok(Self { negative, digits, exponent }),
            _ => Err(DecimalError::TooManyDigits),
        }
    }

    /// Returns whether the number is below zero.
    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns whether the number is zero.
    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns whether the number has no fractional part.
    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Returns the value of a nonnegative integer, saturated at `u64::MAX`. Returns `None` for other numbers.
    pub(crate) fn natural(&self) -> Option<u64> {
        if self.negative || !self.is_integer() {
            return None;
        }
        let (whole, _) = self.parts();
        Some(whole.iter().fold(0u64, |value, &digit| {
            value.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
        }))
    }

    /// Returns the number without its sign.
    #[must_use]
    pub(crate) fn magnitude(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }

    /// Returns the digits without trailing zeros as an integer, and the power of ten of the last of them. The sign is
    /// dropped. Returns `None` if the integer exceeds 64 bits.
    pub(super) fn coefficient(&self) -> Option<(u64, i32)> {
        let value = self.digits.iter().try_fold(0u64, |value, &digit| {
            value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        });
        Some((value?, self.exponent))
    }

    /// Returns an integer and an exponent: the number is the integer times ten to the power of the exponent.
    pub(super) fn units(&self) -> (BigInt, i32) {
        let digits: Vec<u8> = self.digits.iter().map(|digit| digit - b'0').collect();
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        // Without digits the number is zero.
        (BigInt::from_radix_be(sign, &digits, 10).unwrap_or_default(), self.exponent)
    }

    /// Returns the number `units` times ten to the power `exponent`.
    pub(super) fn from_units(units: &BigInt, exponent: i32) -> Self {
        let (sign, mut digits) = units.to_radix_be(10);
        let Some(last) = digits.iter().rposition(|&digit| digit != 0) else { return Self::zero() };
        let dropped = digits.len() - last - 1;
        digits.truncate(last + 1);
        digits.iter_mut().for_each(|digit| *digit += b'0');
        let negative = sign == Sign::Minus;
        Self { negative, digits: digits.into(), exponent: exponent + dropped as i32 }
    }

    /// Returns the number times ten to the power `power`.
    #[must_use]
    pub(super) fn moved(&self, power: i32) -> Self {
        let exponent = if self.is_zero() { 0 } else { self.exponent + power };
        Self { exponent, ..self.clone() }
    }

    /// Returns the exponent of the number in scientific notation, which has one nonzero digit before the point. It is 2
    /// for 123, or 1.23e2. Returns `None` for zero.
    pub(super) fn scientific(&self) -> Option<i32> {
        (!self.is_zero()).then(|| self.digits.len() as i32 + self.exponent - 1)
    }

    /// Returns the number of digits in the canonical text. The zero before the point of 0.5 does not count.
    pub(crate) fn written(&self) -> usize {
        let length = self.digits.len() as i32;
        let digits =
            if self.exponent < 0 { length.max(-self.exponent) } else { length + self.exponent };
        digits as usize
    }

    /// Returns the ASCII digits before and after the point in the canonical text. There is at least one digit before
    /// the point, and none after it for an integer.
    pub(super) fn parts(&self) -> (Vec<u8>, Vec<u8>) {
        let length = self.digits.len() as i32;
        let point = length + self.exponent;
        let mut whole = Vec::new();
        let mut fraction = Vec::new();
        if point <= 0 {
            whole.push(b'0');
            if length > 0 {
                fraction.resize(point.unsigned_abs() as usize, b'0');
                fraction.extend_from_slice(&self.digits);
            }
        } else if point >= length {
            whole.extend_from_slice(&self.digits);
            whole.resize(point as usize, b'0');
        } else {
            let (before, after) = self.digits.split_at(point as usize);
            whole.extend_from_slice(before);
            fraction.extend_from_slice(after);
        }
        (whole, fraction)
    }

    /// Returns the canonical text: without an exponent, leading zeros, or zeros at the end of a fraction.
    pub(crate) fn text(&self) -> String {
        let (whole, fraction) = self.parts();
        let digits = |digits: Vec<u8>| digits.into_iter().map(char::from);
        let mut text = String::from(if self.negative { "-" } else { "" });
        text.extend(digits(whole));
        if !fraction.is_empty() {
            text.push('.');
            text.extend(digits(fraction));
        }
        text
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.is_zero(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        // If the first digits of two numbers have equal powers of ten, the digits compare as texts.
        let top = |number: &Self| number.digits.len() as i32 + number.exponent;
        let magnitude = || top(self).cmp(&top(other)).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then_with(|| match self.negative {
            true => magnitude().reverse(),
            false => magnitude(),
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns whether a text is one or more ASCII digits.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads the text of an exponent: an optional sign and digits. The result is clamped to 2^40 and its negative, far
/// beyond the exponents of accepted numbers.
fn exponent(text: &str) -> Result<i64, DecimalError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !is_digits(digits) {
        return Err(DecimalError::Syntax);
    }
    let limit = 1i64 << 40;
    let value = digits.parse::<i64>().unwrap_or(limit).min(limit);
    Ok(if text.starts_with('-') { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn canonical_texts() {
        let cases = [
            ("0", "0"),
            ("-0.00e7", "0"),
            ("0e99999999999999999999", "0"),
            ("1.0", "1"),
            ("100", "100"),
            ("1E+2", "100"),
            ("-120.50", "-120.5"),
            ("15e-1", "1.5"),
            ("0.001", "0.001"),
            ("1e-5", "0.00001"),
            ("12.5e1", "125"),
            ("123456789012345678901234567890.5e-30", "0.1234567890123456789012345678905"),
        ];
        for (text, canonical) in cases {
            assert_eq!(decimal(text).text(), canonical, "{text}");
        }
    }

    #[test]
    fn what_is_no_number() {
        for text in ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "1.e5", "0x1", "1 ", "1e5.0"] {
            assert_eq!(Decimal::parse(text), Err(DecimalError::Syntax), "{text:?}");
        }
        for text in ["1e10000", "1e1000000000", "-1e-10001", "1e99999999999999999999999"] {
            assert_eq!(Decimal::parse(text), Err(DecimalError::TooManyDigits), "{text}");
        }
        assert_eq!(decimal("1e9999").text().len(), MAX_DIGITS);
        assert_eq!(decimal("1e-10000").text().len(), MAX_DIGITS + 2);
    }

    #[test]
    fn order() {
        let ascending =
            ["-1e3", "-100.5", "-1", "-0.1", "0", "1e-7", "0.1", "0.11", "1", "9", "10"];
        let numbers: Vec<Decimal> = ascending.iter().map(|text| decimal(text)).collect();
        for (i, a) in numbers.iter().enumerate() {
            for (j, b) in numbers.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{} {}", ascending[i], ascending[j]);
            }
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
            ("1e999", Some(u64::MAX)),
        ];
        for (text, natural) in cases {
            assert_eq!(decimal(text).natural(), natural, "{text}");
        }
    }
}
