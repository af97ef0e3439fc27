//! Sets of numerals: membership and texts of combinations of values and the plain integers of draft 4.

use proptest::prelude::*;

use super::oracle::{Exact, Formula, LIMIT, formula, near, within};
use super::texts::{WIDE, grammar, is_promised, is_small, spell, spelling};
use crate::options::NumberForm;
use crate::values::numbers::{NumberSet, NumeralSet};
use grammarc_grammar::automata::StateLimit;
use grammarc_grammar::ir::recognize::recognizes;

/// A set of numerals as a formula over sets of values and the plain integers.
#[derive(Clone, Debug)]
enum Written {
    Values(Formula),
    Plain,
    And(Box<Written>, Box<Written>),
    Or(Box<Written>, Box<Written>),
    Not(Box<Written>),
}

impl Written {
    fn holds(&self, value: &Exact, plain: bool) -> bool {
        match self {
            Self::Values(formula) => formula.holds(value),
            Self::Plain => plain,
            Self::And(a, b) => a.holds(value, plain) && b.holds(value, plain),
            Self::Or(a, b) => a.holds(value, plain) || b.holds(value, plain),
            Self::Not(a) => !a.holds(value, plain),
        }
    }

    fn set(&self) -> Result<NumeralSet, StateLimit> {
        Ok(match self {
            Self::Values(formula) => formula.set()?.into(),
            Self::Plain => NumeralSet::plain_integers(),
            Self::And(a, b) => a.set()?.intersect(&b.set()?, LIMIT)?,
            Self::Or(a, b) => a.set()?.union(&b.set()?, LIMIT)?,
            Self::Not(a) => a.set()?.complement(),
        })
    }

    /// Returns the first formula over values inside the formula, if there is one.
    fn values(&self) -> Option<&Formula> {
        match self {
            Self::Values(formula) => Some(formula),
            Self::Plain => None,
            Self::And(a, b) | Self::Or(a, b) => a.values().or_else(|| b.values()),
            Self::Not(a) => a.values(),
        }
    }
}

fn written() -> impl Strategy<Value = Written> {
    let atom = prop_oneof![formula().prop_map(Written::Values), Just(Written::Plain)];
    atom.prop_recursive(3, 6, 2, |inner| {
        let two = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            two().prop_map(|(a, b)| Written::And(a, b)),
            two().prop_map(|(a, b)| Written::Or(a, b)),
            inner.clone().prop_map(|a| Written::Not(Box::new(a))),
        ]
    })
}

/// Generates a formula, and numbers near the constants in it.
fn situation() -> impl Strategy<Value = (Written, Vec<Exact>)> {
    written().prop_flat_map(|written| {
        let near = near(written.values().unwrap_or(&Formula::Integers));
        (Just(written), prop::collection::vec(near, 12))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_text((written, values) in situation(), spellings in prop::collection::vec(spelling(), 5)) {
        let set = within(written.set())?;
        let small = within(is_small(set.plain()))? && within(is_small(set.pointed()))?;
        let grammar = grammar(&set, NumberForm::Any, WIDE);
        for value in &values {
            for &spelling in &spellings {
                let text = spell(value, spelling);
                let member = written.holds(value, !text.contains(['.', 'e', 'E']));
                let accepted = recognizes(&grammar, text.as_bytes());
                prop_assert!(member || !accepted, "accepted {}", text);
                let promised = is_promised(value, spelling, small);
                prop_assert!(!member || accepted || !promised, "refused {}", text);
                prop_assert!(!member || !set.is_none());
            }
        }
    }

    #[test]
    fn canonical_texts((written, values) in situation(), spelling in spelling()) {
        let whole = within(written.set())?;
        let set = within(whole.clone().canonical(LIMIT))?;
        let grammar = grammar(&set, NumberForm::Canonical, WIDE);
        for value in &values {
            let text = value.decimal().text();
            let member = written.holds(value, !text.contains('.'));
            prop_assert_eq!(recognizes(&grammar, text.as_bytes()), member, "{}", text);
            prop_assert!(!member || !set.is_none());
            let other = spell(value, spelling);
            let member = written.holds(value, !other.contains(['.', 'e', 'E']));
            prop_assert!(member || !recognizes(&grammar, other.as_bytes()), "{}", other);
        }
        // A number without a canonical text is removed, whether before or after an intersection.
        prop_assert_eq!(set.is_none(), set.plain().is_none());
        let twice = within(whole.intersect(&set, LIMIT))?;
        prop_assert_eq!(within(twice.canonical(LIMIT))?, set);
    }

    #[test]
    fn equal_sets_are_equal(a in written(), b in written()) {
        let (a, b) = (within(a.set())?, within(b.set())?);
        let not = NumeralSet::complement;
        prop_assert_eq!(&not(&not(&a)), &a);
        let neither = within(not(&a).intersect(&not(&b), LIMIT))?;
        prop_assert_eq!(not(&within(a.union(&b, LIMIT))?), neither);
        prop_assert!(within(a.union(&not(&a), LIMIT))?.is_all());
        prop_assert!(within(a.intersect(&not(&a), LIMIT))?.is_none());
    }
}

#[test]
fn members_are_numbers() {
    let decimal = |text: &str| text.parse::<i32>().map(|units| Exact::new(units, 0).decimal());
    let values = ["1", "2", "3"].map(|text| decimal(text).expect(text));
    let (low, high) = (NumberSet::literals(&values[..2]), NumberSet::literals(&values[1..]));
    let plain = NumeralSet::plain_integers();
    let pointed = plain.complement();
    let low = plain.intersect(&low.into(), LIMIT).expect("few states");
    let high = pointed.intersect(&high.into(), LIMIT).expect("few states");
    let both = low.union(&high, LIMIT).expect("few states");
    assert_eq!(both.finite(3).as_deref(), Some(&values[..]));
    assert_eq!(both.finite(2), None);
    assert_eq!(pointed.finite(10), None);
    assert!(low.intersect(&high, LIMIT).expect("few states").is_none());
}
