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
fn special_tokens_are_read_by_name_and_named_among_the_expected() {
    let place = Place::with_grammar("g.gbnf", "root ::= \"a\" <|end|> \"b\"\n")
        .with("t.txt", "ab")
        .with("good.txt", "a<|end|>b");
    let run = place.run(&["check", "g.gmask", "t.txt"]).exits(1);
    assert!(run.stdout.contains("^ expected the special token `<|end|>`"), "{}", run.stdout);
    place.run(&["check", "g.gmask", "good.txt"]).exits(0);
    let drawn = place.run(&["sample", "g.gmask"]).exits(0).stdout;
    place.run_with(&["check", "g.gmask", "-"], &drawn).exits(0);
}

#[test]
fn letters_of_a_special_token_are_letters_where_the_token_is_not_allowed() {
    let place = Place::with_grammar("g.gbnf", "root ::= [^x]* \"x\" | <|end|> \"y\"\n")
        .with("letters.txt", "<|end|>x")
        .with("token.txt", "<|end|>y");
    place.run(&["check", "g.gmask", "letters.txt", "token.txt"]).exits(0);
}

#[test]
fn token_ids_are_checked_as_a_host_would() {
    let place = Place::with_grammar("g.regex", "ab?");
    let json = ["--format", "json"];
    let check = |ids: &str| {
        let run = place.run(&[&["check", "g.gmask", "--tokens", ids], &json[..]].concat());
        (run.code, run.value())
    };
    // A byte is the token of its number.
    assert_eq!(check("97, 98").0, 0);
    assert_eq!(check("[97]").0, 0);
    let (code, refused) = check("97,99");
    assert_eq!((code, &refused["index"], &refused["token"]), (1, &json!(1), &json!(99)));
    assert_eq!((&refused["verdict"], &refused["may_end"]), (&json!("token-refused"), &json!(true)));
    assert_eq!(check("97,4000000000").0, 1);
    assert_eq!(check("").1["verdict"], json!("ends-too-early-in-tokens"));
    place.run(&["check", "g.gmask", "--tokens", "a"]).exits(2);
    place.run(&["check", "g.gmask"]).exits(2);
}

#[test]
fn texts_in_another_form_name_the_flags() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a","b"],"additionalProperties":false}"#;
    let place = Place::with_schema(
        "s.json",
        schema,
        &["--whitespace", "compact", "--numbers", "canonical"],
    );
    let flags = |text: &str| {
        let run = place.run_with(&["check", "s.gmask", "-", "--format", "json"], text).exits(1);
        run.value()["compile_with"].clone()
    };
    assert_eq!(flags(r#"{"a": 1,"b":"x"}"#), json!(["--whitespace flexible"]));
    assert_eq!(flags("{\n  \"a\": 1,\n  \"b\": \"x\"\n}"), json!(["--whitespace flexible"]));
    assert_eq!(flags(r#" {"a":1,"b":"x"}"#), json!(["--surround"]));
    assert_eq!(flags(r#"{"b":"x","a":1}"#), json!(["--key-order any"]));
    assert_eq!(flags(r#"{"a":1.0,"b":"x"}"#), json!(["--numbers any"]));
    assert_eq!(flags(r#"{"a":1,"b":"\u0078"}"#), json!(["--escapes any"]));
    assert_eq!(
        flags(r#"{"b":"\u0078","a":1e0}"#),
        json!(["--numbers any", "--escapes any", "--key-order any"])
    );
    assert_eq!(flags(r#"{"a":1,"b":2}"#), Value::Null);
    assert_eq!(flags(r#"{"a":1,"b""#), Value::Null);
}

#[test]
fn a_file_that_is_missing_is_a_failure() {
    let place = Place::with_grammar("g.regex", "a");
    let run = place.run_with(&["check", "g.gmask", "-", "nowhere.txt"], "a").exits(2);
    assert_eq!(run.stdout, "<stdin>: accepted, 1 bytes\n");
    assert!(run.stderr.contains("nowhere.txt"), "{}", run.stderr);
}

#[test]
fn tokens_stand_in_a_text_by_id_and_where_any_other_token_may() {
    let grammar = "root ::= !<|end|> \"x\" <|end|>\n";
    let place = Place::with_grammar("g.gbnf", grammar);
    for (text, code) in [
        (" hellox<|end|>", 0),
        ("<[261]>x<|end|>", 0),
        ("<|end|>x<|end|>", 1),
        (" hello x<|end|>", 1),
    ] {
        std::fs::write(place.path("t.txt"), text).expect("written");
        place.run(&["check", "g.gmask", "t.txt"]).exits(code);
        let mask = ["debug", "mask", "g.gmask", "--format", "json", "--after", text];
        place.run(&mask).exits(code);
    }
}
