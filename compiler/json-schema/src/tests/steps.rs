//! Grammars without one of the simplifier's steps accept the same texts.

use serde_json::{Value, json};

use super::{accepts, short};
use crate::{Effort, JsonSchemaOptions, KeyOrder, Step, Steps, lower_with_steps};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Source;
use grammarc_grammar::ir::Lowered;

/// Returns schemas, each with values of which it accepts some and rejects some. Every step has an effect in one of
/// them.
fn schemas() -> Vec<(Value, Vec<Value>)> {
    let kinds: Vec<Value> = (0..20)
        .map(|kind| {
            let own = format!("own{kind}");
            json!({
                "type": "object",
                "properties": {"kind": {"const": format!("k{kind}")}, own.clone(): {"type": "integer"}},
                "required": ["kind", own],
                "additionalProperties": false,
            })
        })
        .collect();
    vec![
        (
            json!({"oneOf": kinds}),
            vec![
                json!({"kind": "k3", "own3": 1}),
                json!({"kind": "k3", "own4": 1}),
                json!({"kind": "k3"}),
                json!({"kind": "k19", "own19": 5}),
            ],
        ),
        (
            json!({"anyOf": kinds}),
            vec![json!({"kind": "k7", "own7": 1}), json!({"kind": "k7", "own8": 1})],
        ),
        (
            json!({
                "type": "object",
                "properties": {"country": {"enum": ["US", "CA"]}, "code": {"type": "string"}},
                "required": ["country", "code"],
                "anyOf": [
                    {"properties": {"country": {"const": "US"}, "code": {"pattern": "^[0-9]{5}$"}}},
                    {"properties": {"country": {"const": "CA"}, "code": {"pattern": "^[A-Z]{6}$"}}},
                    {"properties": {"country": {"const": "FR"}, "code": {"pattern": "^x$"}}},
                ],
            }),
            vec![
                json!({"country": "US", "code": "12345"}),
                json!({"country": "CA", "code": "12345"}),
                json!({"country": "CA", "code": "ABCDEF"}),
                json!({"country": "FR", "code": "x"}),
            ],
        ),
        (
            json!({
                "type": "object",
                "properties": {"a": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
                "anyOf": [
                    {"required": ["b"]},
                    {"properties": {"a": {"properties": {"x": {"minimum": 3}}, "required": ["x"]}}, "required": ["a"]},
                ],
            }),
            vec![
                json!({"a": {"x": 5}}),
                json!({"a": {"x": 1}}),
                json!({"a": {"x": 1}, "b": null}),
                json!({"b": 2}),
                json!({}),
            ],
        ),
        (
            json!({"type": "array", "items": {"type": ["integer", "null"]}, "contains": {"type": "null"}, "maxItems": 12, "minContains": 2}),
            vec![
                json!([null, 1, null]),
                json!([null, 1]),
                json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, null, null]),
                json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, null, null]),
            ],
        ),
        (
            json!({
                "oneOf": [
                    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                    {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]},
                ],
            }),
            vec![
                json!({"a": 1}),
                json!({"b": 1}),
                json!({"a": 1, "b": 1}),
                json!({"a": 1, "b": "x"}),
                json!({}),
            ],
        ),
    ]
}

fn lowered(schema: &Value, key_order: KeyOrder, steps: Steps) -> (Lowered, Effort) {
    let options = JsonSchemaOptions { key_order, ..short() };
    let source = Source::new("<test>", schema.to_string());
    lower_with_steps(source, &options, steps, &Budget::new()).expect("a schema")
}

#[test]
fn grammars_without_a_step_accept_the_same_texts() {
    let mut seen = [0; Step::ALL.len()];
    for (schema, values) in schemas() {
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        for key_order in [KeyOrder::Schema, KeyOrder::Any] {
            let (whole, effort) = lowered(&schema, key_order, Steps::default());
            assert!(!effort.is_weaker, "{schema}");
            for value in &values {
                let accepted = accepts(&whole, &value.to_string());
                assert_eq!(accepted, validator.is_valid(value), "{value} of {schema}");
            }
            for (step, seen) in Step::ALL.into_iter().zip(&mut seen) {
                *seen += effort.steps.of(step);
                let (without, effort) = lowered(&schema, key_order, Steps::default().without(step));
                assert_eq!(effort.steps.of(step), 0, "{step:?} is left out");
                assert!(!effort.is_weaker, "{schema} without {step:?}");
                for value in &values {
                    let accepted = accepts(&without, &value.to_string());
                    let is_valid = validator.is_valid(value);
                    assert_eq!(accepted, is_valid, "{value} of {schema} without {step:?}");
                }
            }
        }
    }
    for (step, seen) in Step::ALL.into_iter().zip(seen) {
        assert!(seen > 0, "no schema shows {step:?}");
    }
}
