//! Tests the texts of the built-in grammars, with options given by name.

use serde_json::json;

use crate::FrontEnd;
use crate::builtin::{BuiltInOptions, Columns, lower};
use crate::deny::{Deny, denied};
use crate::settings::{Language, Settings};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_grammar::ir::recognize::recognizes;

const OPTION: &str = "builtin::option";
const UNKNOWN: &str = "builtin::unknown";

fn built_in(name: &str, options: &serde_json::Value) -> Result<Lowered, Vec<Diagnostic>> {
    let settings = Settings::read(Language::BuiltIn, &options.to_string()).expect("options");
    settings.front_end.lower(Source::new("<built-in>", name), &Budget::new())
}

#[track_caller]
fn holds(name: &str, options: serde_json::Value, accepted: &[&str], refused: &[&str]) -> Lowered {
    let lowered = built_in(name, &options).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
    for text in accepted {
        assert!(recognizes(&lowered.grammar, text.as_bytes()), "{name} {options} refuses {text:?}");
    }
    for text in refused {
        assert!(
            !recognizes(&lowered.grammar, text.as_bytes()),
            "{name} {options} accepts {text:?}"
        );
    }
    lowered
}

#[test]
fn json_of_any_kind() {
    holds("json", json!({}), &["1", "{\"a\": [null]}", "\"é\""], &["", "{", " 1", "01"]);
    holds(
        "json-object",
        json!({"whitespace": "compact"}),
        &["{}", "{\"a\":1}"],
        &["[]", "{\"a\": 1}"],
    );
    holds("json-array", json!({}), &["[]", "[1, {}]"], &["{}", "1"]);
}

#[test]
fn lines_have_one_schema_each() {
    holds("jsonl", json!({}), &["1", "1\n{}\n", "[1]\n2\n3"], &["", "\n", "1\n\n2", "1 2"]);
    let line = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false});
    let lowered = holds(
        "jsonl",
        json!({"line": line, "min_items": 2, "max-items": 3, "whitespace": "compact"}),
        &["{\"a\":1}\n{\"a\":2}", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"],
        &[
            "{\"a\":1}",
            "{\"a\":1}\n{\"b\":2}",
            "{\"a\": 1}\n{\"a\":2}",
            "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":3}",
        ],
    );
    assert!(lowered.report.entries().any(|entry| entry.pointer == "/properties/a/type"));
    holds("jsonl", json!({"min-items": 0, "max-items": 1}), &["", "1", "1\n"], &["1\n1", "\n"]);
    // An error in the schema points into the schema.
    let errors = built_in("jsonl", &json!({"line": {"type": "strin"}})).unwrap_err();
    let error = &errors[0];
    let within = error.within().expect("it is in the schema");
    assert_eq!((&*within.name, &within.text[error.labels[0].span.clone()]), ("line", "\"type\""));
    for options in [
        json!({"whitespace": "indented"}),
        json!({"surround": 1}),
        json!({"separators": [",\n", ":"]}),
        json!({"max-items": 0}),
        json!({"min-items": 3, "max-items": 2}),
    ] {
        assert_eq!(built_in("jsonl", &options).unwrap_err()[0].code, OPTION, "{options}");
    }
}

#[test]
fn records_have_their_columns() {
    let lowered = holds(
        "csv",
        json!({"columns": 2}),
        &["a,b", "a,b\nc,d\n", ",\r\n\"x,\"\"\n\",é"],
        &["a", "a,b,c", "a,b\nc", "a,\"b"],
    );
    assert!(lowered.report.entries().all(|entry| entry.verdict == Verdict::Exact));
    holds(
        "csv",
        json!({"columns": ["id", "a;b", "q\"", ""], "separator": ";", "max-items": 1}),
        &["id;\"a;b\";\"q\"\"\";\"\"", "\"id\";\"a;b\";\"q\"\"\";\"\"\n1;2;3;4\n"],
        &[
            "id;a;b;\"q\"\"\";\"\"",
            "1;2;3;4",
            "id;\"a;b\";\"q\"\"\";\"\"\n1;2;3",
            "id;\"a;b\";\"q\"\"\";\"\"\n1;2;3;4\n1;2;3;4",
        ],
    );
    holds(
        "csv",
        json!({"separator": "\t", "columns": 3, "min-items": 2}),
        &["a\tb,\tc\n\t\t"],
        &["a\tb\tc", "a,b,c\na,b,c"],
    );
    holds(
        "csv",
        json!({"separator": "-", "columns": 2}),
        &["a-]^\\", "\"a-b\"-c"],
        &["a,b", "a-b-c"],
    );
    let lowered = holds("csv", json!({}), &["a,b\nc", ""], &["a\"b"]);
    assert!(lowered.report.entries().all(|entry| entry.verdict == Verdict::Approximate));
    assert_eq!(lowered.report.entries().count(), 1);
    for options in [
        json!({"separator": "\""}),
        json!({"separator": "\n"}),
        json!({"columns": 0}),
        json!({"columns": []}),
        json!({"columns": ["a\nb"]}),
    ] {
        assert_eq!(built_in("csv", &options).unwrap_err()[0].code, OPTION, "{options}");
    }
}

#[test]
fn elements_have_their_names() {
    let lowered = holds(
        "xml",
        json!({"names": ["a", "b:c"], "attributes": ["id", "x"]}),
        &[
            "<a/>",
            "<a>é &amp; x<b:c id=\"1\" x=\"'>\"/></a>\n",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<b:c ><a></a> ]] </b:c>",
        ],
        &[
            "",
            "a",
            "<a>",
            "<a></b:c>",
            "<d/>",
            "<a x=\"1\" id=\"2\"/>",
            "<a id=\"1\" id=\"1\"/>",
            "<a id=\"<\"/>",
            "<a>&</a>",
            "<a>></a>",
            "<a/><a/>",
            "<a id='1'/>",
        ],
    );
    assert!(lowered.report.entries().all(|entry| entry.verdict == Verdict::Exact));
    holds("xml", json!({"names": ["a"]}), &["<a/>", "<a ><a/></a>"], &["<a x=\"\"/>", "<a></a x>"]);
    let lowered = holds(
        "xml",
        json!({}),
        &["<x y:z=\"1\">t<é/></x>", "<x></y>"],
        &["<1/>", "<x", "<x><y></x>", "<x y=1/>"],
    );
    let denied = denied(&lowered.source, &lowered.report, &[Deny::Approximate]);
    assert_eq!(denied.len(), 1);
    for options in [
        json!({"names": ["1a"]}),
        json!({"names": ["a b"]}),
        json!({"names": ["a", "a"]}),
        json!({"attributes": ["a:b:c"]}),
        json!({"names": [""]}),
    ] {
        assert_eq!(built_in("xml", &options).unwrap_err()[0].code, OPTION, "{options}");
    }
}

#[test]
fn names_and_options_that_are_not_there() {
    for (name, options, code) in [
        ("jsnl", json!({}), UNKNOWN),
        ("", json!({}), UNKNOWN),
        ("json", json!({"columns": 2}), OPTION),
        ("csv", json!({"line": true}), OPTION),
        ("jsonl", json!({"names": ["a"]}), OPTION),
    ] {
        assert_eq!(built_in(name, &options).unwrap_err()[0].code, code, "{name} {options}");
    }
    assert!(Settings::read(Language::BuiltIn, r#"{"colums": 2}"#).is_err());
    let read = Settings::read(Language::BuiltIn, r#"{"columns": ["a"], "separator": ";"}"#);
    let expected = BuiltInOptions {
        columns: Some(Columns::Named(vec!["a".to_owned()])),
        separator: Some(';'),
        ..BuiltInOptions::default()
    };
    assert_eq!(read.unwrap().front_end, FrontEnd::BuiltIn(expected.clone()));
    assert!(lower(Source::new("x", "csv"), &expected, &Budget::new()).is_ok());
}
