//! Sets of null, the booleans, numbers and strings, and their memo tables.

use std::rc::Rc;

use rustc_hash::FxBuildHasher;

use super::memo::{ByFormula, BySubject};
use crate::algebra::logic::subject::Scalar;
use crate::values::numbers::NumeralSet;
use crate::values::strings::StringSet;

/// A set of the constants `null`, `false` and `true`, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constants(u8);

impl Constants {
    /// The empty set of constants.
    pub(crate) const NONE: Self = Self(0);
    /// The set that contains only `null`.
    pub(crate) const NULL: Self = Self(1);
    /// The set that contains only `false`.
    pub(crate) const NO: Self = Self(2);
    /// The set that contains only `true`.
    pub(crate) const YES: Self = Self(4);
    /// The set of all three constants: `null`, `false` and `true`.
    pub(crate) const ALL: Self = Self(7);

    /// Returns whether the single constant `constant` is in the set.
    pub(crate) fn has(self, constant: Self) -> bool {
        self.0 & constant.0 != 0
    }

    /// Returns the constants (`null`, `false`, `true`) in both sets.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the constants in at least one of both sets.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the constants that are not in the set.
    pub(crate) fn not(self) -> Self {
        Self(Self::ALL.0 & !self.0)
    }
}

/// Memo tables of the scalars that satisfy conditions and formulas.
#[derive(Debug)]
pub(crate) struct ScalarMemo {
    /// Maps each condition on a value (schema, keyword or constant) to those of `null`, `false` and `true` that satisfy
    /// it.
    pub(crate) constants: BySubject<Constants>,
    /// Maps each condition on a value (schema, keyword or constant) to the numbers that satisfy it.
    pub(crate) numbers: BySubject<NumeralSet>,
    /// Maps each condition on a value (schema, keyword or constant) to the strings that satisfy it.
    pub(crate) strings: BySubject<StringSet>,
    /// Maps each formula over values to the null, booleans, numbers and strings that satisfy it.
    pub(crate) by_formula: ByFormula<Rc<Scalars>>,
}

impl ScalarMemo {
    /// Creates empty tables, each with capacity for the results of `subjects` conditions.
    pub(crate) fn with_capacity(subjects: usize) -> Self {
        Self {
            constants: BySubject::with_capacity(subjects),
            numbers: BySubject::with_capacity(subjects),
            strings: BySubject::with_capacity(subjects),
            by_formula: ByFormula::with_capacity_and_hasher(subjects, FxBuildHasher),
        }
    }
}

/// The null, booleans, numbers and strings that satisfy a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scalars {
    /// Whether `null` satisfies the formula.
    pub(crate) null: bool,
    /// Whether `false` satisfies the formula.
    pub(crate) no: bool,
    /// Whether `true` satisfies the formula.
    pub(crate) yes: bool,
    /// The numbers that satisfy the formula.
    pub(crate) numbers: NumeralSet,
    /// The strings that satisfy the formula.
    pub(crate) strings: StringSet,
}

impl Scalars {
    /// Returns whether no scalar satisfies the formula.
    pub(crate) fn is_none(&self) -> bool {
        !self.null && !self.no && !self.yes && self.numbers.is_none() && self.strings.is_none()
    }

    /// Returns all scalars of the set, or `None` if there are more than `limit`.
    pub(crate) fn finite(&self, limit: usize) -> Option<Vec<Scalar>> {
        let mut all = Vec::new();
        all.extend(self.null.then_some(Scalar::Null));
        all.extend(self.no.then_some(Scalar::Boolean(false)));
        all.extend(self.yes.then_some(Scalar::Boolean(true)));
        all.extend(self.numbers.finite(limit)?.into_iter().map(Scalar::Number));
        let strings = self.strings.finite(limit)?.into_iter();
        all.extend(strings.map(|text| Scalar::String(text.into())));
        (all.len() <= limit).then_some(all)
    }
}
