//! Bounds in every language: an artifact for a million repetitions is as small as one for a thousand and takes as many steps
//! to compile, the bounds hold to the repetition, and masks of tokens of many bytes know how many repetitions are left.
//!
//! What the counting keywords of JSON Schema mean, by orders of keys and forms of text, is in `schemas/bounds.rs`.
//!
//! `GRAMMARC_FULL=1` compiles for the built-in vocabulary as well.

use std::num::NonZero;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_runtime::{ByteMatcher, Grammar, Matcher};
use grammarc_tests::random::Rng;
use grammarc_tests::sources::{Language, compiled, gbnf, lower};
use grammarc_tests::vocabularies;

const HUNDRED: u32 = 100;
const THOUSAND: u32 = 1_000;
const MILLION: u32 = 1_000_000;

/// Steps by which small compilations may differ. One for each of a million repetitions would be more.
const SLACK: usize = 1 << 18;

/// Sources with a bound `N`, each a different way to count.
const SOURCES: [(Language, &str); 31] = [
    (Language::Gbnf, "root ::= [a-z]{0,N}"),
    (Language::Gbnf, "root ::= [a-z]{N}"),
    (Language::Gbnf, "root ::= [a-z]{N,}"),
    (Language::Gbnf, "root ::= .{5,N} \"!\""),
    (Language::Gbnf, "root ::= (\"ab\" | \"abc\" | \"x\"){7,N}"),
    (
        Language::Gbnf,
        "root ::= \"[\" (item (\",\" item){0,N})? \"]\"\nitem ::= [0-9]+ | \"[\" item \"]\"",
    ),
    (Language::Gbnf, "root ::= (word \" \"){2,N} word\nword ::= [a-z]{1,N}"),
    (Language::Gbnf, "root ::= [a-z0-9-]{0,N} [a-z]"),
    (Language::Regex, "[0-9a-f]{1,N}"),
    (Language::Regex, "[a-z](?:[a-z-]{2,N}[a-z!])?"),
    (Language::Regex, "(?:[a-z]+-){3,N}z"),
    (Language::Regex, "\\w{N}"),
    (Language::JsonSchema, r#"{"type": "string", "maxLength": N}"#),
    (Language::JsonSchema, r#"{"type": "string", "minLength": N}"#),
    (Language::JsonSchema, r#"{"type": "string", "pattern": "^[a-z]{N}$"}"#),
    (
        Language::JsonSchema,
        r#"{"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "minLength": 3, "maxLength": N}"#,
    ),
    (
        Language::JsonSchema,
        r#"{"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "minLength": N}"#,
    ),
    (Language::JsonSchema, r#"{"type": "string", "pattern": "^(?:[a-z]+ ){0,N}[a-z]+$"}"#),
    (Language::JsonSchema, r#"{"type": "string", "pattern": "^(?:[a-z]{2,8}, ?){N,}[a-z]$"}"#),
    (Language::JsonSchema, r#"{"type": "string", "pattern": "^(?:(?:[a-f]{2}:){1,N};){0,90}$"}"#),
    (Language::JsonSchema, r#"{"type": "string", "pattern": "^[a-z]{1,N}(?:-[a-z]{1,N}){0,3}$"}"#),
    (
        Language::JsonSchema,
        r#"{"type": "string", "pattern": "^[a-f]{2,N}(?:[.][a-f]{2,N}|:[0-9]{2,N}){1,3}$"}"#,
    ),
    (
        Language::JsonSchema,
        r#"{"type": "string", "pattern": "^[a-f]{2,N}(?:[.][a-f]{2,N}|:[0-9]{1,N}){1,3}$"}"#,
    ),
    (
        Language::JsonSchema,
        r#"{"type": "string", "pattern": "^(?:/[a-z]{1,255}){1,16}$", "maxLength": N}"#,
    ),
    (
        Language::JsonSchema,
        r#"{"type": "string", "pattern": "^(?:[a-z]+ ){0,90}[a-z]+$", "maxLength": N}"#,
    ),
    (
        Language::JsonSchema,
        r#"{"type": "string", "pattern": "^(?:[a-z]+ ){0,N}[a-z]+$", "maxLength": 2000}"#,
    ),
    (Language::JsonSchema, r#"{"type": "string", "format": "uri", "maxLength": N}"#),
    (
        Language::JsonSchema,
        r#"{"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": N}"#,
    ),
    (
        Language::JsonSchema,
        r#"{"type": "object", "properties": {"a": {"type": "string", "minLength": 9, "maxLength": N}}}"#,
    ),
    (
        Language::JsonSchema,
        r#"{"type": "array", "items": {"type": "integer"}, "contains": {"const": 1}, "minItems": 9, "maxItems": N}"#,
    ),
    (
        Language::JsonSchema,
        r#"{"type": "array", "items": {"enum": [1, 2, 3]}, "contains": {"const": 1}, "minContains": 2, "maxContains": N}"#,
    ),
];

#[test]
fn items_and_those_that_are_contained_are_counted_together() {
    let (mut texts, mut valid) = (0, 0);
    for (items, ones, twos) in [
        ([10, 40], [0, 99], [0, 99]),
        ([0, 30], [1, 12], [0, 99]),
        ([12, 99], [3, 10], [0, 99]),
        ([0, 24], [0, 9], [0, 11]),
        ([0, 99], [9, 99], [1, 99]),
    ] {
        let contains = |value: u32, [least, most]: [u32; 2]| {
            format!(
                r#"{{"contains": {{"const": {value}}}, "minContains": {least}, "maxContains": {most}}}"#
            )
        };
        let schema = format!(
            r#"{{"type": "array", "items": {{"enum": [1, 2, 33]}}, "minItems": {}, "maxItems": {}, "allOf": [{}, {}]}}"#,
            items[0],
            items[1],
            contains(1, ones),
            contains(2, twos),
        );
        let lowered = lower(Language::JsonSchema, "test", &schema);
        let lowered = lowered.unwrap_or_else(|errors| panic!("{schema}: {errors:?}"));
        let grammar = compiled(vocabularies::small(), &lowered);
        let mut rng = Rng::new(u64::from(items[1] + ones[1]));
        let mut number = |below: u32| rng.below(below as usize) as u32;
        for _ in 0..600 {
            let (length, ways) = (number(items[1] + 4), 1 + number(4));
            let values: Vec<u32> =
                (0..length).map(|_| [1, 2, 33, 33][number(ways) as usize]).collect();
            let count = |value: u32| values.iter().filter(|one| **one == value).count() as u32;
            let within = |[least, most]: [u32; 2], count: u32| (least..=most).contains(&count);
            let expected =
                within(items, length) && within(ones, count(1)) && within(twos, count(2));
            let text = format!("{values:?}");
            let mut matcher = ByteMatcher::new(&grammar);
            let taken = matcher.accept(text.as_bytes()).is_ok() && matcher.is_accepting();
            assert_eq!(taken, expected, "{schema}: {text}");
            texts += 1;
            valid += u32::from(expected);
        }
    }
    eprintln!("{texts} arrays, {valid} of them valid");
    assert!(valid > 300);
}

#[test]
fn a_million_is_as_small_as_a_thousand_and_takes_as_many_steps() {
    flat(vocabularies::small());
    if vocabularies::full() {
        flat(vocabularies::built_in());
    }
}

fn flat(vocabulary: &VocabularyArtifact) {
    // On one thread every compilation takes the same steps.
    let compiler = Compiler::on_threads(vocabulary.clone(), NonZero::new(1));
    let compile = |language, source: &str, bound: u32| {
        let text = source.replace('N', &bound.to_string());
        let lowered = lower(language, "test", &text);
        let lowered = lowered.unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let budget = Budget::new();
        let compiled = compiler.compile(&lowered, "test", &CompileOptions::default(), &budget);
        let bytes = compiled.and_then(|compiled| compiled.to_buffer(&compiler));
        let bytes = bytes.unwrap_or_else(|error| panic!("{text}: {error}")).len();
        (bytes, budget.steps())
    };
    for (language, source) in SOURCES {
        // The facts of the vocabulary that the compiler finds on the way are not to be counted.
        compile(language, source, THOUSAND + 1);
        let (_, first) = compile(language, source, HUNDRED);
        let (small, fast) = compile(language, source, THOUSAND);
        let (large, slow) = compile(language, source, MILLION);
        eprintln!(
            "{}, {}: {small} and {large} bytes, {first}, {fast} and {slow} steps",
            vocabulary.name(),
            source.replace('\n', " "),
        );
        assert!(large <= small * 2, "{source}: {small} bytes for 1,000, {large} for 1,000,000");
        // A chain as long as the bound would take a thousand times as long; and a step count
        // that explodes at a thousand would not show at a million.
        assert!(fast <= first * 10 + SLACK, "{source}: {first} steps for 100, {fast} for 1,000");
        assert!(slow <= fast * 5 + SLACK, "{source}: {fast} steps for 1,000, {slow} for 1,000,000");
    }
}

/// Whether the texts of `count` repetitions are accepted.
fn accepts(grammar: &Grammar, parts: [&str; 3], count: usize) -> bool {
    let mut matcher = ByteMatcher::new(grammar);
    let [head, body, tail] = parts;
    let mut read = |text: &str| matcher.accept(text.as_bytes()).is_ok();
    read(head) && (0..count).all(|_| read(body)) && read(tail) && matcher.is_accepting()
}

#[test]
fn verdicts_are_right_at_the_bounds() {
    // Text before, repeated and after; the first and last repetitions may look different from those between.
    type Shape = (Language, &'static str, [&'static str; 3], usize);
    let shapes: [Shape; 18] = [
        (Language::Gbnf, "root ::= [a-z]{M,N}", ["", "q", ""], 0),
        (Language::Gbnf, "root ::= \"<\" (\"ab\" | \"abc\"){M,N} \">\"", ["<", "abc", ">"], 0),
        (Language::Gbnf, "root ::= (\"a\" | \"ab\" | \"b\" \"c\"){M,N} \"b\"", ["", "ab", "b"], 0),
        (
            Language::Gbnf,
            "root ::= x{M,N} \".\"\nx ::= \"(\" x \")\" | \"1\"",
            ["", "((1))", "."],
            0,
        ),
        (Language::Gbnf, "root ::= \"[\" [0-9]+ (\",\" [0-9]+){M,N} \"]\"", ["[7", ",42", "]"], 0),
        (Language::Gbnf, "root ::= [a-c.]{M,N} [a-c]", ["", ".", "b"], 0),
        (Language::Gbnf, "root ::= \"<\" [a-c]{M,N} [b-d] \">\"", ["<", "b", "c>"], 0),
        (Language::Gbnf, "root ::= [a-c]{M,N} [b-d]", ["", "b", "d"], 0),
        (Language::Regex, "(?:[a-c]|é){M,N}", ["", "é", ""], 0),
        (Language::Regex, "(?:ab?){M,N}b", ["", "ab", "b"], 0),
        (
            Language::JsonSchema,
            r#"{"type": "string", "minLength": M, "maxLength": N}"#,
            ["\"", "\\n", "\""],
            0,
        ),
        (
            Language::JsonSchema,
            r#"{"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "minLength": M, "maxLength": N}"#,
            ["\"", "q", "\""],
            0,
        ),
        (
            Language::JsonSchema,
            r#"{"type": "array", "items": {"type": "integer"}, "minItems": M, "maxItems": N}"#,
            ["[0", ",12", "]"],
            1,
        ),
        (
            Language::JsonSchema,
            r#"{"type": "string", "pattern": "^(?:\\S+\\s+){M,N}\\S+$"}"#,
            ["\"", "ab ", "c\""],
            0,
        ),
        (
            Language::JsonSchema,
            r#"{"type": "string", "pattern": "^(?:[a-z]{2,8}, ?){M,N}$|^$"}"#,
            ["\"ab,", "ab, ", "\""],
            1,
        ),
        (
            Language::JsonSchema,
            r#"{"type": "string", "pattern": "^(?:x{3,70}y|z){M,N}z?$"}"#,
            ["\"", "xxxxy", "\""],
            0,
        ),
        (
            Language::JsonSchema,
            r#"{"type": "string", "pattern": "^(?:[a-c]+ ){0,30000}[a-c]+$", "minLength": M, "maxLength": N}"#,
            ["\"", "b", "\""],
            0,
        ),
        (
            Language::JsonSchema,
            r#"{"type": "string", "pattern": "^(?:é[a-z]+;){M,N}$"}"#,
            ["\"", "éa;", "\""],
            0,
        ),
    ];
    let bounds =
        [(1, 2), (2, 5), (31, 33), (3, 100), (100, 100), (64, 1000), (999, 4096), (2, 30_000)];
    let vocabulary = vocabularies::small();
    let mut verdicts = 0;
    for (language, source, parts, without) in shapes {
        for (m, n) in bounds {
            let text = source.replace('M', &m.to_string()).replace('N', &n.to_string());
            let lowered = lower(language, "test", &text);
            let lowered = lowered.unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
            let grammar = compiled(vocabulary, &lowered);
            for count in [0, 1, m - 1, m, m + 1, (m + n) / 2, n - 1, n, n + 1, n + 2] {
                // Of an array with nothing before its items there is a text with one item at least.
                let Some(body) = usize::checked_sub(count, without) else { continue };
                let expected = (m..=n).contains(&count);
                let found = accepts(&grammar, parts, body);
                assert_eq!(found, expected, "{text}: {count} repetitions");
                verdicts += 1;
            }
        }
    }
    assert!(verdicts > 500, "{verdicts} verdicts");
}

/// Of a text that can be counted in several ways, the one with the fewest repetitions counts.
#[test]
fn repetitions_are_as_few_as_they_can_be() {
    // Bodies of which a whole run may be one repetition or each letter one.
    for (body, part) in [("[a-c]+ ?", "abca "), ("a|aa", "aa"), ("[a-c]+;?", "cab;")] {
        for (least, most) in [(0, 40), (1, 40), (1, 1000), (0, 30_000)] {
            let text =
                format!(r#"{{"type": "string", "pattern": "^(?:{body}){{{least},{most}}}$"}}"#);
            let lowered = lower(Language::JsonSchema, "test", &text);
            let grammar = compiled(
                vocabularies::small(),
                &lowered.unwrap_or_else(|e| panic!("{text}: {e:?}")),
            );
            for count in [0, 1, 2, most / 2, most - 1, most, most + 1, most + 2] {
                let found = accepts(&grammar, ["\"", part, "\""], count);
                assert_eq!(found, (least..=most).contains(&count), "{text}: {count} times {part}");
            }
        }
    }
}

/// The vocabulary has rules for some of these, which are called where they would be unrolled otherwise.
#[test]
fn fixed_numbers_of_letters_are_held_to() {
    let vocabulary = vocabularies::small();
    for count in [1, 3, 4, 5, 12, 24, 31, 32, 33, 100] {
        for (language, source, parts) in [
            (Language::Gbnf, "root ::= [0-9a-f]{N} \"-\"", ["", "e", "-"]),
            (Language::Gbnf, "root ::= ([0-9A-Fa-f]{N} \":\")+", ["", "E", ":"]),
            (Language::Regex, "x[A-Za-z0-9]{N}", ["x", "9", ""]),
            (
                Language::JsonSchema,
                r#"{"type": "string", "pattern": "^[0-9a-f]{N}-[0-9A-Fa-f]{4}$"}"#,
                ["\"", "b", "-12aF\""],
            ),
            (
                Language::JsonSchema,
                r#"{"anyOf": [{"pattern": "^[0-9a-f]{N}$"}, {"pattern": "^[0-9a-f]{N}-$"}], "type": "string"}"#,
                ["\"", "b", "\""],
            ),
        ] {
            let text = source.replace('N', &count.to_string());
            let lowered = lower(language, "test", &text);
            let lowered = lowered.unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
            let grammar = compiled(vocabulary, &lowered);
            for found in [0, 1, count - 1, count, count + 1, 2 * count] {
                assert_eq!(accepts(&grammar, parts, found), found == count, "{text}: {found}");
            }
        }
    }
}

#[test]
fn an_optional_unit_at_a_bound_is_read_both_ways() {
    // `a` repeated may be one or two bytes, so a text of that many bytes counts for anything between.
    for (m, n) in [(2, 4), (20, 50), (300, 400)] {
        let grammar = compiled(
            vocabularies::small(),
            &gbnf(&format!("root ::= (\"a\" | \"aa\"){{{m},{n}}}")),
        );
        for length in [0, 1, m - 1, m, m + 1, n, n + 1, 2 * n - 1, 2 * n, 2 * n + 1] {
            let expected = (m..=2 * n).contains(&length);
            assert_eq!(accepts(&grammar, ["", "a", ""], length), expected, "{length} of {m},{n}");
        }
    }
}

#[test]
fn masks_know_how_many_of_a_million_are_left() {
    let runs: Vec<String> = [1, 2, 3, 5, 8, 16, 64].map(|length| "a".repeat(length)).into();
    let vocabulary = vocabularies::artifact(&vocabularies::of_words(&runs.join(" ")));
    let total = 1_000_000;
    let grammar = compiled(&vocabulary, &gbnf(&format!("root ::= \"a\"{{999990,{total}}}")));
    let token = |length: usize| vocabulary.lookup("a".repeat(length).as_bytes())[0];
    let mut matcher = Matcher::new(&grammar);
    let check = |matcher: &mut Matcher, read: usize| {
        for length in [1, 2, 3, 5, 8, 16, 64] {
            let expected = read + length <= total;
            assert_eq!(matcher.mask().contains(token(length)), expected, "{read} read, {length}");
        }
        assert_eq!(matcher.is_accepting(), read >= 999_990, "{read} read");
    };
    let mut read = 0;
    while read + 64 <= total - 200 {
        if read % 64_000 == 0 {
            check(&mut matcher, read);
        }
        matcher.accept(token(64)).expect("a token of the mask");
        read += 64;
    }
    while read < total {
        check(&mut matcher, read);
        matcher.accept(token(1)).expect("a token of the mask");
        read += 1;
    }
    check(&mut matcher, read);
    assert!(matcher.accept(token(1)).is_err());
}
