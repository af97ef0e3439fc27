//! Sets of null, the booleans, numbers and strings, and what is known of them.

use std::rc::Rc;

use rustc_hash::FxBuildHasher;

use super::memo::{ByFormula, BySubject};
use crate::algebra::logic::subject::Scalar;
use crate::values::numbers::NumeralSet;
use crate::values::strings::StringSet;

/// A set of the constants null, false and true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constants(u8);

impl Constants {
    /// The empty set.
    pub(crate) const NONE: Self = Self(0);
    /// `null`.
    pub(crate) const NULL: Self = Self(1);
    /// `false`.
    pub(crate) const NO: Self = Self(2);
    /// `true`.
    pub(crate) const YES: Self = Self(4);
    /// All three.
    pub(crate) const ALL: Self = Self(7);

    /// Whether a constant is in the set.
    pub(crate) fn has(self, constant: Self) -> bool {
        self.0 & constant.0 != 0
    }

    /// The constants in both sets.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The constants in either set.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The constants that are not in the set.
    pub(crate) fn not(self) -> Self {
        Self(Self::ALL.0 & !self.0)
    }
}

/// Sets of scalars that are known already.
#[derive(Debug)]
pub(crate) struct ScalarMemo {
    pub(crate) constants: BySubject<Constants>,
    pub(crate) numbers: BySubject<NumeralSet>,
    pub(crate) strings: BySubject<StringSet>,
    pub(crate) by_formula: ByFormula<Rc<Scalars>>,
}

impl ScalarMemo {
    /// An empty memo with capacity for the subjects.
    pub(crate) fn with_capacity(subjects: usize) -> Self {
        Self {
            constants: BySubject::with_capacity(subjects),
            numbers: BySubject::with_capacity(subjects),
            strings: BySubject::with_capacity(subjects),
            by_formula: ByFormula::with_capacity_and_hasher(subjects, FxBuildHasher),
        }
    }
}

/// The scalars that a formula holds for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scalars {
    /// `null`.
    pub(crate) null: bool,
    /// `false`.
    pub(crate) no: bool,
    /// `true`.
    pub(crate) yes: bool,
    /// Numbers.
    pub(crate) numbers: NumeralSet,
    /// Strings.
    pub(crate) strings: StringSet,
}

impl Scalars {
    /// Whether there are none.
    pub(crate) fn is_none(&self) -> bool {
        !self.null && !self.no && !self.yes && self.numbers.is_none() && self.strings.is_none()
    }

    /// All of them, where they are at most so many.
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
