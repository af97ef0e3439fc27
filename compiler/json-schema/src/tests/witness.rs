//! Witnesses of schemas: instances at the edges of keywords, near misses, and keywords that change nothing.

use grammarc_grammar::diagnostics::Source;
use serde_json::{Value, json};

use crate::witness::{WitnessOptions, Witnesses, witnesses};

fn found(schema: &Value, options: &WitnessOptions) -> Witnesses {
    let source = Source::new("<test>", schema.to_string());
    let found = witnesses(&source, options).unwrap_or_else(|errors| panic!("{schema}: {errors:?}"));
    let judge = jsonschema::draft202012::new(schema).expect("the schema is valid");
    for (cases, expected) in [(&found.valid, true), (&found.invalid, false)] {
        for case in cases {
            let value = serde_json::from_str(&case.text).expect("cases are JSON");
            assert_eq!(judge.is_valid(&value), expected, "{schema}: {case:?}");
        }
    }
    found
}

fn texts<'c>(cases: &'c [crate::witness::Case], pointer: &str) -> Vec<&'c str> {
    let of = cases.iter().filter(|case| case.pointer == pointer);
    of.map(|case| case.text.as_str()).collect()
}

#[test]
fn each_keyword_has_its_edges_and_a_near_miss() {
    let schema = json!({
        "type": "object",
        "properties": {
            "age": {"type": "integer", "minimum": 3, "maximum": 150},
            "name": {"type": "string", "minLength": 1, "maxLength": 2},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2},
        },
        "required": ["name", "age"],
        "additionalProperties": false,
    });
    let found = found(&schema, &WitnessOptions::default());
    assert_eq!(found.silent, [""; 0]);
    assert_eq!(found.undecided, []);
    assert_eq!(texts(&found.valid, ""), [r#"{"age":3,"name":"0"}"#]);
    assert_eq!(texts(&found.valid, "/properties/age/maximum"), [r#"{"age":150,"name":"0"}"#]);
    assert_eq!(texts(&found.invalid, "/properties/age/maximum"), [r#"{"age":151,"name":"0"}"#]);
    assert_eq!(texts(&found.invalid, "/properties/name/minLength"), [r#"{"age":3,"name":""}"#]);
    assert_eq!(texts(&found.invalid, "/required").len(), 2, "{found:#?}");
    assert_eq!(texts(&found.invalid, "/additionalProperties").len(), 1);
    assert_eq!(texts(&found.valid, "/properties/tags/items/enum").len(), 2, "{found:#?}");
}

#[test]
fn keywords_that_change_nothing_are_silent() {
    let cases = [
        (json!({"type": "integer", "minLength": 3}), vec!["/minLength"]),
        (json!({"type": "string", "pattern": "^a{3}$", "minLength": 2}), vec!["/minLength"]),
        (
            json!({"type": "object", "properties": {"x": {"items": {}, "type": "string"}}}),
            vec!["/properties/x/items"],
        ),
        (json!({"enum": [1, 2], "type": "integer", "minimum": 1}), vec!["/type", "/minimum"]),
        (
            json!({"type": "object", "dependentRequired": {"a": ["b"], "b": ["a"]}, "not": {"required": ["a", "b"]}}),
            vec!["/type"],
        ),
    ];
    for (schema, expected) in cases {
        let options = WitnessOptions { boundary: false, ..WitnessOptions::default() };
        let mut silent = found(&schema, &options).silent;
        silent.retain(|pointer| !pointer.ends_with("/items/not"));
        assert_eq!(silent, expected, "{schema}");
    }
}

#[test]
fn branches_and_values_that_add_nothing_are_dead() {
    let cases = [
        (json!({"anyOf": [{"type": "string"}, {"const": "a"}]}), vec!["/anyOf/1"]),
        (
            json!({"anyOf": [{"minimum": 3}, {"type": "integer", "minimum": 4}, {"const": null}]}),
            vec!["/anyOf/1", "/anyOf/2"],
        ),
        (json!({"enum": [1, "a", 2], "type": "integer"}), vec!["/enum/1"]),
        (json!({"enum": ["a", "b"]}), vec![]),
        // Without a branch or value under these keywords, the schema is another.
        (json!({"not": {"enum": [1, 2]}}), vec![]),
        (json!({"oneOf": [{"type": "number"}, {"type": "integer"}]}), vec![]),
    ];
    for (schema, expected) in cases {
        assert_eq!(found(&schema, &WitnessOptions::default()).dead, expected, "{schema}");
    }
}

#[test]
fn random_instances_differ_and_are_repeatable() {
    let schema = json!({
        "$ref": "#/$defs/tree",
        "$defs": {"tree": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
            "required": ["name"],
            "additionalProperties": false,
        }},
    });
    let options = |seed| WitnessOptions {
        random: 30,
        seed,
        shortest: false,
        boundary: false,
        near_miss: false,
        ..WitnessOptions::default()
    };
    let first = found(&schema, &options(1)).valid;
    assert!(first.len() > 10, "{first:?}");
    assert_eq!(first, found(&schema, &options(1)).valid);
    assert_ne!(first, found(&schema, &options(2)).valid);
}

#[test]
fn one_part_of_a_schema_is_looked_at() {
    let schema = json!({"properties": {"a": {"type": "integer"}, "ab": {"type": "string"}}});
    let options = WitnessOptions { at: "/properties/a".to_owned(), ..WitnessOptions::default() };
    let found = found(&schema, &options);
    let all = found.valid.iter().chain(&found.invalid).filter(|case| !case.pointer.is_empty());
    assert!(all.clone().count() > 0);
    for case in all {
        assert!(case.pointer.starts_with("/properties/a/"), "{case:?}");
    }
}
