//! Exact decimal arithmetic on integers of any size, and sets of numbers as formulas that can be evaluated.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use proptest::prelude::*;

use crate::values::numbers::{Decimal, NumberSet};
use grammarc_grammar::automata::{StateBudget, StateLimit};

/// Most states of an automaton for a random set.
pub(super) const LIMIT: StateBudget<'static> = StateBudget::of(20_000);

/// Returns the result, or rejects the random case if it exceeds the limit on states.
pub(super) fn within<T>(result: Result<T, StateLimit>) -> Result<T, TestCaseError> {
    result.map_err(|limit| TestCaseError::reject(limit.to_string()))
}

/// A number: `units` times ten to the power `-places`.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    units: BigInt,
    places: u32,
}

impl Exact {
    pub(super) fn new(units: impl Into<BigInt>, exponent: i32) -> Self {
        let units = units.into();
        match exponent {
            0.. => Self { units: units * BigInt::from(10).pow(exponent as u32), places: 0 },
            _ => Self { units, places: exponent.unsigned_abs() },
        }
    }

    /// Reads the text of a JSON number with a small exponent.
    pub(super) fn parse(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let units: BigInt = format!("{whole}{fraction}").parse().expect(text);
        Self::new(units, exponent.parse::<i32>().expect(text) - fraction.len() as i32)
    }

    /// Returns a text of the number: the units and an exponent.
    pub(super) fn text(&self) -> String {
        format!("{}e-{}", self.units, self.places)
    }

    pub(super) fn decimal(&self) -> Decimal {
        Decimal::parse(&self.text()).expect("few digits")
    }

    /// Returns both numbers as multiples of the smaller of their units.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt) {
        let places = self.places.max(other.places);
        let units = |number: &Self| &number.units * BigInt::from(10).pow(places - number.places);
        (units(self), units(other))
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let (own, their) = self.aligned(other);
        own.cmp(&their)
    }

    pub(super) fn is_multiple_of(&self, divisor: &Self) -> bool {
        let (own, their) = self.aligned(divisor);
        match their.sign() {
            Sign::NoSign => own.sign() == Sign::NoSign,
            _ => (own % their).sign() == Sign::NoSign,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let (own, their) = self.aligned(other);
        Self { units: own + their, places: self.places.max(other.places) }
    }
}

/// A set of numbers as a formula.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    AtLeast(Exact, bool),
    AtMost(Exact, bool),
    Multiple(Exact),
    Integers,
    Literals(Vec<Exact>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Not(Box<Formula>),
}

impl Formula {
    pub(super) fn holds(&self, value: &Exact) -> bool {
        match self {
            Self::AtLeast(bound, exclusive) => match value.compare(bound) {
                Ordering::Equal => !exclusive,
                order => order == Ordering::Greater,
            },
            Self::AtMost(bound, exclusive) => match value.compare(bound) {
                Ordering::Equal => !exclusive,
                order => order == Ordering::Less,
            },
            Self::Multiple(divisor) => value.is_multiple_of(divisor),
            Self::Integers => value.is_multiple_of(&Exact::new(1, 0)),
            Self::Literals(values) => {
                values.iter().any(|literal| value.compare(literal) == Ordering::Equal)
            }
            Self::And(a, b) => a.holds(value) && b.holds(value),
            Self::Or(a, b) => a.holds(value) || b.holds(value),
            Self::Not(a) => !a.holds(value),
        }
    }

    pub(super) fn set(&self) -> Result<NumberSet, StateLimit> {
        Ok(match self {
            Self::AtLeast(bound, exclusive) => NumberSet::at_least(&bound.decimal(), *exclusive),
            Self::AtMost(bound, exclusive) => NumberSet::at_most(&bound.decimal(), *exclusive),
            Self::Multiple(divisor) => {
                NumberSet::multiple_of(&divisor.decimal()).expect("few digits")
            }
            Self::Integers => NumberSet::integers(),
            Self::Literals(values) => {
                let values: Vec<Decimal> = values.iter().map(Exact::decimal).collect();
                NumberSet::literals(&values)
            }
            Self::And(a, b) => a.set()?.intersect(&b.set()?, LIMIT)?,
            Self::Or(a, b) => a.set()?.union(&b.set()?, LIMIT)?,
            Self::Not(a) => a.set()?.complement(),
        })
    }

    /// Returns the constants in the formula.
    pub(super) fn constants(&self) -> Vec<Exact> {
        match self {
            Self::AtLeast(number, _) | Self::AtMost(number, _) | Self::Multiple(number) => {
                vec![number.clone()]
            }
            Self::Integers => Vec::new(),
            Self::Literals(values) => values.clone(),
            Self::And(a, b) | Self::Or(a, b) => [a.constants(), b.constants()].concat(),
            Self::Not(a) => a.constants(),
        }
    }
}

/// Generates numbers, many of which coincide, and some with many digits.
pub(super) fn number() -> impl Strategy<Value = Exact> {
    prop_oneof![
        6 => (-30i64..=30, -3i32..=2).prop_map(|(units, exponent)| Exact::new(units, exponent)),
        2 => (any::<i64>(), -12i32..=3).prop_map(|(units, exponent)| Exact::new(units, exponent)),
        1 => (any::<i128>(), -50i32..=5).prop_map(|(units, exponent)| Exact::new(units, exponent)),
    ]
}

/// Generates numbers, many of them near a constant of the formula or multiples of one.
pub(super) fn near(formula: &Formula) -> impl Strategy<Value = Exact> + use<> {
    let constants = formula.constants();
    let anchor = match constants.is_empty() {
        true => number().boxed(),
        false => prop::sample::select(constants).boxed(),
    };
    let step = (-2i64..=2, -5i32..=2).prop_map(|(units, exponent)| Exact::new(units, exponent));
    let close = (anchor.clone(), step).prop_map(|(anchor, step)| anchor.plus(&step));
    let multiple = (anchor, -40i64..40)
        .prop_map(|(anchor, times)| Exact { units: anchor.units * times, places: anchor.places });
    prop_oneof![2 => number(), 3 => close, 2 => multiple]
}

pub(super) fn formula() -> impl Strategy<Value = Formula> {
    let divisor = prop_oneof![
        prop::sample::select(vec!["1", "2", "3", "5", "7", "10", "12", "25", "100", "1024"]),
        prop::sample::select(vec![
            "0.1", "0.5", "2.5", "0.01", "0.03", "1e-8", "1e6", "3e3", "1.2"
        ]),
    ];
    let atom = prop_oneof![
        3 => (number(), any::<bool>()).prop_map(|(bound, open)| Formula::AtLeast(bound, open)),
        3 => (number(), any::<bool>()).prop_map(|(bound, open)| Formula::AtMost(bound, open)),
        2 => divisor.prop_map(|divisor| Formula::Multiple(Exact::parse(divisor))),
        1 => Just(Formula::Integers),
        1 => prop::collection::vec(number(), 0..4).prop_map(Formula::Literals),
    ];
    atom.prop_recursive(3, 8, 2, |inner| {
        let two = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            3 => two().prop_map(|(a, b)| Formula::And(a, b)),
            2 => two().prop_map(|(a, b)| Formula::Or(a, b)),
            1 => inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
        ]
    })
}
