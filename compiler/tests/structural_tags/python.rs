//! Calls in Python: texts that a Python interpreter reads as values of the schema are accepted, and others are not.

use serde_json::{Value, json};

use super::verdicts;

/// Holds the verdicts of a tag on texts that it accepts, and on texts that it refuses.
#[track_caller]
fn check(tag: &Value, accepted: &[&str], refused: &[&str]) {
    for (texts, expected) in [(accepted, true), (refused, false)] {
        let found = verdicts(tag, texts).unwrap_or_else(|errors| panic!("{errors}"));
        let wrong: Vec<_> =
            texts.iter().zip(found).filter(|(_, found)| *found != expected).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

fn members(schema: &Value) -> Value {
    json!({"type": "json_schema", "style": "python", "json_schema": schema})
}

#[test]
fn arguments_are_of_the_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "pattern": "^[a-z'\"\n]{2,4}$"},
            "b": {"type": ["integer", "null", "boolean"]},
            "c": {
                "type": "object",
                "properties": {"k": {"type": "array", "items": {"enum": ["x", 1]}}},
                "additionalProperties": {"type": "string"},
            },
        },
        "required": ["a"],
        "additionalProperties": false,
    });
    let accepted = [
        r#"a="xy""#,
        "a='xy'",
        r#"a="x'\n\"""#,
        "a='x\"y', b=3",
        "a='xy', b=None",
        "a='xy', b=null",
        r#"a='xy', b=True, c={"k": ["x", 'x', 1], "other": 'any\'\n"'}"#,
        "a='xy', c={'k': []}",
        "a='xy', c={}",
    ];
    let refused = [
        "",
        "b=3",
        "a=xy",
        "a=\"xy'",
        "a='x'",
        "a='abcde'",
        "a='xY'",
        // Between single quotes, strings with a pattern have no escapes.
        r"a='x\''",
        r"a='x\ny'",
        "a='x\ny'",
        "a='xy', b='3'",
        "a='xy',b=3",
        "a='xy', d=3",
        "a='xy', c={k: []}",
        "a='xy', c={'k': ['y']}",
        "a='xy', c={'k\": []}",
        "a='xy', c={'other': 'x'}",
        "a='xy', c=k=[]",
        "{\"a\": \"xy\"}",
    ];
    check(&members(&schema), &accepted, &refused);
}

#[test]
fn any_arguments_and_other_values() {
    let open = members(&json!({"type": "object"}));
    let accepted = ["", r#"x={"a": [{"b": 'c'}, [], None]}, y="""#, r"x='\u001f\\'"];
    check(&open, &accepted, &["x=[", r"x='\u0041'", "x={a: 1}", "x y=1", "x.y=1", "x=1,"]);
    let list = members(&json!({"type": "array", "items": {"type": "boolean"}}));
    check(&list, &["[True, False]"], &["True, False", "[1]"]);
    let spaced = json!({"type": "json_schema", "style": "python", "json_schema": {"type": "object"}, "max_whitespace_cnt": 1});
    check(&spaced, &["x=1, y=[ 1 ,  2 ]"], &["x=1,y=2"]);
}

/// An output of the style `pythonic` is a text or calls.
#[test]
fn calls_stand_alone() {
    let parameters = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let tool = |name: &str| json!({"type": "function", "function": {"name": name, "parameters": parameters}});
    let request = |choice: &str| json!({"type": "tools", "style": "pythonic", "tools": [tool("f"), tool("g.h")], "tool_choice": choice});
    let calls = ["[f()]", "[f(a=1), g.h(), f()]"];
    let texts = ["", "See [1] and [f].", "[", "f(a=1)"];
    let wrong = ["[f(b=1)]", "[f(a='1')]", "Now [f()]", "[f()] now", "[f(", "[f() ]", "text [g.h("];
    check(&request("auto"), &[&calls[..], &texts].concat(), &wrong);
    check(&request("required"), &calls, &[&texts[..], &wrong].concat());
    check(&request("none"), &texts, &[&calls[..], &wrong].concat());
}
