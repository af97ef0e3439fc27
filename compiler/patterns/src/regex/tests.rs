//! Tests both ways of lowering against the matcher of regex-automata, with one pattern for each error.

use grammarc_grammar::budget::Budget;
use proptest::prelude::*;
use regex_automata::meta;

use super::*;
use grammarc_grammar::ir::Grammar;
use grammarc_grammar::ir::recognize::recognizes;

fn grammar(expr: Expr) -> Grammar {
    let mut builder = GrammarBuilder::new();
    let root = builder.declare("root");
    builder.define(root, expr, Origin::default());
    builder.finish(root)
}

fn options(extent: Extent) -> PatternOptions {
    PatternOptions { extent, ..PatternOptions::default() }
}

/// Returns the matcher of regex-automata for a pattern that must match the given part of a text.
fn oracle(pattern: &str, extent: Extent) -> meta::Regex {
    let pattern = match extent {
        Extent::Whole => format!(r"\A(?:{pattern})\z"),
        Extent::Part => pattern.to_owned(),
    };
    meta::Regex::new(&pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

/// Asserts that the expression and the automaton of a pattern agree with the matcher on the texts.
fn agree(pattern: &str, extent: Extent, texts: &[&[u8]]) {
    let oracle = oracle(pattern, extent);
    let options = options(extent);
    let expr =
        grammar(expr_of_pattern(pattern, &options).unwrap_or_else(|e| panic!("{pattern}: {e}")));
    let dfa = dfa_of_pattern(pattern, &options).unwrap_or_else(|e| panic!("{pattern}: {e}"));
    for text in texts {
        // The matcher skips bytes that are not UTF-8; patterns here match whole characters. `find` is used because
        // `is_match` stops at the first end. If that is an empty match within a character, it misses matches that began
        // before.
        let expected = std::str::from_utf8(text).is_ok() && oracle.find(*text).is_some();
        let shown = text.escape_ascii();
        assert_eq!(
            recognizes(&expr, text),
            expected,
            "{pattern} ({extent:?}) on \"{shown}\"\n{expr}"
        );
        assert_eq!(dfa.accepts(text), expected, "{pattern} ({extent:?}) on \"{shown}\"\n{dfa:?}");
    }
}

/// Returns all texts of at most `length` characters over an alphabet.
fn texts(alphabet: &[&str], length: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..length {
        let to = texts.len();
        for at in from..to {
            alphabet.iter().for_each(|letter| texts.push(format!("{}{letter}", texts[at])));
        }
        from = to;
    }
    texts
}

#[test]
fn anchors_lines_and_words() {
    let texts = texts(&["a", "b", "-", "\n", "\r"], 4);
    let texts: Vec<_> = texts.iter().map(String::as_bytes).collect();
    for pattern in [
        "^a$",
        "^",
        "$",
        "^^a$$",
        r"\Aa\z",
        "a^b",
        "a$b",
        "^a|b$",
        "(^a|b)*",
        "(a|^)b",
        "a*^b",
        "(a*)$b*",
        "(^a)?b",
        "(?:^)+a",
        "(a$)*",
        "(?m)^a$",
        "(?m)a$.^b",
        "(?ms)a$.^b",
        "(?mR)^a$.*",
        r"(?-u:\b)a",
        r"a(?-u:\b)",
        r"a(?-u:\b)b",
        r"a(?-u:\B)b",
        r"(?-u:\b)[ab-]*(?-u:\b)",
        r"(?-u:\b{start})a*(?-u:\b{end})-?",
        "a.b",
        "(?s)a.b",
        "",
        "()",
        "(|a)*",
        "a{0}",
        "[a&&b]",
        "a[a&&b]",
        "(?i)A",
        "a*?b+?",
        "((a|b)*-)*",
    ] {
        agree(pattern, Extent::Whole, &texts);
        agree(pattern, Extent::Part, &texts);
    }
}

#[test]
fn whole_characters_only() {
    let texts: &[&[u8]] = &[
        "é".as_bytes(),
        "e\u{301}".as_bytes(),
        "日本".as_bytes(),
        "😀".as_bytes(),
        "ſ".as_bytes(),
        "K".as_bytes(),
        "ß".as_bytes(),
        "٣".as_bytes(),
        b"\xC3",
        b"\x80",
        b"\xED\xA0\x80",
        b"k",
        b"s",
        b"3",
        b"_",
        b"",
    ];
    for pattern in [
        ".",
        "(?s).*",
        r"\w",
        r"\W",
        r"\d+",
        r"\p{Han}+",
        r"\P{L}",
        "(?i)k",
        "(?i)S",
        "[^a]",
        "é|e.",
        r"\x{1F600}",
        r"(?-u:\w)",
        r"[[:alpha:]]",
        r"(?i)[^k]",
        r"\PN*(?-u:\b)",
    ] {
        agree(pattern, Extent::Whole, texts);
        agree(pattern, Extent::Part, texts);
    }
}

#[test]
fn most_patterns_need_no_automaton() {
    let regular = |pattern: &str, extent| {
        matches!(expr_of_pattern(pattern, &options(extent)), Ok(Expr::Regular(_)))
    };
    for pattern in ["^abc$", "^(a|b)+$", "^$|^abc$", r"\Aa+\z", "(^a)(b$)", "a|^b"] {
        assert!(!regular(pattern, Extent::Whole), "{pattern}");
    }
    for pattern in
        ["^abc$", "^a", "a$", "abc", "^$|^a", "(?:^a|b$)", "a+|b", "^$|^[a-z]{3}$", "^(a|b$)"]
    {
        assert!(!regular(pattern, Extent::Part), "{pattern}");
    }
    assert!(regular(r"(^a|b)*", Extent::Whole));
}

#[test]
fn counted_repetition_is_kept() {
    let expr = expr_of_pattern("^(?:[a-z]{1,1000000}){3}$", &PatternOptions::default());
    let Ok(Expr::Repeat { body, min: 3, max: Some(3) }) = expr else { panic!("{expr:?}") };
    assert!(matches!(*body, Expr::Repeat { min: 1, max: Some(1_000_000), .. }), "{body}");
}

#[test]
fn automata_have_no_dead_and_few_needless_states() {
    for (pattern, states) in [
        ("a", 2),
        ("a*", 1),
        ("(a|b)*abb", 4),
        ("[a-z]{3}", 4),
        (r"(?-u:\b)a", 2),
        ("a|b|c", 2),
        (".", 9),
        ("[a&&b]", 1),
    ] {
        let dfa = dfa_of_pattern(pattern, &PatternOptions::default()).expect(pattern);
        assert_eq!(dfa.states.len(), states, "{pattern}: {dfa:?}");
    }
}

#[test]
fn sources() {
    for text in ["a+\n", "a+\r\n", "^a+$"] {
        let source = Source::new("test.regex", text);
        let lowered = lower(source, &PatternOptions::default(), &Budget::new()).expect(text);
        assert!(recognizes(&lowered.grammar, b"aa") && !recognizes(&lowered.grammar, b"aa\n"));
    }
    let lowered =
        lower(Source::new("test.regex", "a\n\n"), &PatternOptions::default(), &Budget::new());
    assert!(recognizes(&lowered.expect("a pattern").grammar, b"a\n"));
}

#[test]
fn errors() {
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    let stars = format!("a{}", "*".repeat(100_000));
    let long = "a".repeat(1 << 20);
    let classes = r"\w".repeat(10_000);
    let folded = format!("(?i){}", r"[\x00-\x{10FFFF}]".repeat(1_000));
    let folded_apart = format!("(?i){}", r"[\x{1000}-\x{ffff}]".repeat(10_000));
    let cases: &[(&str, &str, &str)] = &[
        ("a(b", "regex::syntax", "("),
        ("a)b", "regex::syntax", ")"),
        ("[z-a]", "regex::syntax", "z-a"),
        ("a{3,2}", "regex::syntax", "{3,2}"),
        ("a{4294967296}", "regex::syntax", "4294967296"),
        (r"é\q", "regex::syntax", r"\q"),
        (r"\p{Klingon}", "regex::syntax", r"\p{Klingon}"),
        ("(?<n>a)(?<n>b)", "regex::syntax", "n"),
        (r"(?-u:\xFF)", "regex::syntax", r"\xFF"),
        (r"(?-u:\W)", "regex::syntax", r"\W"),
        ("a(?=b)", "regex::matches-nothing", "a(?=b)"),
        (r"a(?=b)\b", "regex::lookaround", r"\b"),
        (r"a\Z", "regex::syntax", r"\Z"),
        (r"\cA", "regex::syntax", r"\c"),
        (r"\0", "regex::syntax", r"\0"),
        ("[a[b]", "regex::syntax", "["),
        (r"(a)\1", "regex::unsupported", r"\1"),
        (r"^a\b", "regex::unicode-word-boundary", r"\b"),
        (r"(?-u:\b)([a-z]{1,1000}-){1,1000}", "regex::too-large", r"\b"),
        ("[a&&b]", "regex::matches-nothing", "[a&&b]"),
        ("a^b\n", "regex::matches-nothing", "a^b"),
        (r"a(?-u:\b)b", "regex::matches-nothing", r"a(?-u:\b)b"),
        (&classes, "regex::classes-too-large", r"\w"),
        (&folded, "regex::classes-too-large", r"\x00-\x{10FFFF}"),
        (&folded_apart, "regex::classes-too-large", r"\x{1000}-\x{ffff}"),
        (&deep, "regex::nested-too-deep", "("),
        (&stars, "regex::nested-too-deep", "a"),
    ];
    for (text, code, place) in cases {
        let shown = &text[..text.len().min(40)];
        let errors =
            lower(Source::new("test.regex", *text), &PatternOptions::default(), &Budget::new())
                .expect_err(shown);
        assert_eq!((errors.len(), errors[0].code), (1, *code), "{shown}: {errors:?}");
        let label = &errors[0].labels[0];
        let found = &text[label.span.clone()];
        assert!(found == *place, "{shown}: {:.40}", found);
    }
    let error = expr_of_pattern(&long, &PatternOptions::default());
    assert!(matches!(error, Err(PatternError::TooLong { .. })));
    let twice = expr_of_pattern("(?<n>a)(?<n>b)", &PatternOptions::default()).expect_err("twice");
    assert_eq!(twice.diagnostic().labels[1].span, 3..4);
}

/// Generates patterns over a small alphabet, with assertions or without.
fn patterns(assertions: bool) -> BoxedStrategy<String> {
    let plain = prop_oneof![
        4 => "[ab-]",
        1 => Just(".".to_owned()),
        1 => Just("é".to_owned()),
        1 => Just(r"\w".to_owned()),
        1 => Just("[^a]".to_owned()),
        1 => Just("(?i:A)".to_owned()),
        1 => Just("[a-bé]".to_owned()),
    ];
    let leaf = if assertions {
        let assertion = prop::sample::select(vec![
            "^",
            "$",
            r"\A",
            r"\z",
            "(?m:^)",
            "(?m:$)",
            r"(?-u:\b)",
            r"(?-u:\B)",
            r"(?-u:\b{start})",
        ]);
        prop_oneof![2 => plain, 1 => assertion.prop_map(str::to_owned)].boxed()
    } else {
        plain.boxed()
    };
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|choices| format!("(?:{})", choices.join("|"))),
            (inner.clone(), "[*+?]\\??").prop_map(|(body, op)| format!("(?:{body}){op}")),
            (inner, 0..3u32, 0..3u32)
                .prop_map(|(body, min, more)| format!("({body}){{{min},{}}}", min + more)),
        ]
    })
    .boxed()
}

/// Generates short texts, some with a stray byte.
fn subjects() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = prop_oneof![
        20 => "[abA-]".prop_map(String::into_bytes),
        4 => "[\n é_]".prop_map(String::into_bytes),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    let text = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
    prop::collection::vec(text, 24)
}

proptest! {
    #[test]
    fn plain_patterns_agree(pattern in patterns(false), texts in subjects(), part in any::<bool>()) {
        let extent = if part { Extent::Part } else { Extent::Whole };
        agree(&pattern, extent, &texts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }

    #[test]
    fn patterns_with_assertions_agree(pattern in patterns(true), texts in subjects(), part in any::<bool>()) {
        let extent = if part { Extent::Part } else { Extent::Whole };
        agree(&pattern, extent, &texts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }

    #[test]
    fn no_pattern_panics(pattern in r"[ab^$.|?*+(){},0-9\[\]\\wbpLn&~é-]{0,30}") {
        let source = Source::new("test.regex", pattern.clone());
        if let Err(errors) = lower(source, &PatternOptions::default(), &Budget::new()) {
            for label in errors.iter().flat_map(|error| &error.labels) {
                prop_assert!(pattern.get(label.span.clone()).is_some(), "{label:?}");
            }
        }
    }
}

#[test]
fn lookaround_has_the_classes_of_this_dialect() {
    let accepts = |pattern: &str, text: &str| {
        let expr = expr_of_pattern(pattern, &PatternOptions::default());
        recognizes(
            &grammar(expr.unwrap_or_else(|error| panic!("{pattern}: {error}"))),
            text.as_bytes(),
        )
    };
    for (pattern, accepted, refused) in [
        (r"(?=.*\d)[a-z\d]{2,4}", &["a1", "1ab2", "a٣"][..], &["ab", "1", "a1b2c"][..]),
        (r"(?!root$)\w+", &["user", "roots", "é"], &["root", ""]),
        (r"a(?<=a)b(?<!c)", &["ab"], &["a", "cb"]),
        (r"(?=a.).*", &["ab", "a\r"], &["a", "ba", "a\n"]),
    ] {
        accepted
            .iter()
            .for_each(|text| assert!(accepts(pattern, text), "{pattern} refuses {text:?}"));
        refused
            .iter()
            .for_each(|text| assert!(!accepts(pattern, text), "{pattern} accepts {text:?}"));
    }
}
