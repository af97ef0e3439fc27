//! The value of `multipleOf`: a positive number whose multiples are counted and found.
//!
//! Factors two and five are kept apart from the rest. So powers of ten cost nothing, and least common multiples of
//! numbers with many zeros stay small.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;

use super::decimal::Decimal;

/// Most bits of a divisor without its factors two and five, about 300 digits. [`Divisor::of`] returns `None` beyond.
const MOST_BITS: u64 = 1024;

/// The number two to the power `twos`, times five to the power `fives`, times `rest`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Divisor {
    /// The integer without factors two and five.
    rest: BigUint,
    /// The power of two, which may be negative.
    twos: i32,
    /// The power of five, which may be negative.
    fives: i32,
}

impl Decimal {
    /// Returns whether another number is a multiple of this one, which must not be zero.
    pub(crate) fn divides(&self, number: &Self) -> bool {
        Divisor::of(self).is_some_and(|divisor| divisor.divides(number))
    }
}

impl Divisor {
    /// Returns the magnitude of a number as a divisor. Returns `None` for zero, and for a number of more than
    /// [`MOST_BITS`] bits without its factors two and five.
    pub(super) fn of(number: &Decimal) -> Option<Self> {
        let (units, exponent) = number.units();
        let mut rest = units.into_parts().1;
        let twos = rest.trailing_zeros()?;
        rest >>= twos;
        let (five, mut fives) = (BigUint::from(5u32), 0);
        loop {
            let (quotient, remainder) = rest.div_rem(&five);
            if remainder != BigUint::ZERO {
                break;
            }
            (rest, fives) = (quotient, fives + 1);
        }
        let is_short = rest.bits() <= MOST_BITS;
        is_short.then(|| Self { rest, twos: exponent + twos as i32, fives: exponent + fives })
    }

    /// Returns the divisor without its factors two and five.
    pub(super) fn rest(&self) -> &BigUint {
        &self.rest
    }

    /// Returns the least number that is a multiple of both divisors.
    pub(super) fn lcm(&self, other: &Self) -> Self {
        Self {
            rest: self.rest.lcm(&other.rest),
            twos: self.twos.max(other.twos),
            fives: self.fives.max(other.fives),
        }
    }

    /// Returns the number as a decimal.
    pub(super) fn decimal(&self) -> Decimal {
        self.times(&BigInt::from(1))
    }

    /// Returns the number times ten to the power `power`.
    pub(super) fn moved(&self, power: i32) -> Self {
        Self { twos: self.twos + power, fives: self.fives + power, ..self.clone() }
    }

    /// Returns whether the number is a multiple of another.
    pub(super) fn is_multiple_of(&self, other: &Self) -> bool {
        self.twos >= other.twos
            && self.fives >= other.fives
            && self.rest.is_multiple_of(&other.rest)
    }

    /// Returns whether another number is a multiple of this one.
    pub(super) fn divides(&self, number: &Decimal) -> bool {
        let (numerator, denominator) = self.fraction(number);
        numerator.is_multiple_of(&denominator)
    }

    /// Returns how many multiples are greater than `low` and less than `high`.
    pub(super) fn multiples_between(&self, low: &Decimal, high: &Decimal) -> BigInt {
        let count: BigInt = self.ceiling(high) - self.floor(low) - 1;
        count.max(BigInt::ZERO)
    }

    /// Returns the multiples that are greater than `low` and less than `high`, in ascending order.
    pub(super) fn multiples(&self, low: &Decimal, high: &Decimal) -> impl Iterator<Item = Decimal> {
        let (mut next, end) = (self.floor(low) + 1, self.ceiling(high));
        std::iter::from_fn(move || {
            let number = (next < end).then(|| self.times(&next))?;
            next += 1;
            Some(number)
        })
    }

    /// Returns the greatest multiple that is less than a number.
    pub(super) fn multiple_below(&self, number: &Decimal) -> Decimal {
        self.times(&(self.ceiling(number) - 1))
    }

    /// Returns the greatest integer `n` for which `n` times the divisor does not exceed a number.
    fn floor(&self, number: &Decimal) -> BigInt {
        let (numerator, denominator) = self.fraction(number);
        numerator.div_floor(&denominator)
    }

    /// Returns the least integer `n` for which `n` times the divisor is at least a number.
    fn ceiling(&self, number: &Decimal) -> BigInt {
        let (numerator, denominator) = self.fraction(number);
        numerator.div_ceil(&denominator)
    }

    /// Returns the quotient of a number and the divisor as a fraction with a positive denominator.
    fn fraction(&self, number: &Decimal) -> (BigInt, BigInt) {
        let (mut numerator, exponent) = number.units();
        let mut denominator = BigInt::from_biguint(Sign::Plus, self.rest.clone());
        for (base, power) in [(2u32, exponent - self.twos), (5, exponent - self.fives)] {
            let side = if power > 0 { &mut numerator } else { &mut denominator };
            if power != 0 {
                *side *= BigInt::from(base).pow(power.unsigned_abs());
            }
        }
        (numerator, denominator)
    }

    /// Returns the divisor times an integer.
    fn times(&self, factor: &BigInt) -> Decimal {
        let exponent = self.twos.min(self.fives);
        let mut units = factor * BigInt::from_biguint(Sign::Plus, self.rest.clone());
        for (base, power) in [(2u32, self.twos), (5, self.fives)] {
            units *= BigInt::from(base).pow((power - exponent).unsigned_abs());
        }
        Decimal::from_units(&units, exponent)
    }
}
