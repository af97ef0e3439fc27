//! Membership, the relations between sets, and scaling.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::oracle::{Exact, Formula, LIMIT, formula, near, number, within};
use crate::values::numbers::{Decimal, NumberSet};
use grammarc_grammar::automata::{StateBudget, minimize};

/// Divisors with common factors, large ones, and ones without a multiple near zero.
const DIVISORS: [&str; 12] =
    ["6.75", "19", "9.5", "2.125", "0.125", "3", "7", "11", "13.5", "0.375", "1234567", "1e40"];

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).expect(text)
}

fn multiple(text: &str) -> NumberSet {
    NumberSet::multiple_of(&decimal(text)).expect(text)
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
        let dfa = within(set.dfa(LIMIT))?;
        prop_assert_eq!(minimize(&dfa), dfa.clone());
        let mut members = 0;
        for value in &values {
            let text = value.decimal().text();
            prop_assert_eq!(set.contains(&value.decimal()), formula.holds(value), "{}", text);
            prop_assert_eq!(dfa.accepts(text.as_bytes()), formula.holds(value), "{}", text);
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
        let other = NumberSet::complement;
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
        let scaled = set.scaled(power);
        for value in &values {
            let moved = Decimal::parse(&value.text()).expect("few digits");
            let text = format!("{}e{power}", moved.text());
            prop_assert_eq!(scaled.contains(&decimal(&text)), formula.holds(value), "{}", text);
        }
        prop_assert_eq!(scaled.scaled(-power), set);
    }

    /// Within bounds, divisors of any size take few states, and the members are those found by trial.
    #[test]
    fn bounds_come_first(
        low in -2_000i64..2_000,
        width in 0i64..3_000,
        divisors in prop::collection::vec((0..DIVISORS.len(), any::<bool>()), 1..6),
        integers in any::<bool>(),
    ) {
        let end = |units: i64, is_low: bool| match is_low {
            true => Formula::AtLeast(Exact::new(units, 0), false),
            false => Formula::AtMost(Exact::new(units, 0), true),
        };
        let both = |a, b| Formula::And(Box::new(a), Box::new(b));
        let mut formula = if integers { Formula::Integers } else { Formula::Multiple(Exact::parse("0.125")) };
        for (divisor, negated) in divisors {
            let multiple = Formula::Multiple(Exact::parse(DIVISORS[divisor]));
            formula = both(formula, if negated { Formula::Not(Box::new(multiple)) } else { multiple });
        }
        formula = both(both(formula, end(low, true)), end(low + width, false));
        let set = formula.set().expect("few divisors");
        let dfa = set.dfa(StateBudget::of(5_000)).expect("few numbers");
        let members = (low * 8..(low + width) * 8).map(|eighths| Exact::new(eighths * 125, -3));
        let members = members.filter(|value| formula.holds(value)).map(|value| value.decimal());
        let members: Vec<_> = members.collect();
        prop_assert!(members.iter().all(|member| dfa.accepts(member.text().as_bytes())));
        prop_assert_eq!(&NumberSet::literals(&members), &set);
        prop_assert_eq!(set.finite(members.len()), Some(members));
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
        let states = set.dfa(LIMIT).expect("few states").states.len();
        assert!(states <= most, "{name}: {states}");
    }
}

/// Several divisors are one: their least common multiple.
#[test]
fn divisors_multiply_once() {
    let all = ["6.75", "19", "9.5", "2.125"].map(multiple);
    let both = |a: NumberSet, b: &NumberSet| a.intersect(b, LIMIT).expect("one divisor");
    let set = all.iter().fold(NumberSet::all(), both);
    assert_eq!(set, multiple("8721"));
    assert_eq!(set.dfa(LIMIT).map(|dfa| dfa.states.len()), Ok(8_724));
    let integers = both(NumberSet::integers(), &multiple("0.123456789"));
    assert_eq!(integers, multiple("123456789"));
    let range = both(integers, &between("-1e12", "1e12"));
    assert_eq!(range.finite(20_000).map(|numbers| numbers.len()), Some(16_201));
}

#[test]
fn residues_have_a_budget() {
    for text in ["0.123456789", "123456789", "1.000000000000000000000000000001", "1e9999"] {
        assert!(multiple(text).dfa(StateBudget::of(5_000)).is_err(), "{text}");
    }
}
