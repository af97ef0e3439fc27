//! Membership, the relations between sets, and scaling.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::oracle::{Exact, LIMIT, formula, near, number, within};
use crate::values::numbers::{Decimal, NumberSet};
use grammarc_grammar::automata::StateBudget;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).expect(text)
}

fn multiple(text: &str) -> NumberSet {
    NumberSet::multiple_of(&decimal(text), LIMIT).expect(text)
}

fn between(low: &str, high: &str) -> NumberSet {
    let (low, high) = (decimal(low), decimal(high));
    NumberSet::at_least(&low, false)
        .intersect(&NumberSet::at_most(&high, false), LIMIT)
        .expect("few states")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn members((formula, values) in formula().prop_flat_map(|formula| {
        let values = prop::collection::vec(near(&formula), 40);
        (Just(formula), values)
    })) {
        let set = within(formula.set())?;
        let mut members = 0;
        for value in &values {
            prop_assert_eq!(set.contains(&value.decimal()), formula.holds(value), "{}", value.text());
            members += usize::from(formula.holds(value));
        }
        prop_assert!(!set.is_none() || members == 0);
        prop_assert!(!set.is_all() || members == values.len());
    }

    #[test]
    fn relations(a in formula(), b in formula()) {
        let (a, b) = (within(a.set())?, within(b.set())?);
        let both = within(a.intersect(&b, LIMIT))?;
        let either = within(a.union(&b, LIMIT))?;
        let other = |set: &NumberSet| set.complement(StateBudget::of(usize::MAX)).expect("without a limit");
        prop_assert_eq!(a.disjoint(&b), both.is_none());
        prop_assert_eq!(a.is_subset(&b), both == a);
        prop_assert_eq!(a.is_subset(&b), either == b);
        prop_assert_eq!(other(&either), within(other(&a).intersect(&other(&b), LIMIT))?);
        prop_assert_eq!(other(&other(&a)), a.clone());
        prop_assert!(a.disjoint(&other(&a)));
        prop_assert!(within(a.union(&other(&a), LIMIT))?.is_all());
        for finite in [a, b, both].iter().filter_map(|set| Some((set, set.finite(50)?))) {
            prop_assert_eq!(&NumberSet::literals(&finite.1), finite.0);
            prop_assert!(finite.1.is_sorted());
        }
    }

    #[test]
    fn scaling((formula, values, power) in formula().prop_flat_map(|formula| {
        let values = prop::collection::vec(near(&formula), 20);
        (Just(formula), values, -4i32..=4)
    })) {
        let set = within(formula.set())?;
        let scaled = within(set.scaled(power, LIMIT))?;
        for value in &values {
            let moved = Decimal::parse(&value.text()).expect("few digits");
            let text = format!("{}e{power}", moved.text());
            prop_assert_eq!(scaled.contains(&decimal(&text)), formula.holds(value), "{}", text);
        }
        prop_assert_eq!(within(scaled.scaled(-power, LIMIT))?, set);
    }

    #[test]
    fn order_and_text(a in number(), b in number()) {
        let (own, their) = (a.decimal(), b.decimal());
        prop_assert_eq!(own.cmp(&their), a.compare(&b));
        prop_assert_eq!(own == their, a.compare(&b) == Ordering::Equal);
        prop_assert_eq!(Exact::parse(&own.text()).compare(&a), Ordering::Equal);
        prop_assert!(NumberSet::all().contains(&own));
    }
}

#[test]
fn equal_sets_are_equal_values() {
    assert_eq!(multiple("1"), NumberSet::integers());
    assert_eq!(multiple("-3.0"), multiple("3"));
    assert_eq!(
        between("-1", "1").intersect(&NumberSet::integers(), LIMIT).map(|set| {
            set.finite(9).map(|values| values.iter().map(Decimal::text).collect::<Vec<_>>())
        }),
        Ok(Some(vec!["-1".to_owned(), "0".to_owned(), "1".to_owned()]))
    );
    assert!(NumberSet::literals([]).is_none());
    assert_eq!(multiple("0"), NumberSet::literal(&decimal("0")));
    assert_eq!(NumberSet::integers().finite(1_000), None);
    assert_eq!(
        between("0", "1e40")
            .intersect(&multiple("1e38"), LIMIT)
            .map(|set| { set.finite(1_000).map(|values| values.len()) }),
        Ok(Some(101))
    );
}

#[test]
fn states_of_usual_sets() {
    let at_least = |text: &str| NumberSet::at_least(&decimal(text), false);
    let sets = [
        ("minimum 0", at_least("0"), 5),
        ("0 to 100", between("0", "100"), 10),
        ("minimum 1e-5", at_least("1e-5"), 10),
        ("64 bits", between("-9223372036854775808", "9223372036854775807"), 140),
        ("cents", multiple("0.01"), 9),
        ("thirds", multiple("3"), 6),
        ("a million", multiple("1000000"), 10),
        ("1024", multiple("1024"), 200),
        ("1e-8", multiple("1e-8"), 25),
        ("a long bound", at_least("1e9999"), 10_010),
    ];
    for (name, set, most) in sets {
        let states = set.dfa().states.len();
        assert!(states <= most, "{name}: {states}");
    }
}

#[test]
fn residues_have_a_budget() {
    for text in ["0.123456789", "123456789", "1.000000000000000000000000000001", "1e9999"] {
        assert!(NumberSet::multiple_of(&decimal(text), StateBudget::of(5_000)).is_err(), "{text}");
    }
}
