//! Sets built by random operations, against the meaning of these operations on single strings.

use proptest::prelude::*;

use super::*;
use grammarc_grammar::automata::{Dfa, StateBudget, StateLimit, minimize};
use grammarc_grammar::budget::Budget;
use grammarc_patterns::ecma;

const LIMIT: StateBudget<'static> = StateBudget::of(100_000);

fn literals<'a>(texts: impl IntoIterator<Item = &'a str>) -> StringSet {
    StringSet::literals(texts, LIMIT).expect("there is no budget")
}

/// Patterns for sets, all over the letters that the strings have.
const PATTERNS: [&str; 14] = [
    "a",
    "^a",
    "b$",
    "^[ab]*$",
    "^(?:aa)*$",
    "^a[^b]*b$",
    "é|-",
    "^(?!ab)",
    r"^\w+$",
    "^a{2,70}$",
    "^[^-]{0,66}$",
    "^(?:a|b-)+$",
    "",
    "[]",
];

/// A set, as the operations that build it.
#[derive(Clone, Debug)]
pub(super) enum Recipe {
    Literals(Vec<String>),
    Lengths(u32, Option<u32>),
    Pattern(&'static str),
    And(Box<Recipe>, Box<Recipe>),
    Or(Box<Recipe>, Box<Recipe>),
    Minus(Box<Recipe>, Box<Recipe>),
    Not(Box<Recipe>),
}

impl Recipe {
    pub(super) fn set(&self) -> StringSet {
        let of = |a: &Self, b: &Self| (a.set(), b.set());
        match self {
            Self::Literals(texts) => literals(texts.iter().map(String::as_str)),
            Self::Lengths(min, max) => StringSet::lengths(*min, *max),
            Self::Pattern(text) => StringSet::pattern(text, LIMIT).expect("a small pattern"),
            Self::And(a, b) => {
                let (a, b) = of(a, b);
                a.intersect(&b, LIMIT).expect("small sets")
            }
            Self::Or(a, b) => {
                let (a, b) = of(a, b);
                a.union(&b, LIMIT).expect("small sets")
            }
            Self::Minus(a, b) => {
                let (a, b) = of(a, b);
                a.minus(&b, LIMIT).expect("small sets")
            }
            Self::Not(a) => a.set().complement(LIMIT).expect("a small set"),
        }
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        match self {
            Self::Literals(texts) => texts.iter().any(|literal| literal == text),
            Self::Lengths(min, max) => {
                let length = text.chars().count() as u32;
                *min <= length && max.is_none_or(|max| length <= max)
            }
            Self::Pattern(pattern) => {
                let regex = regress::Regex::with_flags(pattern, "u").expect("a pattern");
                regex.find(text).is_some()
            }
            Self::And(a, b) => a.contains(text) && b.contains(text),
            Self::Or(a, b) => a.contains(text) || b.contains(text),
            Self::Minus(a, b) => a.contains(text) && !b.contains(text),
            Self::Not(a) => !a.contains(text),
        }
    }
}

pub(super) fn any_string() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec!['a', 'b', 'é', '-', '\n', '"', '\u{1f}', '😀', '/']);
    let letter = prop_oneof![3 => prop::sample::select(vec!['a', 'b', '-']), 1 => letter];
    prop::collection::vec(letter, 0..6).prop_map(|letters| letters.into_iter().collect())
}

pub(super) fn any_recipe() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![
        prop::collection::vec(any_string(), 0..4).prop_map(Recipe::Literals),
        (0u32..5, prop::option::of(0u32..6)).prop_map(|(min, max)| Recipe::Lengths(min, max)),
        prop::sample::select(PATTERNS.to_vec()).prop_map(Recipe::Pattern),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let pair = (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Recipe::And(a, b)),
            pair.clone().prop_map(|(a, b)| Recipe::Or(a, b)),
            pair.prop_map(|(a, b)| Recipe::Minus(a, b)),
            inner.prop_map(|a| Recipe::Not(Box::new(a))),
        ]
    })
}

/// All strings of at most four of a few letters.
fn short_strings() -> Vec<String> {
    let mut strings = vec![String::new()];
    let mut from = 0;
    for _ in 0..4 {
        let to = strings.len();
        for at in from..to {
            for letter in ['a', 'b', 'é', '-'] {
                strings.push(format!("{}{letter}", strings[at]));
            }
        }
        from = to;
    }
    strings
}

fn equal(a: &StringSet, b: &StringSet) -> bool {
    a.is_subset(b, LIMIT) == Ok(true) && b.is_subset(a, LIMIT) == Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn operations_mean_what_they_say(
        recipe in any_recipe(),
        strings in prop::collection::vec(any_string(), 40),
    ) {
        let set = recipe.set();
        let mut some = false;
        let mut every = true;
        for string in strings.iter().chain(&short_strings()[..85]) {
            let inside = recipe.contains(string);
            (some, every) = (some || inside, every && inside);
            prop_assert_eq!(set.contains(string), inside, "{:?} in {:?}", string, set);
        }
        prop_assert!(!(some && set.is_none()));
        prop_assert!(every || !set.is_all());
        if let Some(members) = set.finite(200) {
            prop_assert!(members.iter().all(|member| recipe.contains(member)));
            prop_assert!(!strings.iter().any(|s| recipe.contains(s) && !members.contains(s)));
            let again = literals(members.iter().map(String::as_str));
            prop_assert!(equal(&again, &set), "{:?} and {:?}", again, set);
            prop_assert_eq!(set.is_none(), members.is_empty());
        }
    }

    #[test]
    fn laws_hold(a in any_recipe(), b in any_recipe()) {
        let (x, y) = (a.set(), b.set());
        let (not_x, not_y) = (x.complement(LIMIT).unwrap(), y.complement(LIMIT).unwrap());
        prop_assert!(equal(&not_x.complement(LIMIT).unwrap(), &x));
        let both = x.intersect(&y, LIMIT).unwrap();
        let neither = x.union(&y, LIMIT).unwrap().complement(LIMIT).unwrap();
        prop_assert!(equal(&neither, &not_x.intersect(&not_y, LIMIT).unwrap()));
        prop_assert_eq!(x.disjoint(&y, LIMIT).unwrap(), both.is_none());
        prop_assert_eq!(x.is_subset(&y, LIMIT).unwrap(), equal(&both, &x));
        prop_assert!(x.disjoint(&not_x, LIMIT).unwrap());
        for band in not_x.bands.iter().chain(x.bands.iter()) {
            prop_assert_eq!(&minimize(band.language.dfa()), band.language.dfa());
        }
        prop_assert!(x.union(&not_x, LIMIT).unwrap().is_all());
        prop_assert_eq!(x.is_all(), not_x.is_none());
        prop_assert_eq!(y.intersect(&x, LIMIT).unwrap(), both.clone());
        let parts = both.union(&x.minus(&y, LIMIT).unwrap(), LIMIT).unwrap();
        prop_assert!(equal(&parts, &x));
    }
}

#[test]
fn lengths_stay_numbers() {
    let word = StringSet::pattern("^[a-z][a-z0-9-]*$", LIMIT).unwrap();
    let bounded =
        word.intersect(&StringSet::lengths(3, Some(65_535)), StateBudget::of(100)).unwrap();
    assert_eq!(bounded.bands.len(), 1);
    assert_eq!((bounded.bands[0].min, bounded.bands[0].max), (3, Some(65_535)));
    assert_eq!(bounded.bands[0].language, word.bands[0].language);
    assert_eq!(bounded.unbounded(StateBudget::of(100)).unwrap(), word);
    let again =
        bounded.complement(StateBudget::of(100)).unwrap().complement(StateBudget::of(100)).unwrap();
    assert_eq!(again, bounded);
    let same = StringSet::pattern("^[a-z][a-z0-9-]{2,65534}$", StateBudget::of(100)).unwrap();
    assert_eq!(same, bounded);
}

#[test]
fn bounds_that_say_nothing_are_dropped() {
    let code = StringSet::pattern("^[A-Z]{2,3}$", LIMIT).unwrap();
    for (min, max) in [(0, Some(3)), (2, None), (1, Some(90))] {
        assert_eq!(code.intersect(&StringSet::lengths(min, max), LIMIT).unwrap(), code);
    }
    let two = code.intersect(&StringSet::lengths(0, Some(2)), LIMIT).unwrap();
    assert_eq!((two.bands[0].min, two.bands[0].max), (0, Some(2)));
    assert!(code.intersect(&StringSet::lengths(4, None), LIMIT).unwrap().is_none());
    // Only even lengths, of which there is none from 5 to 5.
    let even = StringSet::pattern("^(?:ab)*$", LIMIT).unwrap();
    assert!(even.intersect(&StringSet::lengths(5, Some(5)), LIMIT).unwrap().is_none());
    assert!(even.intersect(&StringSet::lengths(65_535, Some(65_535)), LIMIT).unwrap().is_none());
    assert!(!even.intersect(&StringSet::lengths(65_534, Some(65_535)), LIMIT).unwrap().is_none());
    let near = StringSet::lengths(u32::MAX - 1, Some(u32::MAX));
    assert!(!even.intersect(&near, LIMIT).unwrap().is_none());
    // A set whose bands differ only in length.
    let parts = StringSet::literal("ab").union(&StringSet::literal("a"), LIMIT).unwrap();
    assert_eq!(parts, literals(["a", "ab"]));
}

#[test]
fn finite_sets_list_their_members() {
    let set = literals(["b", "", "a", "ß", "b"]);
    assert_eq!(set.finite(4), Some(["", "a", "b", "ß"].map(str::to_owned).to_vec()));
    assert_eq!(set.finite(3), None);
    assert_eq!(StringSet::none().finite(0), Some(Vec::new()));
    assert_eq!(StringSet::all().finite(10), None);
    let bits = StringSet::pattern("^[01]*$", LIMIT).unwrap();
    assert_eq!(bits.finite(1_000), None);
    let bytes = bits.intersect(&StringSet::lengths(8, Some(8)), LIMIT).unwrap();
    assert_eq!(bytes.finite(256).map(|members| members.len()), Some(256));
    assert_eq!(bytes.finite(255), None);
    let long = "x".repeat(5_000);
    assert_eq!(StringSet::literal(&long).finite(1), Some(vec![long]));
}

#[test]
fn automata_are_cut_down_to_texts() {
    let any_bytes = grammarc_grammar::automata::complement(&Dfa::never(), LIMIT).unwrap();
    assert!(StringSet::format("test", any_bytes, LIMIT).unwrap().is_all());
    assert!(StringSet::format("test", Dfa::never(), LIMIT).unwrap().is_none());
    let digits = ecma::pattern_automaton("^[0-9]+$", LIMIT).unwrap();
    let set = StringSet::format("test", digits, LIMIT).unwrap();
    assert_eq!(set, StringSet::pattern("^[0-9]+$", LIMIT).unwrap());
}

#[test]
fn many_literals_take_linear_steps() {
    let texts: Vec<String> = (0..20_000u32).map(|i| format!("{:x}/key-{i}", i * 7919)).collect();
    let budget = Budget::new();
    let limit = StateBudget::new(usize::MAX, &budget);
    let set = StringSet::literals(texts.iter().map(String::as_str), limit).unwrap();
    let rest = set.complement(limit).unwrap();
    assert!(texts.iter().step_by(997).all(|text| set.contains(text) && !rest.contains(text)));
    let bytes: usize = texts.iter().map(String::len).sum();
    assert!(budget.steps() < 16 * bytes, "{} steps for {bytes} bytes", budget.steps());
    let states: usize = rest.bands.iter().map(|band| band.language.dfa().states.len()).sum();
    assert!(states < bytes, "{states} states for {bytes} bytes");
}

#[test]
fn literals_and_minimisation_agree() {
    let texts = ["", "a", "ab", "abc", "b", "bc", "x", "y", "z", "été", "été2"];
    let direct = literals::automaton(texts, LIMIT).unwrap();
    assert_eq!(direct, minimize(&direct));
    // All strings with some first bytes, and a part of the strings with other first bytes. The remainders are equal.
    let classes =
        ["^[\\ud000-\\ud7ff]$", "^[\\u{d000}-\\u{d7ff}\\u{4800}-\\u{4fff}]", "^[\\uc800-\\ucfff]$"];
    for text in classes {
        let rest = StringSet::pattern(text, LIMIT).unwrap().complement(LIMIT).unwrap();
        for band in rest.bands.iter() {
            assert_eq!(&minimize(band.language.dfa()), band.language.dfa(), "{text}");
        }
    }
}

#[test]
fn patterns_that_count_far_meet_others() {
    let words = StringSet::pattern(r"^(?:[a-z]+ ){0,199}[a-z]+$", LIMIT).unwrap();
    assert!(words.contains("ab c") && !words.contains("ab  c"));
    let named = StringSet::literals(["ab c", "AB", "x"], LIMIT).unwrap();
    let both = StringSet::literals(["ab c", "x"], LIMIT).unwrap();
    assert_eq!(words.intersect(&named, LIMIT).unwrap(), both);
    assert!(both.is_subset(&words, LIMIT).unwrap() && !named.is_subset(&words, LIMIT).unwrap());
    let short = StringSet::pattern("^[a-c ]{1,4}$", LIMIT).unwrap();
    let few = words.intersect(&short, LIMIT).unwrap();
    assert!(few.contains("a bc") && !few.contains("a  c") && !few.contains("abcab"));
    assert!(words.complement(LIMIT).unwrap().contains("a-b"));
    assert!(words.intersect(&StringSet::lengths(0, Some(0)), LIMIT).unwrap().is_none());
    // One text, which somebody may count on.
    let one = StringSet::pattern("^(?:ab){200}$", LIMIT).unwrap();
    assert_eq!(one.finite(10).map(|texts| texts.len()), Some(1));
    // A bound on the length may leave few.
    let short = words.intersect(&StringSet::lengths(0, Some(1)), LIMIT).unwrap();
    assert_eq!(short.finite(100).map(|texts| texts.len()), Some(26));
    // Lengths with gaps.
    let even = StringSet::pattern("^(?:[a-z]-){3,200}$", LIMIT).unwrap();
    assert!(even.intersect(&StringSet::lengths(7, Some(7)), LIMIT).unwrap().is_none());
    assert!(!even.intersect(&StringSet::lengths(8, Some(8)), LIMIT).unwrap().is_none());
}

#[test]
fn limits_are_kept() {
    let a = StringSet::pattern("^(?:.{5})*$", LIMIT).unwrap();
    let b = StringSet::pattern("^(?:.{7})*$", LIMIT).unwrap();
    assert_eq!(a.intersect(&b, StateBudget::of(30)), Err(StateLimit { limit: 30 }));
    assert!(a.intersect(&b, LIMIT).is_ok());
}

/// Patterns whose deterministic automata are exponential in their counts, or have long counts.
const LARGE: [&str; 5] = [
    "a.{30}b",
    "^[ab]*a[ab]{30}-",
    r"^(?:[ab]+-){1,60}[ab]+$",
    "^(?=.*a.{30}b)(?=.*b.{25}a)[ab-]*$",
    "^(?!.*--)(?=.*a.{30}b)",
];

/// Patterns to combine them with.
const SMALL: [&str; 4] = ["^[ab]", "--", "b$", "^.{0,70}$"];

#[test]
fn large_patterns_are_combined_as_position_automata() {
    let mut rng = grammarc_test_data::Rng::new(5);
    let texts: Vec<String> = (0..150)
        .map(|_| {
            let length = rng.below(70);
            (0..length).map(|_| *rng.pick(&['a', 'b', 'a', 'b', '-'])).collect()
        })
        .collect();
    let limit = StateBudget::of(50_000);
    let set =
        |text: &str| StringSet::pattern(text, limit).unwrap_or_else(|e| panic!("{text}: {e}"));
    let judge = |text: &str| regress::Regex::with_flags(text, "u").expect(text);
    let mut members = 0;
    for large in LARGE {
        for small in SMALL {
            let (one, other) = (set(large), set(small));
            let (in_one, in_other) = (judge(large), judge(small));
            let both =
                one.intersect(&other, limit).unwrap_or_else(|e| panic!("{large} and {small}: {e}"));
            let less = one.minus(&other, limit).expect("the complement is small");
            let either = one.union(&other, limit).expect("positions add");
            for text in &texts {
                let (a, b) = (in_one.find(text).is_some(), in_other.find(text).is_some());
                assert_eq!(one.contains(text), a, "{large} on {text}");
                assert_eq!(both.contains(text), a && b, "{large} and {small} on {text}");
                assert_eq!(less.contains(text), a && !b, "{large} without {small} on {text}");
                assert_eq!(either.contains(text), a || b, "{large} or {small} on {text}");
                members += usize::from(a && b);
            }
        }
    }
    assert!(members > 100, "{members} texts are in an intersection");
}
