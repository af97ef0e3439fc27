//! Tests of whole repairs: how texts are read, and what a repair never does, for random values and
//! damages.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn options() -> RepairOptions {
    RepairOptions::default()
}

fn fixed(source: &str) -> Result<Repaired, RepairError> {
    repair(source, None, &options())
}

#[test]
fn texts_of_many_kinds() {
    for (source, json) in [
        ("{'a': True, 'b': None}", r#"{"a": true, "b": null}"#),
        ("{a: 1, b_c: [1, 2,],}", r#"{"a": 1, "b_c": [1, 2]}"#),
        (r#"{"a": 1 "b": 2}"#, r#"{"a": 1, "b": 2}"#),
        (r#"{"a" 1}"#, r#"{"a": 1}"#),
        (r#"{"a": b "c": d}"#, r#"{"a": "b", "c": "d"}"#),
        ("{1: 'a', 2: 'b'}", r#"{"1": "a", "2": "b"}"#),
        ("{\"a\": \"b\"\n c: d\n}", r#"{"a": "b", "c": "d"}"#),
        ("{\"a\":/* b */true}", r#"{"a": true}"#),
        (r#"{"a" => 1; "b" => "c"}"#, r#"{"a": 1, "b": "c"}"#),
        (r#"{"a": "x, "b": "y"}"#, r#"{"a": "x", "b": "y"}"#),
        (r#"{"a": "say "hi" now"}"#, r#"{"a": "say \"hi\" now"}"#),
        ("{\"a\": \"x\ny\"}", r#"{"a": "x\ny"}"#),
        ("// note\n{\"a\": 1 /* one */}", r#"{"a": 1}"#),
        ("Sure:\n```json\n{\"a\": [1, 2\n```", r#"{"a": [1, 2]}"#),
        (r#"{"a": [1, 2}"#, r#"{"a": [1, 2]}"#),
        (r#"{"a": 1}}"#, r#"{"a": 1}"#),
        ("\u{feff}[1,2,]", "[1,2]"),
        (r#"{"a": hello world}"#, r#"{"a": "hello world"}"#),
        ("{“a”: “b”}", r#"{"a": "b"}"#),
        ("[.5, +1, 2.]", "[0.5, 1, 2.0]"),
        (r#"{"a": 1, "b": "xy"#, r#"{"a": 1, "b": "xy"}"#),
        (r#"{"a": 1, "b"#, r#"{"a": 1}"#),
        (r#"{"a": true, "b": fal"#, r#"{"a": true}"#),
    ] {
        let repaired = fixed(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(
            repaired.value,
            crate::parse(json).unwrap(),
            "{source} became {}",
            repaired.text
        );
    }
}

/// If a string contains a backslash that begins no escape, its other escapes become doubtful.
#[test]
fn texts_that_were_not_escaped_keep_their_backslashes() {
    for (source, content, certain) in [
        (r#"{"a": "C:\Users\new\temp\file.txt"}"#, r"C:\Users\new\temp\file.txt", false),
        (r#"{"a": "\alpha \beta \frac{1}{2}"}"#, r"\alpha \beta \frac{1}{2}", false),
        (r#"{"a": "\( \frac{1}{2} \)"}"#, r"\( \frac{1}{2} \)", false),
        (r#"{"a": "x &= \nu \\ \mu"}"#, r"x &= \nu \\ \mu", false),
        (r#"{"a": "\\server\share\new"}"#, r"\\server\share\new", false),
        (r#"{"a": "D:\\one\Two\new"}"#, r"D:\one\Two\new", false),
        (r#"{"a": "C:\Users\", "b": 1}"#, r"C:\Users\", false),
        (r#"{'a': 'C:\Users\new'}"#, r"C:\Users\new", false),
        (r#"{"a": "C:\Users\nick \"x\""}"#, r#"C:\Users\nick "x""#, false),
        (r#"{"a": "\pi caf\u00e9"}"#, r"\pi café", false),
        (r#"{"a": "\$5\nmore"}"#, "\\$5\nmore", false),
        (r#"{"a": "\d+", "b": "x\ny"}"#, r"\d+", true),
        (r#"{"a": "it\'s\nok"}"#, "it's\nok", true),
        (r#"{"a": "\x41\n",}"#, "A\n", true),
        (r#"{"a": "C:\new",}"#, "C:\new", true),
    ] {
        let repaired = fixed(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(repaired.value["a"], content, "{source} became {}", repaired.text);
        assert_eq!(repaired.is_certain(), certain, "{source}");
        assert_eq!(replay(source, &repaired.edits), repaired.text);
    }
}

/// A string with a quote inside may lack its closing quote. The comma after it then belongs to the
/// document.
#[test]
fn strings_with_quotes_inside_end_before_a_comma() {
    for (source, json) in [
        (r#"{"a": "Jack O"Sullivan, "b": "5"}"#, r#"{"a": "Jack O\"Sullivan", "b": "5"}"#),
        ("{'a': 'Jack O'Sullivan, 'b': '5'}", r#"{"a": "Jack O'Sullivan", "b": "5"}"#),
        (r#"{"a": "the "big" one, "b": 1}"#, r#"{"a": "the \"big\" one", "b": 1}"#),
        ("{'a': 'rock 'n' roll, 'b': 'c'}", r#"{"a": "rock 'n' roll", "b": "c"}"#),
        (r#"{"a": "6"2 tall, "b": 1}"#, r#"{"a": "6\"2 tall", "b": 1}"#),
        (r#"["O"Neil, "O"Brien, "b"]"#, r#"["O\"Neil", "O\"Brien", "b"]"#),
        ("{\n \"a\": \"O\"Neil\n \"b\": 1\n}", r#"{"a": "O\"Neil", "b": 1}"#),
        (r#"{"a": "O"Neil}"#, r#"{"a": "O\"Neil"}"#),
        // Here the quotes inside are closed, or a comma is missing.
        (r#"{"a": "Conan O"Brien", "b": 1}"#, r#"{"a": "Conan O\"Brien", "b": 1}"#),
        (r#"["say "hi, there" now", "b"]"#, r#"["say \"hi, there\" now", "b"]"#),
        (r#"["a" b, "c"]"#, r#"["a", "b", "c"]"#),
    ] {
        let repaired = fixed(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(repaired.value, crate::parse(json).unwrap(), "{source}");
        assert!(!repaired.is_certain(), "{source}");
    }
}

/// Digits with punctuation are a string if the schema allows strings and no numbers. If it allows
/// numbers, they stay rejected.
#[test]
fn times_dates_and_addresses_are_strings_of_a_schema() {
    let schema: JsonSchema = r#"{"additionalProperties": false, "properties": {
        "a": {"type": "string"}, "b": {"type": "array", "items": {"type": ["string", "null"]}},
        "c": {"type": ["string", "number"]}, "d": {"type": "string", "format": "date"}}}"#
        .parse()
        .unwrap();
    for text in [
        "5kg",
        "$5.00",
        "10:30",
        "12:30 PM",
        "2024-01-02",
        "192.168.0.1",
        "+49 123",
        "1.2.3",
        "16:9",
        "(030) 123",
        "01234",
        "2024-01-02T10:30:15+02:00",
        "2024-01-02 10:30",
    ] {
        for (source, value) in [
            (format!("{{\"a\": {text}}}"), json!({"a": text})),
            (format!("{{a: {text}, b: [{text},]}}"), json!({"a": text, "b": [text]})),
            (
                format!("{{\"b\": [{text}, null, {text}], \"a\": {text}}}"),
                json!({"b": [text, null, text], "a": text}),
            ),
        ] {
            let repaired = repair(&source, Some(&schema), &options())
                .unwrap_or_else(|error| panic!("{source}: {error}"));
            assert_eq!(repaired.value, value, "{source}");
            assert!(!repaired.is_certain(), "{source}");
        }
    }
    let repaired = repair("{d: 2024-01-02}", Some(&schema), &options()).unwrap();
    assert_eq!(repaired.value, json!({"d": "2024-01-02"}));
    for source in [
        // A number is not a string, and adjacent values are not one string.
        "{\"a\": 12,}",
        "{\"a\": +1}",
        "{\"a\": 0x1F}",
        "{\"a\": 1_000}",
        "{\"a\": 1,234}",
        "{\"b\": [5 5]}",
        "{\"a\": NaN}",
        "{\"a\": ...}",
        "{\"c\": 10:30}",
        "{\"c\": 01}",
        "{\"a\": 12:",
        "{10:30: 1}",
        "{d: 10:30}",
    ] {
        let found = repair(source, Some(&schema), &options());
        let is_nothing = |found: &Repaired| found.truncated && found.value == json!({});
        assert!(found.as_ref().map_or(true, is_nothing), "{source} became {}", found.unwrap().text);
    }
    for source in ["{\"a\": 10:30}", "[2024-01-02]", "[192.168.0.1]", "[01]"] {
        assert!(fixed(source).is_err(), "{source} became {}", fixed(source).unwrap().text);
    }
}

/// Notations of programs are read: Python strings and tuples, and documents that are escaped as a
/// whole.
#[test]
fn notations_of_programs_are_read() {
    for (source, json, certain) in [
        (r#"{"a": """b"""}"#, r#"{"a": "b"}"#, true),
        ("{\"a\": \"\"\"b\nc \"d\" e\"\"\", \"f\": 1}", r#"{"a": "b\nc \"d\" e", "f": 1}"#, true),
        ("{'a': '''it's''', 'b': '''c'''}", r#"{"a": "it's", "b": "c"}"#, true),
        (r#"{"""a""": """say "hi" now"""}"#, r#"{"a": "say \"hi\" now"}"#, true),
        (r#"{\"a\": \"b\"}"#, r#"{"a": "b"}"#, true),
        (
            r#"{\n  \"a\": [1, {\"b\": \"c\\n\\\"d\\\"\"}]\n}"#,
            r#"{"a": [1, {"b": "c\n\"d\""}]}"#,
            true,
        ),
        ("Here:\n```json\n[\\\"a\\\"]\n```", r#"["a"]"#, true),
        ("{u'a': u'b', 'c': U\"d\"}", r#"{"a": "b", "c": "d"}"#, true),
        (r#"["a", u"b"]"#, r#"["a", "b"]"#, true),
        ("{'a': (1, 'b'), 'c': (), 'd': (2,)}", r#"{"a": [1, "b"], "c": [], "d": [2]}"#, false),
        ("[('a', 1), ('b', (2, 3))]", r#"[["a", 1], ["b", [2, 3]]]"#, false),
        // Parentheses with plain text, and words without an opening quote.
        (r#"{"a": (b, c), "d": 1}"#, r#"{"a": "(b, c)", "d": 1}"#, false),
        (r#"{"a": f", "b": "c"}"#, r#"{"a": "f", "b": "c"}"#, false),
    ] {
        let repaired = fixed(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(repaired.value, crate::parse(json).unwrap(), "{source}");
        assert_eq!(repaired.is_certain(), certain, "{source}");
        assert_eq!(replay(source, &repaired.edits), repaired.text);
    }
}

/// Notations of programs are rejected if their meaning is unknown or JSON cannot express it.
#[test]
fn notations_of_programs_that_json_has_nothing_for_are_refused() {
    for source in [
        "{\"a\": \"\"\"b, \"c\": 1}",
        "{\"a\": \"\"\"}",
        r#"{\"a\": \"b}"#,
        r#"{\"a\": 1, "b": 2}"#,
        r"{\'a\': 1}",
        "{\"a\": b\"c\"}",
        "{'a': b'c'}",
        "[\"a\", rb\"b\"]",
        "{'a': f'{b}'}",
        "{\"a\": 0x1F}",
        "{\"a\": 0o17}",
        "{\"a\": 0b11}",
        "{0x1: 2}",
        "{\"a\": (1)}",
        "{'a': ('b')}",
        "{\"a\": [1, 2)}",
        "{('a', 'b'): 1}",
        "('a', 'b')",
        "{'a': datetime.date(2024, 1, 2)}",
    ] {
        assert!(fixed(source).is_err(), "{source} became {}", fixed(source).unwrap().text);
    }
}

/// Full-width punctuation separates if the document or its schema has a separator there. Elsewhere
/// it is plain text.
#[test]
fn full_width_punctuation_separates() {
    let schema: JsonSchema = r#"{"properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "additionalProperties": false}"#
        .parse()
        .unwrap();
    for (source, json) in [
        ("{\"a\": \"张三\"，\"b\": 5}", r#"{"a": "张三", "b": 5}"#),
        ("{“a”：“张三”，“b”：5}", r#"{"a": "张三", "b": 5}"#),
        ("{「a」：『张三』；「b」：5}", r#"{"a": "张三", "b": 5}"#),
        ("{＂a＂：＂张三＂，＇b＇：5}", r#"{"a": "张三", "b": 5}"#),
        ("{a：张三，b：5}", r#"{"a": "张三", "b": 5}"#),
        ("{\"a\": \"张三，\"b\": 5}", r#"{"a": "张三", "b": 5}"#),
        ("｛\"b\": 5，\"a\": 张三｝", r#"{"b": 5, "a": "张三"}"#),
        ("{\"a\": \"他说\"好\"，走了\"，\"b\": 5}", r#"{"a": "他说\"好\"，走了", "b": 5}"#),
        ("{\"a\": 你好，世界}", r#"{"a": "你好，世界"}"#),
        ("{\"a\": 彼は「はい」と言った, \"b\": 5}", r#"{"a": "彼は「はい」と言った", "b": 5}"#),
        ("{\"b\"：5，\"a", r#"{"b": 5}"#),
        ("{\"a\": \"x\"，", r#"{"a": "x"}"#),
    ] {
        for schema in [None, Some(&schema)] {
            let repaired = repair(source, schema, &options())
                .unwrap_or_else(|error| panic!("{source}: {error}"));
            assert_eq!(repaired.value, crate::parse(json).unwrap(), "{source}");
            assert!(!repaired.is_certain(), "{source}");
            assert_eq!(replay(source, &repaired.edits), repaired.text);
        }
    }
    for (source, json) in [
        ("[\"张三\"，\"a\"， 5]", r#"["张三", "a", 5]"#),
        ("［1，2、3］", "[1, 2, 3]"),
        ("[张三，李四]", r#"["张三", "李四"]"#),
    ] {
        assert_eq!(fixed(source).unwrap().value, crate::parse(json).unwrap(), "{source}");
    }
    assert!(fixed("{\"张三\"，\"age\"}").is_err());
}

/// RFC 8259 allows half of a surrogate pair, so the text keeps it. The value has a replacement
/// character.
#[test]
fn half_of_a_surrogate_pair_is_json() {
    for (source, text) in [
        (r#"{"a": "\ud800"}"#, r#"{"a": "\ud800"}"#),
        (r#"{"a": "\udc00",}"#, r#"{"a": "\udc00"}"#),
        (r"{a: '\ud83d'}", r#"{"a": "\ud83d"}"#),
    ] {
        let schema: JsonSchema = r#"{"properties": {"a": {"maxLength": 1}}}"#.parse().unwrap();
        for schema in [None, Some(&schema)] {
            let repaired = repair(source, schema, &options()).unwrap();
            assert_eq!(
                (repaired.text.as_str(), &repaired.value),
                (text, &json!({"a": "\u{fffd}"}))
            );
            assert!(repaired.is_certain(), "{source}");
        }
    }
}

#[test]
fn what_is_never_done_is_refused() {
    for source in [
        "[NaN]",
        "{\"a\": undefined}",
        "{\"a\": }",
        "{\"a\":, \"b\": 1}",
        "{'a': 1, 'a': 2}",
        "{'a': 'b' +\n'c'}",
        "{\"a\": {\"b\": \"c\" # note }, \"d\": 1}",
        "{\"a\": true, NOTE \"b\": 1}",
        "{\"a\": \"b\" true}",
        "[1, 2)",
        "[\"a\" + \"b\"]",
        "[01]",
        "[1, 2, ...]",
        "hello",
        "",
        "{\"a\": 1}{\"b\": 2",
        "{\"a\": 1,}\n{\"b\": 2}",
        "[{\"a\": [1]}] [{\"b\": [2",
    ] {
        assert!(fixed(source).is_err(), "{source} became {}", fixed(source).unwrap().text);
    }
}

#[test]
fn of_several_documents_one_is_taken_where_only_one_can_be() {
    let error = fixed("{\"a\": 1,}\n{'a': 2}").unwrap_err();
    assert!(
        matches!(&error, RepairError::Several { documents } if *documents == [0..9, 10..18]),
        "{error}"
    );
    for copies in ["{'a': [1]}\n{\"a\": [1]}", "{\"a\": [1]}, {\"a\": [", "{a: [1]} or {a: [1]}."] {
        let repaired = fixed(copies).unwrap();
        assert_eq!(repaired.value, json!({"a": [1]}), "{copies}");
        assert_eq!(replay(copies, &repaired.edits), repaired.text);
        assert!(repaired.grade() == Grade::Likely);
    }
    let schema: JsonSchema = r#"{"required": ["b"]}"#.parse().unwrap();
    let source = "such as {'a': 1}:\n{'b': 2} it is";
    let repaired = repair(source, Some(&schema), &options()).unwrap();
    assert_eq!(repaired.text, "{\"b\": 2}");
    assert_eq!(replay(source, &repaired.edits), repaired.text);
    let both = "{'b': 1}\n{'b': 2}";
    let error = repair(both, Some(&schema), &options()).unwrap_err();
    assert!(matches!(error, RepairError::Several { .. }), "{error}");
}

#[test]
fn no_closer_is_moved_and_no_address_is_a_comment() {
    let source = "{\"a\": [1, 2 3], \"u\": \"http://x.y/z\"}";
    assert_eq!(fixed(source).unwrap().value, json!({"a": [1, 2, 3], "u": "http://x.y/z"}));
    assert!(fixed("{\"a\": [{\"b\": 1}], \"c\": 2} {\"x\": 1").is_err());
    assert!(
        fixed("{\"u\": http://x.y/z, \"v\": {\"w\": 1")
            .is_ok_and(|found| { found.value == json!({"u": "http://x.y/z", "v": {"w": 1}}) })
    );
}

#[test]
fn a_number_at_the_end_may_have_more_digits() {
    let repaired = fixed("{\"a\": 12").unwrap();
    assert!(repaired.ambiguous && repaired.truncated);
    let cut = RepairOptions { cut: true, ..options() };
    assert_eq!(repair("{\"b\": 1, \"a\": 12", None, &cut).unwrap().value, json!({"b": 1}));
}

#[test]
fn a_schema_chooses_between_readings_and_changes_none() {
    let schema: JsonSchema = r#"{"type": "object", "required": ["a"], "additionalProperties": false,
        "properties": {"a": {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": false},
        "b": {"type": "integer"}}}"#
        .parse()
        .unwrap();
    let repaired = repair(r#"{"a": {"x": 1, "b": 2}"#, Some(&schema), &options()).unwrap();
    assert_eq!(repaired.value, json!({"a": {"x": 1}, "b": 2}));
    assert!(!repaired.ambiguous);
    // A text that parses is not repaired.
    let error = repair(r#"{"a": {"x": "1"}}"#, Some(&schema), &options()).unwrap_err();
    assert!(matches!(error, RepairError::Invalid(_)));
    assert!(repair(r#"{"a": {"x": '1'}}"#, Some(&schema), &options()).is_err());
    let error = repair(r#"{"b": 2"#, Some(&schema), &RepairOptions { cut: false, ..options() })
        .unwrap_err();
    assert!(
        matches!(error, RepairError::Incomplete { ref missing } if *missing == ["/a"]),
        "{error}"
    );
}

#[test]
fn limits_are_errors() {
    let limits = RepairLimits { bytes: 4, ..options().limits };
    let error = repair("[1, 2", None, &RepairOptions { limits, ..options() }).unwrap_err();
    assert!(matches!(error, RepairError::Limit { limit: Limit::Bytes }));
    let limits = RepairLimits { nodes: 3, ..options().limits };
    let error = repair("[1, 2", None, &RepairOptions { limits, ..options() }).unwrap_err();
    assert!(matches!(error, RepairError::Limit { limit: Limit::Nodes }));
    let limits = RepairLimits { steps: 3, ..options().limits };
    let error = repair("[1, 2", None, &RepairOptions { limits, ..options() }).unwrap_err();
    assert!(matches!(error, RepairError::Limit { limit: Limit::Steps }));
    let limits = RepairLimits { deadline: Some(Duration::ZERO), ..options().limits };
    let long = format!("[{}", "1 2, ".repeat(100));
    let error = repair(&long, None, &RepairOptions { limits, ..options() }).unwrap_err();
    assert!(matches!(error, RepairError::Limit { limit: Limit::Time }));
}

#[test]
fn a_text_of_the_greatest_length_is_read() {
    let source = format!("[\"{}", "x".repeat((1 << 20) - 2));
    let repaired = fixed(&source).unwrap();
    assert_eq!(repaired.value[0].as_str().map(str::len), Some((1 << 20) - 2));
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1000i64..1000).prop_map(Value::from),
        "[a-z ,:'\\\\é{}\\[\\]]{0,12}".prop_map(Value::from),
    ];
    let nested = scalar.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    });
    nested.prop_filter("a container", |value| value.is_array() || value.is_object())
}

/// Returns all strings and numbers of a value, including keys.
fn scalars(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                found.extend(members.keys().cloned());
                open.extend(members.values());
            }
            Value::String(text) => found.push(text.clone()),
            Value::Number(number) => found.push(number.to_string()),
            Value::Bool(_) | Value::Null => {}
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn valid_json_is_returned_byte_for_byte(value in value(), pretty: bool) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let repaired = fixed(&text).unwrap();
        prop_assert_eq!(&repaired.text, &text);
        prop_assert!(repaired.edits.is_empty());
    }

    /// For a text with any part deleted: the repair is JSON, and its edits convert the source to
    /// it. Repairing it again changes nothing, and all its scalars were in the source.
    #[test]
    fn repairs_are_json_and_make_nothing_up(value in value(), from: prop::sample::Index, len in 0usize..4, pretty: bool) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let at = from.index(text.len());
        let end = (at + len).min(text.len());
        prop_assume!(text.is_char_boundary(at) && text.is_char_boundary(end));
        let source = format!("{}{}", &text[..at], &text[end..]);
        if let Ok(repaired) = fixed(&source) {
            prop_assert_eq!(replay(&source, &repaired.edits), repaired.text.as_str());
            prop_assert_eq!(crate::parse(&repaired.text).unwrap(), repaired.value.clone());
            let again = fixed(&repaired.text).unwrap();
            prop_assert_eq!(again.text, repaired.text);
            // A deletion may create other escapes, or break them.
            let plain = source.replace('\\', "");
            for scalar in scalars(&repaired.value) {
                let found = plain.contains(&scalar.replace('\\', "")) || scalar.contains(char::is_control);
                prop_assert!(found, "{scalar:?} of {source:?}");
            }
        }
    }

    /// The repair of a truncated text has no scalar that its document lacks. Exceptions are
    /// truncated strings, and numbers that are reported as possibly truncated.
    #[test]
    fn broken_off_texts_say_nothing_else(value in value(), from: prop::sample::Index) {
        let text = value.to_string();
        let at = from.index(text.len());
        prop_assume!(text.is_char_boundary(at));
        if let Ok(repaired) = fixed(&text[..at])
            && !repaired.ambiguous
        {
            let whole = scalars(&value);
            for scalar in scalars(&repaired.value) {
                prop_assert!(whole.iter().any(|known| known.starts_with(&scalar)), "{scalar:?} of {text}");
            }
        }
    }

    #[test]
    fn no_text_breaks_anything(text in "[\\[\\]{}:,\"'`a1.\\-+\\\\/#\n tTé“]{0,40}") {
        let _ = fixed(&text);
        let _ = crate::extract_json(&text).count();
        let _ = crate::JsonValidator { repair: true, strict: false, ..Default::default() }.validate(&text);
    }
}
