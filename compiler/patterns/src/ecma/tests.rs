//! Tests patterns against an engine that shares no code with this crate, and by example.

use std::time::Instant;

use proptest::prelude::*;

use super::*;
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::budget::Budget;
use grammarc_test_data::{data, files};

const LIMIT: StateBudget<'static> = StateBudget::of(20_000);

/// Returns the automaton of a pattern whose long counts are not replaced with bounds.
fn whole(text: &str, limit: StateBudget<'_>) -> Result<Dfa, EcmaError> {
    automaton(&parse::parse(text, super::Meaning::Ecma)?, text, limit)
}

fn matches(text: &str, string: &str) -> bool {
    whole(text, LIMIT).unwrap_or_else(|error| panic!("{text}: {error}")).accepts(string.as_bytes())
}

fn kind(text: &str) -> EcmaErrorKind {
    whole(text, LIMIT).expect_err(text).kind
}

/// Patterns, each with strings that match and strings that do not.
const CASES: &[(&str, &[&str], &[&str])] = &[
    ("", &["", "a"], &[]),
    ("a", &["a", "xay", "ßa"], &["", "b"]),
    ("^$", &[""], &["\n", "a"]),
    ("^a|b$", &["a", "ax", "xb"], &["xa", "bx"]),
    ("^(?:a|^b)c$", &["ac", "bc"], &["c", "abc"]),
    ("a$b", &[], &["ab", "a\nb", "a"]),
    (".", &["x", "\u{85}", "😀"], &["", "\n", "\r", "\u{2028}", "\u{2029}"]),
    (r"^\s$", &["\t", "\u{b}", "\u{feff}", "\u{3000}", "\u{2029}"], &["\u{85}", "\u{200b}", "x"]),
    (r"^\d$", &["7"], &["٣", "a"]),
    (r"^\w+$", &["a_Z9"], &["é", "-", "ſ"]),
    (r"^\W$", &["é", "-", "ſ"], &["a"]),
    (r"^[^a]$", &["b", "\n", "😀"], &["a", ""]),
    ("^[^]$", &["\n", "x"], &[""]),
    ("[]", &[], &["", "x"]),
    (r"^\p{L}\P{Lu}\p{Script=Greek}$", &["aaλ", "Sßλ"], &["1aλ", "aAλ", "aaa"]),
    (r"^\p{sc=Hira}\p{scx=Kana}$", &["あア"], &["アあ"]),
    (r"^\uD83D\uDE00$", &["😀"], &[""]),
    (r"^\u{1F600}[\u{1F600}-\u{1F602}]$", &["😀😁"], &["😀"]),
    (r"^\uD83D", &[], &["😀", "\u{fffd}"]),
    (r"^[\uD800-\uDFFFa]$", &["a"], &["😀"]),
    ("^😀+$", &["😀", "😀😀"], &[""]),
    // Annex B of ECMA-262: patterns without the flag `u`.
    (r"^\-\_\@$", &["-_@"], &[]),
    (r"^[\w-.]+$", &["a-.b"], &["/"]),
    (r"^{a}$", &["{a}"], &["a"]),
    (r"^\-😀+[😀x]$", &["-😀😀", "-😀x"], &["-x"]),
    // Assertions.
    (r"\bfoo\b", &["foo", "a foo.", "ßfooß"], &["foox", "_foo"]),
    (r"^\B.\B$", &["-", "ß"], &["a", ""]),
    (r"\B", &["", "ab", "-"], &["a"]),
    ("^(?!foo).*$", &["", "fo", "barfoo"], &["foo", "foobar"]),
    ("^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{4,6}$", &["aB3x", "xx9Yz"], &["aB3", "abc3", "aaB3xyz"]),
    ("^(?=a(?!b))a.$", &["ac"], &["ab", "a"]),
    ("^(?!(?!a))..$", &["ab"], &["ba", "a"]),
    ("(?<=a)b", &["ab", "cab"], &["b", "cb", "ba"]),
    ("(?<!a)b", &["b", "cb", "abb"], &["ab", "a"]),
    ("(?<=^a)b", &["ab"], &["aab", "b"]),
    ("(?<=^(?:ab)*)c", &["c", "ababc"], &["abac", "bc"]),
    ("(?<=(?<!x)a)b", &["ab", "yab"], &["xab", "b"]),
    ("(?<!(?<!x)a)b", &["xab", "b"], &["ab", "yab"]),
    ("(?<=a(?=bc))b", &["abc"], &["ab", "abd"]),
    ("(?<!a(?=bc))b", &["abd", "b"], &["abc"]),
    ("^(?:(?=ab)a|b)*$", &["", "ab", "abab", "bab"], &["a", "aab", "aba"]),
    ("^(?:(?!aa).)*$", &["", "aba", "a"], &["aa", "baab"]),
    (r"^(?:(?<=\d)x|\d)+$", &["1", "1x2x"], &["x", "1xx"]),
    (r"(?=\bfoo)f", &[" foo"], &["xfoo"]),
    ("^(?:a*)*$", &["", "aaa"], &["b"]),
    ("^(?:|a){2,3}$", &["", "a", "aaa"], &["aaaa"]),
    // Modifiers.
    ("^(?i:straße)$", &["STRAßE", "StraẞE"], &["strasse"]),
    (r"^(?i:[^k])$", &["j"], &["k", "K", "\u{212a}"]),
    (r"^(?i:\w)$", &["ſ", "K"], &["é"]),
    ("^(?s:.)$", &["\n"], &[]),
    ("(?m:^a$)", &["a", "b\na\nc", "\u{2028}a"], &["ba", "b\nab"]),
    (r"^(?<name>\0|\x41|\cJ|\t)$", &["\0", "A", "\n", "\t"], &["0"]),
];

#[test]
fn patterns_match_what_the_standard_says() {
    for &(text, inside, outside) in CASES {
        for string in inside {
            assert!(matches(text, string), "{text:?} should match {string:?}");
        }
        for string in outside {
            assert!(!matches(text, string), "{text:?} should not match {string:?}");
        }
    }
}

#[test]
fn only_texts_are_accepted() {
    for text in ["", "a|[^b]", "^(?!a)", "(?<!x)"] {
        let dfa = whole(text, LIMIT).expect(text);
        let broken: [&[u8]; 4] = [b"\xff", b"a\xc3", b"\xed\xa0\x80a", b"\x80"];
        assert!(!broken.iter().any(|bytes| dfa.accepts(bytes)), "{text}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let error = whole(r"é(a)\1", LIMIT).expect_err("a backreference");
    assert_eq!(error, EcmaError { kind: EcmaErrorKind::Backreference, span: 5..7 });
    let error = whole(r"(?<n>a)\k<n>", LIMIT).expect_err("a backreference");
    assert_eq!((error.kind, error.span), (EcmaErrorKind::Backreference, 7..12));
    let foreign = [r"a\Z", r"(?P<x>a)", "(?i)a", r"\p{Nonesuch}"];
    for text in ["(", "a)", "[b-a]", "*", r"\-\p{L}"].into_iter().chain(foreign) {
        let error = whole(text, LIMIT).expect_err(text);
        match foreign.contains(&text) {
            true => assert!(matches!(error.kind, EcmaErrorKind::Foreign { .. }), "{text}: {error}"),
            false => assert!(matches!(error.kind, EcmaErrorKind::Syntax { .. }), "{text}: {error}"),
        }
        assert!(error.span.end <= text.len() && text.get(error.span.clone()).is_some(), "{text}");
    }
    assert!(whole(r"\-", LIMIT).is_ok() && whole("", LIMIT).is_ok());
    assert!(matches!(kind(r"(?i:\b)"), EcmaErrorKind::Unsupported { .. }));
    assert!(matches!(kind(&"x".repeat(1 << 20)), EcmaErrorKind::TooLong { .. }));
    assert!(matches!(kind(&"(".repeat(10_000)), EcmaErrorKind::TooDeep { .. }));
    for (open, close) in [("(", ")"), ("(?=", ")"), ("(?<!", ")"), ("(?:", ")*")] {
        let deep = format!("{}a{}", open.repeat(100), close.repeat(100));
        assert!(whole(&deep, LIMIT).is_ok(), "{open}");
        let unclosed = kind(&format!(r"\-{deep}("));
        assert!(matches!(unclosed, EcmaErrorKind::Syntax { .. }), "{open}");
    }
}

#[test]
fn explosions_end_early() {
    let texts = [
        "a{9007199254740991}",
        "(?:a{1000}){1000}",
        "(?:(?:a{99}){99}){99}",
        "a.{1000}b",
        "^(?:.*a.{30}){3}$",
        r"^(\p{L}{1,200}\s){1,200}$",
        "^(?!.*(?:a.{20}b|b.{20}a)).*$",
        "(?:(?=.*a.{9}b)c)*d",
        "(?:(?:){4294967295}){4294967295}",
    ];
    for text in texts {
        let budget = Budget::new();
        let result = whole(text, StateBudget::new(LIMIT.states, &budget));
        assert!(budget.steps() < 1 << 26, "{text}: {} steps", budget.steps());
        if let Err(error) = result {
            assert_eq!(error.kind, EcmaErrorKind::TooLarge { limit: LIMIT.states }, "{text}");
        }
    }
}

/// Many copies of a part may be in progress at once; one of them simulates the others.
#[test]
fn optional_copies_cost_states_by_number() {
    let texts = [
        "foo.{0,100}bar",
        "TODO.{1,80}$",
        "(foo|bar).{0,30}(baz|qux)",
        r"#[0-9a-f]{6}\b.{0,50}!",
        "a.{30,}b",
        "(?<=x.{0,30})y",
        "^(?=.*a.{0,20}b).*c.{0,9}d",
        "a(?:.{0,4}b){0,5}c",
    ];
    for text in texts {
        let dfa = whole(text, LIMIT).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(dfa.states.len() < 6_000, "{text}: {} states", dfa.states.len());
    }
}

/// Generates patterns over a few characters, with assertions of all kinds.
fn any_pattern() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "é",
        ".",
        "[ab]",
        "[^a]",
        "[^é-]",
        r"\w",
        r"\W",
        r"\s",
        r"\d",
        "^",
        "$",
        r"\b",
        r"\B",
        "-",
        "1",
        "",
        r"\u{e9}",
        r"\xe9",
        r"[\s\S]",
        r"\P{L}",
        "(?i:[^A])",
        "(?i:É)",
        r"(?i:\W)",
        "(?s:.)",
        "(?m:^)",
        "(?m:$)",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        let quantifier =
            prop::sample::select(vec!["*", "+", "?", "{2}", "{1,3}", "{0,2}", "*?", "{2,}"]);
        let look = prop::sample::select(vec!["=", "!", "<=", "<!"]);
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 2..3)
                .prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => (inner.clone(), quantifier).prop_map(|(body, q)| format!("(?:{body}){q}")),
            1 => (inner.clone(), look).prop_map(|(body, look)| format!("(?{look}{body})")),
            1 => inner.prop_map(|body| format!("({body})")),
        ]
    })
}

fn any_string() -> impl Strategy<Value = String> {
    let letter =
        prop::sample::select(vec!['a', 'b', 'é', '-', '1', ' ', '\n', '😀', '_', 'A', 'É', 'ſ']);
    prop::collection::vec(letter, 0..7).prop_map(|letters| letters.into_iter().collect())
}

/// Whether the backtracking engine may be wrong about a pattern. It fails on a repetition within a loop within a
/// counted repetition, such as `(?:(?:.{1,3})+){2}`. The inner repetition does not give back characters, so "aa" is not
/// found.
fn is_beyond_the_engine(text: &str) -> bool {
    let loops = [")+){", ")*){", ")*?){"];
    loops.iter().any(|end| text.contains(end))
        && ["{1,3})", "{0,2})", "{2,})"].iter().any(|inner| text.contains(inner))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn agrees_with_an_engine_that_backtracks(
        text in any_pattern(),
        strings in prop::collection::vec(any_string(), 20),
    ) {
        prop_assume!(!is_beyond_the_engine(&text));
        let Ok(engine) = regress::Regex::with_flags(&text, "u") else {
            prop_assert!(false, "{} is a pattern", text);
            unreachable!();
        };
        match whole(&text, LIMIT) {
            Ok(dfa) => {
                for string in strings {
                    let expected = engine.find(&string).is_some();
                    prop_assert_eq!(dfa.accepts(string.as_bytes()), expected, "{} on {:?}", text, string);
                }
            }
            Err(error) => prop_assert_eq!(error.kind, EcmaErrorKind::TooLarge { limit: LIMIT.states }),
        }
    }
}

#[test]
fn inner_repetitions_give_back_what_they_took() {
    let dfa = whole("^(?:(?:.{1,3})+){2}$", LIMIT).expect("few states");
    for (string, expected) in [("", false), ("a", false), ("aa", true), ("aaaaaaaa", true)] {
        assert_eq!(dfa.accepts(string.as_bytes()), expected, "{string}");
    }
}

/// Compiles every pattern of the real schemas.
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
#[test]
fn real_patterns() {
    let Some(folder) = data("maskbench") else {
        eprintln!("SKIPPED: no MaskBench data; set GRAMMARC_DATA");
        return;
    };
    let mut texts = std::collections::BTreeSet::new();
    for (_, case) in files(&folder) {
        collect(&case["schema"], &mut texts);
    }
    let mut refused = Vec::new();
    let mut figures = Vec::new();
    for text in &texts {
        let start = Instant::now();
        match whole(text, LIMIT) {
            Ok(dfa) => figures.push((start.elapsed(), dfa.states.len(), text)),
            Err(error) => refused.push((text, error)),
        }
    }
    figures.sort();
    let mut states: Vec<usize> = figures.iter().map(|figure| figure.1).collect();
    states.sort_unstable();
    let slowest: Vec<_> = figures.iter().rev().take(5).collect();
    eprintln!(
        "{} patterns; time p50 {:?}, max {:?}; states p50 {}, max {:?}; slowest {slowest:#?}",
        texts.len(),
        figures[figures.len() / 2].0,
        figures.last().map(|figure| figure.0),
        states[states.len() / 2],
        states.last(),
    );
    assert!(refused.is_empty(), "{refused:#?}");
}

fn collect(value: &serde_json::Value, texts: &mut std::collections::BTreeSet<String>) {
    match value {
        serde_json::Value::Object(members) => {
            if let Some(serde_json::Value::String(text)) = members.get("pattern") {
                texts.insert(text.clone());
            }
            if let Some(serde_json::Value::Object(patterns)) = members.get("patternProperties") {
                texts.extend(patterns.keys().cloned());
            }
            members.values().for_each(|value| collect(value, texts));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        _ => {}
    }
}
