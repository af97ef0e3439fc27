//! Tests sources of other languages within grammars.

use serde_json::{Value, json};

use crate::FrontEnd;
use crate::gbnf::{GbnfOptions, codes};
use crate::sources::{NamedSource, Sources};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_grammar::ir::recognize::recognizes;

fn named(language: &str, name: &str, text: &str, options: Value) -> NamedSource {
    let Value::Object(options) = options else { panic!("options are an object") };
    NamedSource { language: language.to_owned(), options, source: Source::new(name, text) }
}

fn lower(text: &str, sources: &Sources) -> Result<Lowered, Vec<Diagnostic>> {
    let options = GbnfOptions { sources: sources.clone(), ..GbnfOptions::default() };
    FrontEnd::Gbnf(options).lower(Source::new("test.gbnf", text), &Budget::new())
}

#[track_caller]
fn holds(text: &str, sources: &Sources, accepted: &[&str], refused: &[&str]) {
    let lowered = lower(text, sources).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    for text in accepted {
        assert!(recognizes(&lowered.grammar, text.as_bytes()), "{text} is accepted");
    }
    for text in refused {
        assert!(!recognizes(&lowered.grammar, text.as_bytes()), "{text} is refused");
    }
}

/// Returns, for each error, its code, the text that it points at, and the name of that text's
/// source.
fn errors(text: &str, sources: &Sources) -> Vec<(&'static str, String, String)> {
    let errors = lower(text, sources).expect_err("it is refused");
    let compiled = Source::new("test.gbnf", text);
    let shown = errors.iter().map(|error| {
        let source = error.source(&compiled);
        let at = error.labels.first().map_or("", |label| &source.text[label.span.clone()]);
        (error.code, at.to_owned(), source.name.to_string())
    });
    shown.collect()
}

#[test]
fn texts_stand_where_a_string_may() {
    let none = Sources::default();
    holds(
        r#"root ::= "<" @json-schema { "type": "object", "properties": {"}": {"const": "]{"}},
              "required": ["}"], "additionalProperties": false } (">" | @regex/\/[a-c\/]{2,3}\\/)*"#,
        &none,
        &[r#"<{"}":"]{"}"#, r#"<{"}": "]{"}>>"#, r#"<{"}":"]{"}/a/\>"#],
        &[r#"<{"}":"]{"}/a"#, "<{}", r#"<{"}":1}"#],
    );
    holds("root ::= @choice[\"a\", \"]\"] ?  @regex/x/", &none, &["ax", "]x", "x"], &["a", "bx"]);
    // Names and braces without `@` keep their meaning.
    holds(
        "root ::= json-schema{2} regex \"a\"\njson-schema ::= \"j\"\nregex ::= \"r\"",
        &none,
        &["jjra"],
        &["jra"],
    );
}

#[test]
fn sources_by_name_have_their_own_options_and_rules() {
    let mut sources = Sources::default();
    let schema = r#"{"type": "array", "items": {"type": "integer"}, "maxItems": 2}"#;
    sources.add("a.json", named("json_schema", "a.json", schema, json!({"whitespace": "spaced"})));
    let list = "start ::= @\"a.json\" (\"+\" start)?";
    sources.add("list", named("gbnf", "list.gbnf", list, json!({"start": "start"})));
    holds(
        "root ::= @\"a.json\" \"=\" @\"list\" \";\" @\"a.json\"\n",
        &sources,
        &["[1, 2]=[3];[]", "[]=[3, 4]+[]+[1];[7]"],
        &["[1,2]=[3];[]", "[]=[3]", "[]=[1]+;[]"],
    );
    // A source is lowered once for all references to it in one grammar.
    let once = lower("root ::= @\"a.json\"", &sources).unwrap().grammar.rules.len();
    let twice = lower("root ::= @\"a.json\" @\"a.json\"", &sources).unwrap().grammar.rules.len();
    assert_eq!(once, twice);
}

#[test]
fn the_report_says_of_which_source_a_keyword_is() {
    let mut sources = Sources::default();
    let schema = r#"{"type": "string", "format": "unheard-of"}"#;
    sources.add("s.json", named("json-schema", "s.json", schema, json!({})));
    let text = format!("root ::= @\"s.json\" call\ncall ::= @json-schema{schema}");
    let lowered = lower(&text, &sources).unwrap();
    let pointers: Vec<_> = lowered.report.entries().map(|entry| entry.pointer.to_owned()).collect();
    for pointer in ["s.json#/format", "call#/format"] {
        assert!(pointers.iter().any(|known| known == pointer), "{pointer} in {pointers:?}");
    }
    // Options of a named source apply, its denied constructs included.
    let denied = json!({"deny": ["unknown-format"]});
    sources.add("s.json", named("json-schema", "s.json", schema, denied));
    let found = errors("root ::= @\"s.json\"", &sources);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].2, "s.json");
}

#[test]
fn errors_point_into_the_inner_source() {
    let mut sources = Sources::default();
    sources.add("bad.json", named("json-schema", "bad.json", r#"{"type": "strin"}"#, json!({})));
    sources.add("bad.gbnf", named("gbnf", "bad.gbnf", "root ::= nowhere", json!({})));
    sources.add("odd", named("prolog", "odd", "", json!({})));
    sources.add("option", named("regex", "option", "a", json!({"speed": 1})));
    for (text, code, at, source) in [
        ("root ::= @json-schema{\"type\": \"strin\"}", "json-schema::", "\"type\"", "test.gbnf"),
        ("root ::= \"é\" @regex/a(b/", "regex::", "(", "test.gbnf"),
        ("root ::= @\"bad.json\"", "json-schema::", "\"type\"", "bad.json"),
        ("root ::= @\"bad.gbnf\"", codes::UNKNOWN_RULE, "nowhere", "bad.gbnf"),
        ("root ::= @\"bad.jsn\"", codes::UNKNOWN_SOURCE, "@\"bad.jsn\"", "test.gbnf"),
        ("root ::= @\"odd\"", "source::unknown-language", "", "odd"),
        ("root ::= @\"option\"", "source::unknown-language", "a", "option"),
        ("root ::= @prolog{}", "source::unknown-language", "{}", "test.gbnf"),
        (
            "root ::= @json-schema{\"a\": [}",
            codes::BAD_INNER_SOURCE,
            "@json-schema{\"a\": [}",
            "test.gbnf",
        ),
        ("root ::= @regex/a\nb ::= \"/\"", codes::BAD_INNER_SOURCE, "@regex/a", "test.gbnf"),
        ("root ::= @ \"a\"", codes::BAD_INNER_SOURCE, "@ ", "test.gbnf"),
    ] {
        let found = errors(text, &sources);
        let (found_code, found_at, found_source) = &found[0];
        assert!(found_code.starts_with(code), "{text}: {found:?}");
        assert_eq!((found_at.as_str(), found_source.as_str()), (at, source), "{text}");
    }
}

#[test]
fn sources_are_not_within_themselves() {
    let mut sources = Sources::default();
    sources.add("a", named("gbnf", "a", "root ::= @\"b\" | \"a\"", json!({})));
    sources.add("b", named("gbnf", "b", "root ::= @\"a\" | \"b\"", json!({})));
    let found = errors("root ::= @\"a\"", &sources);
    assert_eq!(found, [("source::circle", "@\"a\"".to_owned(), "b".to_owned())]);
    // Without a cycle, references may still be nested too deep.
    for level in 0..12 {
        let text = format!("root ::= @\"l{}\" \"x\"", level + 1);
        sources.add(format!("l{level}"), named("gbnf", "l", &text, json!({})));
    }
    sources.add("l12", named("gbnf", "l", "root ::= \"x\"", json!({})));
    assert_eq!(errors("root ::= @\"l0\"", &sources)[0].0, "source::nested-too-deep");
    holds("root ::= @\"l6\"", &sources, &["xxxxxxx"], &["xxxxxx"]);
}

#[test]
fn a_front_end_alone_refuses_sources_within() {
    let options = GbnfOptions::default();
    let source = Source::new("test", "root ::= @regex/a/");
    let errors = crate::gbnf::lower(source, &options, &Budget::new()).unwrap_err();
    assert_eq!(errors[0].code, "source::not-read");
    assert_eq!(errors[0].labels[0].span, 16..17);
}

#[test]
fn macros_and_attributes_stand_beside_sources_within() {
    holds(
        "root ::= TagDispatch((\"<n>\", n)) \"!\"\nn ::= @regex/[0-9]+/ | Regex(\"[a-z]\")",
        &Sources::default(),
        &["!", "x<n>12!", "<n>a!"],
        &["<n>!", "<n>?!"],
    );
}
