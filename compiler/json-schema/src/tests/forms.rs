//! Text forms: the texts of an instance that each accepts, and the effect of each bound.

use super::{accepts, lower};
use crate::{Indentation, JsonSchemaOptions, NumberForm, Separator, TextForm, Whitespace};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;

fn compile(schema: &str, text: TextForm) -> Result<Lowered, Vec<Diagnostic>> {
    let options = JsonSchemaOptions { text, ..JsonSchemaOptions::default() };
    lower(Source::new("<test>", schema), &options, &Budget::new())
}

#[track_caller]
fn expect(schema: &str, text: TextForm, good: &[&str], bad: &[&str]) {
    let lowered = compile(schema, text).unwrap_or_else(|errors| panic!("{schema}: {errors:?}"));
    for text in good {
        assert!(accepts(&lowered, text), "{schema} refuses {text:?}\n{}", lowered.grammar);
    }
    for text in bad {
        assert!(!accepts(&lowered, text), "{schema} accepts {text:?}\n{}", lowered.grammar);
    }
}

fn spaces(whitespace: Whitespace) -> TextForm {
    TextForm { whitespace, ..TextForm::NATURAL }
}

fn indented(spaces: u8, levels: u8) -> Whitespace {
    Whitespace::Indented(Indentation { spaces, levels })
}

const POINT: &str = r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"type":"string"}}}"#;

#[test]
fn the_default_is_natural() {
    assert_eq!(TextForm::default(), TextForm::NATURAL);
    let good = [
        "{}",
        r#"{"a":[1,2],"b":"x"}"#,
        r#"{"a": [1, 2], "b": "x"}"#,
        r#"{"a": [1,2],"b":"x", "c":[{"d": 1.50}, {}]}"#,
    ];
    let bad = [
        " {}",
        "{} ",
        "{ }",
        r#"{"a":  [1]}"#,
        r#"{"a" :[1]}"#,
        r#"{ "a":[1]}"#,
        r#"{"a":[ 1]}"#,
        r#"{"a":[1 ]}"#,
        r#"{"a":[1,  2]}"#,
        r#"{"a":[1 ,2]}"#,
        "{\"a\":\n[1]}",
        r#"{"a":[1.0]}"#,
        r#"{"b":"\u0041"}"#,
        r#"{"b":"x","a":[1]}"#,
    ];
    expect(POINT, TextForm::default(), &good, &bad);
}

#[test]
fn natural_numbers_may_end_where_they_are() {
    let natural = TextForm::NATURAL;
    let least = r#"{"type":"number","minimum":0}"#;
    let good = ["19.90", "19.9", "19.900", "5.0", "1e5", "1E+5", "0", "0.00", "1e-00001", "10e-1"];
    expect(least, natural, &good, &["-1", "01", "1.", ".5", "-0.1", "1e-000001"]);
    let any = ["-19.90", "1e5", "1e-00001", "-0.0", "0e0"];
    expect(r#"{"type":"number"}"#, natural, &any, &["1e000001", "1e12345", "+1"]);
    let within = r#"{"type":"number","minimum":-5,"maximum":99.5}"#;
    expect(within, natural, &["99.50", "1.50e+01", "9.95E1", "-0.0"], &["99.51", "1e2", "-5.01"]);
    let cents = r#"{"type":"number","multipleOf":0.01}"#;
    expect(cents, natural, &["1.230", "19.9", "1.5000e+08"], &["1.234", "1.2345e1"]);
    let whole = ["0", "7", "-12"];
    expect(r#"{"type":"integer"}"#, natural, &whole, &["1.0", "1e3", "-0", "10e-1"]);
    let bounded = r#"{"type":"integer","minimum":-12,"maximum":7}"#;
    expect(bounded, natural, &whole, &["1.0", "7e0", "-0"]);
    let either = r#"{"type":["integer","string"]}"#;
    expect(either, natural, &["5", "\"5\""], &["5.0"]);
    // In draft 4, a number with a point is no integer and has no other text.
    let pointed = r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","not":{"type":"integer"}}"#;
    expect(pointed, natural, &["1.0", "1.50", "1e2"], &["1", "-3"]);
}

#[test]
fn canonical_numbers_have_one_text() {
    let schemas = [r#"{"type":"number"}"#, r#"{"type":"number","minimum":-5}"#, "{}"];
    let bad = ["1.0", "1e5", "-0", "-0.0", "1.50", "10e-1", "1E5"];
    for schema in schemas {
        expect(schema, TextForm::SHORT, &["1", "0", "1.5", "-0.05", "100"], &bad);
    }
}

#[test]
fn integers_are_integers_in_any_spelling() {
    let any = TextForm { numbers: NumberForm::Any, ..TextForm::SHORT };
    let good =
        ["1", "10e-1", "100e-2", "1000E-3", "1.0", "1.50e1", "-0", "1e-0", "2e-00", "1e00001"];
    let bad = ["1e-1", "15e-1", "0.5", "1.55e1", "1.5", "10e-2"];
    for schema in [
        r#"{"type":"integer"}"#,
        r#"{"type":"integer","minimum":-9}"#,
        r#"{"type":"integer","minimum":-9,"maximum":30}"#,
    ] {
        expect(schema, any, &good, &bad);
    }
}

#[test]
fn lines_are_indented_by_their_depth() {
    let pretty = "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": \"x\",\n  \"c\": {\n    \"d\": [],\n    \"e\": {}\n  }\n}";
    let bad = [
        "{\"a\": [\n    1\n  ]\n}",
        "{\n \"a\": [\n    1\n  ]\n}",
        "{\n  \"a\":[\n    1\n  ]\n}",
        "{\n  \"a\": [\n  1\n  ]\n}",
        "{\n  \"a\": [1]\n}",
        "{\n  \"a\": [\n  ]\n}",
        "{\n}",
        "{\n  \"c\": {\n  \"d\": 1\n  }\n}",
        "{\n  \"c\": {\n    \"d\": 1\n    }\n}",
        "{\"b\":\"x\"}",
    ];
    expect(POINT, spaces(Whitespace::Indented(Indentation::DEFAULT)), &["{}", pretty], &bad);
    let wide = pretty.replace("  ", "    ");
    expect(POINT, spaces(indented(4, 32)), &[&wide], &[pretty]);
    let narrow = pretty.replace("  ", "");
    expect(POINT, spaces(indented(0, 32)), &[&narrow], &[pretty]);
    expect("{\"const\":[1]}", spaces(indented(2, 1)), &["[\n  1\n]"], &["[1]"]);
}

#[test]
fn any_value_is_indented_down_to_the_last_level() {
    let nested = |depth: usize, inner: &str| {
        let mut text = inner.to_owned();
        for level in (0..depth).rev() {
            let (inside, outside) = (" ".repeat(level + 1), " ".repeat(level));
            text = format!("[\n{inside}{text}\n{outside}]");
        }
        text
    };
    let [three, four] = [3, 4].map(|depth| nested(depth, "1"));
    let empty = nested(3, "{}");
    expect("{}", spaces(indented(1, 3)), &[&three, &empty, "1"], &[&four]);
}

#[test]
fn recursion_is_indented_down_to_the_last_level_and_the_report_says_so() {
    let list =
        r##"{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}"##;
    let text = spaces(indented(1, 2));
    let two = "{\n \"next\": {\n  \"next\": {}\n }\n}";
    let three = "{\n \"next\": {\n  \"next\": {\n   \"next\": {}\n  }\n }\n}";
    expect(list, text, &["{}", two], &[three]);
    let narrower = |lowered: &Lowered| -> Vec<(String, String)> {
        let entries = lowered.report.entries();
        let narrower = entries.filter(|entry| entry.verdict == Verdict::Narrower);
        narrower.map(|entry| (entry.pointer.to_owned(), entry.reason.to_owned())).collect()
    };
    let found = narrower(&compile(list, text).unwrap());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0.is_empty() && found[0].1.contains("levels"), "{found:?}");
    // A schema that is not nested so deep is exact.
    assert_eq!(narrower(&compile(POINT, text).unwrap()), []);
    assert_eq!(narrower(&compile(list, TextForm::NATURAL).unwrap()), []);
}

#[test]
fn documents_that_are_all_too_deep_are_refused() {
    let schema = r#"{"type":"array","minItems":1,"items":{"type":"array","minItems":1,"items":{"type":"integer"}}}"#;
    expect(schema, spaces(indented(1, 2)), &["[\n [\n  1\n ]\n]"], &["[]"]);
    let errors = compile(schema, spaces(indented(1, 1))).unwrap_err();
    assert_eq!(errors[0].code, "json-schema::level-limit");
    assert_eq!(errors[0].pointer.as_deref(), Some("/items"));
    // Compact text has no levels.
    let styled = Whitespace::Styled(Indentation { spaces: 1, levels: 1 });
    expect(schema, spaces(styled), &["[[1]]"], &["[\n [\n  1\n ]\n]"]);
}

#[test]
fn a_style_is_kept_to_the_end() {
    let styled = spaces(Whitespace::Styled(Indentation::DEFAULT));
    let good = [
        "{}",
        r#"{"a":[1,2],"b":"x"}"#,
        r#"{"a": [1, 2], "b": "x"}"#,
        "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": \"x\"\n}",
    ];
    let bad = [
        r#"{"a":[1, 2]}"#,
        r#"{"a": [1,2]}"#,
        r#"{"a":[1],"b": "x"}"#,
        "{\n  \"a\": [1]\n}",
        "{\n  \"b\": \"x\"}",
        "{\"a\": [\n    1\n  ]}",
        "{ }",
    ];
    expect(POINT, styled, &good, &bad);
    expect(r#"{"type":"integer"}"#, styled, &["5"], &[" 5", "5 "]);
    // Until a separator comes, text may still be compact or spaced.
    let lists = r##"{"type":"array","items":{"anyOf":[{"$ref":"#"},{"type":"integer"}]}}"##;
    let good =
        ["[[[1]]]", "[[[1]],2,3]", "[[[1]], 2, 3]", "[\n  [\n    1\n  ],\n  2\n]", "[[],[]]"];
    expect(lists, styled, &good, &["[[[1]],2, 3]", "[[1], 2,3]", "[[1,2], 3]", "[\n  [1]\n]"]);
    let any = ["[[{\"a\":[1,2]}]]", "[[{\"a\": [1, 2]}], 3]", "[\n  {\n    \"a\": 1\n  }\n]"];
    expect("{}", styled, &any, &["[[{\"a\": [1,2]}]]", "[{\"a\":1}, 2]"]);
}

#[test]
fn whitespace_around_the_document_is_bounded() {
    let text = TextForm { surround: 2, ..TextForm::NATURAL };
    let good = ["{}", " {}", "\n\t{}", "{} ", "\r\n{}\n\n", " {\"a\": []} "];
    expect(POINT, text, &good, &["   {}", "{}   ", "{ }", " \u{a0}{}"]);
    let scalar = r#"{"type":"integer"}"#;
    expect(scalar, text, &["5", " 5", " 5\n"], &["   5", "5 5", "- 5"]);
    let styled = TextForm {
        surround: 1,
        whitespace: Whitespace::Styled(Indentation::DEFAULT),
        ..TextForm::NATURAL
    };
    let pretty = "\n{\n  \"b\": \"x\"\n}\n";
    expect(POINT, styled, &[" {\"b\":\"x\"} ", pretty], &["\n\n{}"]);
}

#[test]
fn separators_are_as_given() {
    let item = Separator::item(" ,\n").unwrap();
    let key = Separator::key(" : ").unwrap();
    let text = spaces(Whitespace::Fixed { item, key });
    let good = ["{\"a\" : [1 ,\n2] ,\n\"b\" : \"x\" ,\n\"c\" : {\"d\" : [null ,\nnull]}}", "{}"];
    expect(POINT, text, &good, &["{\"a\":[1 ,\n2]}", "{\"a\" : [1,2]}", "{\"a\" : [1 ,2]}"]);
}

#[test]
fn keys_in_many_optional_members_are_laid_out_too() {
    let properties: Vec<_> =
        (0..60).map(|at| format!("\"k{at}\":{{\"type\":\"integer\"}}")).collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{{}}},"additionalProperties":false}}"#,
        properties.join(",")
    );
    let whitespace = Whitespace::Styled(Indentation::DEFAULT);
    let good = [
        "{}",
        "{\"k7\": 1, \"k50\": 2}",
        "{\"k7\":1,\"k50\":2}",
        "{\n  \"k7\": 1,\n  \"k50\": 2\n}",
    ];
    let bad = ["{\"k7\":1, \"k50\":2}", "{\n  \"k7\": 1, \"k50\": 2\n}", "{\"k50\":1,\"k7\":2}"];
    expect(&schema, spaces(whitespace), &good, &bad);
}
