//! `grammarc check`.

use serde_json::{Value, json};

use crate::Place;

const GRAMMAR: &str =
    "root ::= \"{\\n\" pair (\",\" pair)* \"}\"\npair ::= [a-z]+ \"=\" [0-9]{1,3}\n";

fn check(place: &Place, text: &str, more: &[&str]) -> (i32, Value) {
    let arguments = [&["check", "g.gmask", "-", "--format", "json"], more].concat();
    let run = place.run_with(&arguments, text);
    (run.code, run.value())
}

#[test]
fn says_where_and_what_was_allowed() {
    let place = Place::with_grammar("g.gbnf", GRAMMAR);
    for (text, code, expected) in [
        ("{\nab=12}", 0, json!({"verdict": "accepted", "bytes": 8})),
        ("{\nab=12}\n", 0, json!({"verdict": "accepted"})),
        ("{\nab=12}\r\n", 0, json!({"verdict": "accepted"})),
        (
            "{\nab-12}",
            1,
            json!({"verdict": "refused", "offset": 4, "line": 2, "column": 3, "found": b'-', "may_end": false}),
        ),
        (
            "{\nab=1234}",
            1,
            json!({"verdict": "refused", "offset": 8, "allowed_bytes": [b',', b'}']}),
        ),
        (
            "{\nab=1",
            1,
            json!({"verdict": "ends-too-early", "offset": 6, "line": 2, "column": 5,
                   "allowed_bytes": [b',', b'0', b'1', b'2', b'3', b'4', b'5', b'6', b'7', b'8', b'9', b'}']}),
        ),
        ("{\nab=1\n", 1, json!({"verdict": "ends-too-early", "offset": 6})),
        (
            "{\nab=12}\n\n",
            1,
            json!({"verdict": "refused", "offset": 8, "may_end": true, "allowed_bytes": []}),
        ),
        ("", 1, json!({"verdict": "ends-too-early", "offset": 0, "line": 1, "column": 1})),
    ] {
        let (found_code, found) = check(&place, text, &[]);
        assert_eq!(found_code, code, "{text:?}: {found}");
        for (key, value) in expected.as_object().expect("an object") {
            assert_eq!(&found[key], value, "{key} of {text:?}: {found}");
        }
    }
}

#[test]
fn the_last_line_end_may_be_part_of_the_text() {
    let place = Place::with_grammar("g.gbnf", GRAMMAR);
    assert_eq!(check(&place, "{\nab=12}\n", &["--exact"]).0, 1);
    let place = Place::with_grammar("g.gbnf", "root ::= \"a\\n\"\n");
    assert_eq!(check(&place, "a\n", &["--exact"]).0, 0);
    assert_eq!(check(&place, "a\n", &[]).0, 0);
    assert_eq!(check(&place, "a", &[]).0, 1);
}

#[test]
fn people_see_an_excerpt() {
    let place = Place::with_grammar("g.gbnf", GRAMMAR)
        .with("good.txt", "{\na=1}")
        .with("bad.txt", "{\nab=1x}")
        .with("short.txt", "{\nab");
    let run = place.run(&["check", "g.gmask", "good.txt", "bad.txt", "short.txt"]).exits(1);
    let expected = "good.txt: accepted, 6 bytes\n\
        bad.txt:2:5 (byte 6): refused, `x` is not allowed here\n    \
            ab=1\n        ^ expected `,`, `0` to `9` or `}`\n\
        short.txt:2:3 (byte 4): ends too early\n    \
            ab\n      ^ expected `=` or `a` to `z`\n";
    assert_eq!(run.stdout, expected);
}

#[test]
fn texts_need_not_be_utf8() {
    let place = Place::with_grammar("g.regex", "é+").with("bad.txt", b"\xc3\xa9\xff");
    let run = place.run(&["check", "g.gmask", "bad.txt"]).exits(1);
    assert!(run.stdout.contains("bad.txt:1:2 (byte 2): refused, byte 0xFF is"), "{}", run.stdout);
    assert!(run.stdout.contains("expected the end or byte 0xC3"), "{}", run.stdout);
}

#[test]
fn special_tokens_are_among_the_expected() {
    let place = Place::with_grammar("g.gbnf", "root ::= \"a\" <|end|> \"b\"\n").with("t.txt", "ab");
    let run = place.run(&["check", "g.gmask", "t.txt"]).exits(1);
    assert!(run.stdout.contains("^ expected a special token"), "{}", run.stdout);
}

#[test]
fn a_file_that_is_missing_is_a_failure() {
    let place = Place::with_grammar("g.regex", "a");
    let run = place.run_with(&["check", "g.gmask", "-", "nowhere.txt"], "a").exits(2);
    assert_eq!(run.stdout, "<stdin>: accepted, 1 bytes\n");
    assert!(run.stderr.contains("nowhere.txt"), "{}", run.stderr);
}
