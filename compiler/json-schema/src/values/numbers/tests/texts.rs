//! Texts of sets of numbers: every accepted text denotes a member, and the promised texts of a member are accepted.

use proptest::prelude::*;

use super::oracle::{Exact, Formula, LIMIT, formula, near, within};
use crate::options::NumberForm;
use crate::options::{DigitLimits, TextForm};
use crate::text_form::prelude::Prelude;
use crate::values::numbers::{Decimal, NumberSet, NumeralSet, Pieces};
use crate::values::pieces::Piece;
use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::ir::recognize::recognizes;
use grammarc_grammar::ir::{Expr, Grammar, GrammarBuilder, Origin};

pub(super) const WIDE: DigitLimits = DigitLimits { integer: 64, fraction: 64, exponent: 4 };

struct Shared {
    prelude: Prelude,
    builder: GrammarBuilder,
}

impl Pieces for Shared {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(&mut self.builder, piece)
    }
}

pub(super) fn grammar(set: &NumeralSet, form: NumberForm, digits: DigitLimits) -> Grammar {
    grammar_within(set, form, digits, 200_000).expect("within the limit")
}

fn grammar_within(
    set: &NumeralSet,
    form: NumberForm,
    digits: DigitLimits,
    states: usize,
) -> Result<Grammar, StateLimit> {
    let text = TextForm { digits, numbers: form, ..TextForm::default() };
    let mut shared = Shared { prelude: Prelude::new(text), builder: GrammarBuilder::new() };
    let root = shared.builder.declare("root");
    let expr = set.text(form, digits, StateBudget::of(states), &mut shared)?;
    shared.builder.define(root, expr, Origin::default());
    Ok(shared.builder.finish(root))
}

/// Generates a formula, and `count` numbers near the constants in it.
fn situation(count: usize) -> impl Strategy<Value = (Formula, Vec<Exact>)> {
    formula().prop_flat_map(move |formula| {
        let values = prop::collection::vec(near(&formula), count);
        (Just(formula), values)
    })
}

/// How a number is written: the exponent, zeros at the end, capital `E`, plus sign, and zeros before the exponent.
/// Without an exponent, the mantissa has one digit before the point.
pub(super) type Spelling = (Option<i32>, usize, bool, bool, usize);

pub(super) fn spelling() -> impl Strategy<Value = Spelling> {
    let exponent = prop_oneof![2 => (-3i32..=3).prop_map(Some), 1 => (-40i32..=40).prop_map(Some), 3 => Just(None)];
    (exponent, 0usize..3, any::<bool>(), any::<bool>(), 0usize..5)
}

/// Returns the text of a number in a given spelling. An exponent of zero is left out unless the `E` is a capital.
pub(super) fn spell(value: &Exact, (exponent, zeros, large, plus, lead): Spelling) -> String {
    let exponent = exponent.unwrap_or_else(|| scientific(value));
    let moved = Decimal::parse(&format!("{}e{}", value.decimal().text(), -exponent)).expect("few");
    let mut text = moved.text();
    if zeros > 0 {
        text.push_str(if text.contains('.') { "" } else { "." });
        text.extend(std::iter::repeat_n('0', zeros));
    }
    if exponent != 0 || large {
        text.push(if large { 'E' } else { 'e' });
        text.push_str(if exponent < 0 {
            "-"
        } else if plus {
            "+"
        } else {
            ""
        });
        text.extend(std::iter::repeat_n('0', lead));
        text.push_str(&exponent.unsigned_abs().to_string());
    }
    text
}

/// Returns the exponent that leaves one nonzero digit before the point.
fn scientific(value: &Exact) -> i32 {
    let text = value.decimal().magnitude().text();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    match fraction.bytes().position(|digit| digit != b'0') {
        Some(zeros) if whole == "0" => -(zeros as i32) - 1,
        _ => whole.len() as i32 - 1,
    }
}

/// Returns whether each part of a text has at most as many digits as `digits` allows.
fn is_within(text: &str, digits: DigitLimits) -> bool {
    let text = text.trim_start_matches('-');
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    whole.len() <= digits.integer as usize && fraction.len() <= digits.fraction as usize && {
        let exponent = exponent.trim_start_matches(['+', '-']);
        let says = exponent.trim_start_matches('0').len().max(1).min(exponent.len());
        says.max(exponent.len() - says) <= digits.exponent as usize
    }
}

/// Returns whether the texts of a set must have exponents.
pub(super) fn is_small(set: &NumberSet) -> Result<bool, StateLimit> {
    Ok(set.dfa(LIMIT)?.states.len() <= 96)
}

/// Returns whether a text of a member must be accepted. `small` says whether the set is small enough for exponents.
pub(super) fn is_promised(value: &Exact, spelling: Spelling, small: bool) -> bool {
    let near = match spelling {
        (Some(exponent), ..) => exponent.abs() <= 3,
        (None, ..) => scientific(value).abs() <= 22,
    };
    let text = spell(value, spelling);
    near && is_within(&text, WIDE) && (small || !text.contains(['e', 'E']))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn canonical_texts((formula, values) in situation(12), spelling in spelling()) {
        let set = within(formula.set())?;
        let grammar = grammar(&set.clone().into(), NumberForm::Canonical, WIDE);
        for value in &values {
            let text = value.decimal().text();
            prop_assert_eq!(recognizes(&grammar, text.as_bytes()), formula.holds(value), "{}", text);
            let other = spell(value, spelling);
            if other != text {
                prop_assert!(!recognizes(&grammar, other.as_bytes()), "{}", other);
            }
        }
    }

    #[test]
    fn any_text((formula, values) in situation(12), spellings in prop::collection::vec(spelling(), 4)) {
        let set = within(formula.set())?;
        let small = within(is_small(&set))?;
        let [any, natural] =
            [NumberForm::Any, NumberForm::Natural].map(|form| grammar(&set.clone().into(), form, WIDE));
        let integers = set.is_subset(&NumberSet::integers());
        for value in &values {
            let member = formula.holds(value);
            for &spelling in &spellings {
                let text = spell(value, spelling);
                let accepted = recognizes(&any, text.as_bytes());
                prop_assert!(member || !accepted, "accepted {}", text);
                let promised = is_promised(value, spelling, small);
                prop_assert!(!member || accepted || !promised, "refused {}", text);
                let expected = if integers { member && text == value.decimal().text() } else { accepted };
                prop_assert_eq!(recognizes(&natural, text.as_bytes()), expected, "{}", text);
            }
        }
    }

    /// After a zero at the end of a fraction, one more zero changes nothing.
    #[test]
    fn zeros_at_the_end_change_nothing((formula, values) in situation(12), spellings in prop::collection::vec(spelling(), 4)) {
        let set = within(formula.set())?;
        let grammar = grammar(&set.clone().into(), NumberForm::Natural, WIDE);
        for value in &values {
            for &(exponent, zeros, large, plus, lead) in &spellings {
                let shorter = spell(value, (exponent, zeros.max(1), large, plus, lead));
                let longer = spell(value, (exponent, zeros.max(1) + 1, large, plus, lead));
                let [shorter, longer] = [shorter, longer].map(|text| recognizes(&grammar, text.as_bytes()));
                prop_assert_eq!(shorter, longer);
            }
        }
    }

    #[test]
    fn few_digits((formula, values) in situation(12), integer in 1u32..5, fraction in 0u32..4) {
        let set = within(formula.set())?;
        let digits = DigitLimits { integer, fraction, exponent: 2 };
        for form in [NumberForm::Canonical, NumberForm::Natural, NumberForm::Any] {
            let grammar = grammar(&set.clone().into(), form, digits);
            for value in &values {
                let text = value.decimal().text();
                let accepted = recognizes(&grammar, text.as_bytes());
                prop_assert!(formula.holds(value) || !accepted, "accepted {}", text);
                let promised = is_within(&text, digits);
                prop_assert!(!formula.holds(value) || accepted || !promised, "refused {}", text);
            }
        }
    }

    #[test]
    fn what_is_no_number_is_refused(formula in formula(), texts in prop::collection::vec("-?[-+.eE0125]{1,6}", 40)) {
        let set = within(formula.set())?;
        for form in [NumberForm::Canonical, NumberForm::Natural, NumberForm::Any] {
            let grammar = grammar(&set.clone().into(), form, WIDE);
            for text in &texts {
                let member = Decimal::parse(text).is_ok_and(|value| set.contains(&value));
                prop_assert!(member || !recognizes(&grammar, text.as_bytes()), "{}", text);
            }
        }
    }
}

/// Returns the number of states in the expression of a set's texts: of its graph or its automaton. A shared rule has
/// none.
fn states(set: &NumberSet, form: NumberForm) -> usize {
    let grammar = grammar(&set.clone().into(), form, WIDE);
    match &grammar.rule(grammar.start).expr {
        Expr::Graph(graph) => graph.states() as usize,
        Expr::Regular(dfa) => dfa.states.len(),
        _ => 0,
    }
}

#[test]
fn states_of_usual_sets() {
    let decimal = |text: &str| Decimal::parse(text).expect(text);
    let at_least = |text: &str| NumberSet::at_least(&decimal(text), false);
    let at_most = |text: &str| NumberSet::at_most(&decimal(text), false);
    let and = |a: &NumberSet, b: &NumberSet| a.intersect(b, LIMIT).expect("few states");
    let multiple = |text: &str| NumberSet::multiple_of(&decimal(text)).expect(text);
    let int = NumberSet::integers();
    let int_within = |low, high| and(&int, &and(&at_least(low), &at_most(high)));
    let cents = multiple("0.01");
    let price = and(&cents, &and(&at_least("0"), &at_most("99999999999.99")));
    // Name, set, and the most states in canonical form and in any form.
    let sets = [
        ("any number", NumberSet::all(), 0, 0),
        ("integer", int.clone(), 0, 0),
        ("minimum 0", at_least("0"), 10, 25),
        ("integer, minimum 1", and(&int, &at_least("1")), 10, 820),
        ("0 to 100", and(&at_least("0"), &at_most("100")), 10, 120),
        ("integer, 0 to 100", int_within("0", "100"), 10, 150),
        ("64 bits", int_within("-9223372036854775808", "9223372036854775807"), 60, 970),
        ("minimum 1e-5", at_least("1e-5"), 20, 95),
        ("maximum 99999999999.99", at_most("99999999999.99"), 40, 200),
        ("cents", cents, 15, 760),
        ("a price", price, 20, 415),
        ("multiples of 2.5", multiple("2.5"), 200, 1000),
        ("multiples of 7", multiple("7"), 460, 1360),
        ("multiples of 97", multiple("97"), 110, 110),
        ("one value", NumberSet::literal(&decimal("19.99")), 10, 70),
    ];
    for (name, set, canonical, any) in sets {
        let (own, wide) = (states(&set, NumberForm::Canonical), states(&set, NumberForm::Any));
        assert!(own <= canonical && wide <= any, "{name}: {own}, {wide}");
    }
}

/// If the automaton has too many states, a finite set is a list of canonical texts, and any other set is refused.
#[test]
fn many_numbers_are_listed() {
    let decimal = |text: &str| Decimal::parse(text).expect(text);
    let multiple = NumberSet::multiple_of(&decimal("99.99")).expect("few digits");
    let range = NumberSet::at_least(&decimal("-1e6"), false)
        .intersect(&NumberSet::at_most(&decimal("1e6"), false), LIMIT)
        .and_then(|range| range.intersect(&multiple, LIMIT))
        .expect("one divisor");
    for form in [NumberForm::Canonical, NumberForm::Natural, NumberForm::Any] {
        let grammar =
            grammar_within(&range.clone().into(), form, WIDE, 1_000).expect("20,003 numbers");
        for (text, accepted) in
            [("999900", true), ("-99.99", true), ("0", true), ("99.98", false), ("1999800", false)]
        {
            assert_eq!(recognizes(&grammar, text.as_bytes()), accepted, "{text}");
        }
        assert!(grammar_within(&multiple.clone().into(), form, WIDE, 1_000).is_err());
    }
}

#[test]
fn limits_hold_where_no_keyword_bounds_the_digits() {
    let decimal = |text: &str| Decimal::parse(text).expect(text);
    let digits = DigitLimits { integer: 4, fraction: 2, exponent: 2 };
    let least = NumberSet::at_least(&decimal("0"), false);
    let thirds = NumberSet::multiple_of(&decimal("3")).expect("few states");
    let long = NumberSet::literal(&decimal("1e20"));
    let narrow = NumberSet::at_least(&decimal("0.00001"), false)
        .intersect(&NumberSet::at_most(&decimal("0.00002"), false), LIMIT)
        .expect("few states");
    let cases = [
        (&least, "9999.99", true),
        (&least, "99999", false),
        (&least, "0.001", false),
        (&thirds, "9999", true),
        (&thirds, "99999", false),
        (&long, "100000000000000000000", true),
        (&narrow, "0.00001", true),
        (&narrow, "0.000015", false),
        (&narrow, "0.00002", true),
    ];
    for (set, text, accepted) in cases {
        let grammar = grammar(&set.clone().into(), NumberForm::Canonical, digits);
        assert_eq!(recognizes(&grammar, text.as_bytes()), accepted, "{text}");
    }
}

#[test]
fn what_programs_write() {
    let decimal = |text: &str| Decimal::parse(text).expect(text);
    let least = |text: &str| NumberSet::at_least(&decimal(text), false);
    let within = least("-5").intersect(&NumberSet::at_most(&decimal("1e300"), false), LIMIT);
    let cases = [
        (
            NumberSet::integers(),
            &["1.0", "1e2", "1E+2", "-0", "1e+308", "1.5e+16", "1.0E10", "10e-1", "1.500000e+0001"]
                [..],
        ),
        (
            least("1"),
            &["1e-00000", "1e+00001", "1e+100", "1.7976931348623157e+308", "15e-1", "1.50"],
        ),
        (within.expect("few states"), &["5e-324", "1e-07", "-4.5", "1e+22", "1.0E-5", "-0.0"]),
    ];
    for (set, texts) in cases {
        let grammar = grammar(&set.clone().into(), NumberForm::Any, WIDE);
        for text in texts {
            assert!(recognizes(&grammar, text.as_bytes()), "{text}");
        }
    }
}
