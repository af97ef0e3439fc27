//! Explanations of refused texts: the place, and the keywords to blame.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Source;
use serde_json::{Value, json};

use crate::JsonSchemaOptions;
use crate::explain::{Cause, Explanation, explain};

fn explained(schema: &Value, accepted: &str, next: Option<u8>) -> Explanation {
    let source = Source::new("<test>", schema.to_string());
    let options = JsonSchemaOptions::default();
    explain(&source, accepted.as_bytes(), next, &options, &Budget::new())
        .unwrap_or_else(|errors| panic!("{schema}: {errors:?}"))
}

/// Returns the pointers of the keywords to blame, each with the keyword's value.
fn blamed(cause: &Cause) -> Vec<(&str, &str)> {
    let (Cause::OneOf(all) | Cause::Together(all)) = cause else { return Vec::new() };
    all.iter().map(|one| (one.place.pointer.as_str(), one.value.as_str())).collect()
}

#[test]
fn keywords_are_blamed_at_their_place() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 3},
            "age": {"$ref": "#/$defs/age"},
            "kind": {"enum": ["cat", "dog"]},
            "more": {"type": "array", "items": {"type": "boolean"}, "maxItems": 1},
        },
        "required": ["name"],
        "additionalProperties": false,
        "$defs": {"age": {"type": "integer", "maximum": 150}},
    });
    let cases = [
        ("{\"name\": \"Ada", "x", "/name", vec![("/properties/name/maxLength", "3")]),
        (
            "{\"name\": \"Ada\", \"age\": 15",
            "2",
            "/age",
            vec![("/$defs/age/maximum", "150"), ("/$defs/age/type", "\"integer\"")],
        ),
        ("{\"name\": \"Ada\", \"age\": 15", ".", "/age", vec![("/$defs/age/type", "\"integer\"")]),
        ("{", "}", "", vec![("/required", "[\"name\"]")]),
        ("{\"name\": \"\", \"nam", "e", "", vec![("/additionalProperties", "false")]),
        (
            "{\"name\": \"\", \"kind\": \"c",
            "o",
            "/kind",
            vec![("/properties/kind/enum", "[\"cat\",\"dog\"]")],
        ),
        (
            "{\"name\": \"\", \"more\": [true",
            ",",
            "/more",
            vec![("/properties/more/maxItems", "1")],
        ),
        (
            "{\"name\": \"\", \"more\": [",
            "1",
            "/more/0",
            vec![("/properties/more/items/type", "\"boolean\"")],
        ),
    ];
    for (accepted, next, instance, expected) in cases {
        let found = explained(&schema, accepted, next.bytes().next());
        assert_eq!(found.instance, instance, "{accepted}");
        assert_eq!(blamed(&found.cause), expected, "{accepted} {found:#?}");
    }
    let end = explained(&schema, "{\"name\": \"\"", None);
    assert_eq!(end.cause, Cause::Syntax);
}

#[test]
fn other_causes_are_named() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": false,
    });
    assert_eq!(explained(&schema, "{", Some(b',')).cause, Cause::Syntax);
    assert_eq!(explained(&schema, "{\"", Some(b'b')).cause, Cause::KeyOrder);
    assert_eq!(explained(&schema, "{\"a\":  ", Some(b' ')).cause, Cause::TextForm);
    let both = json!({"type": "string", "maxLength": 1, "pattern": "^.?$"});
    let found = explained(&both, "\"a", Some(b'b'));
    let Cause::Together(_) = found.cause else { panic!("{found:#?}") };
    assert_eq!(blamed(&found.cause), [("/maxLength", "1"), ("/pattern", "\"^.?$\"")]);
}
