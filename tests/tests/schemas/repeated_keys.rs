//! Keys that a schema does not name come once where it matters, and objects without repetition are all accepted.
//!
//! The oracle is the `jsonschema` crate, asked about every list of up to four members: a text with a repeated key must be
//! valid whichever of its values a parser keeps.

use std::collections::HashSet;

use grammarc::sample::{SampleOptions, Sampler};
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_tests::schemas::compile;
use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// A key of the schemas below, and keys that none of them names.
const KEYS: [&str; 4] = ["a", "x", "y", "z"];
const VALUES: [&str; 2] = ["1", "\"s\""];

/// Schemas of objects, and whether they are exact.
fn schemas() -> Vec<(Value, bool)> {
    vec![
        (
            json!({"additionalProperties": {"type": "integer"}, "minProperties": 3, "maxProperties": 5}),
            true,
        ),
        (json!({"minProperties": 2}), true),
        (json!({"minProperties": 1}), true),
        (json!({"properties": {"a": {"type": "integer"}}, "minProperties": 3}), true),
        (json!({"properties": {"a": {}}, "required": ["a"], "minProperties": 3}), true),
        (json!({"patternProperties": {"^x": {"type": "integer"}}, "minProperties": 2}), true),
        (
            json!({"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": {"type": "string"}, "minProperties": 1}),
            true,
        ),
        (json!({"not": {"additionalProperties": {"type": "integer"}}}), true),
        (json!({"not": {"maxProperties": 2}}), true),
        (
            json!({"oneOf": [{"additionalProperties": {"type": "integer"}}, {"minProperties": 2}]}),
            true,
        ),
        (
            json!({"anyOf": [{"additionalProperties": {"type": "string"}}, {"minProperties": 3}]}),
            true,
        ),
        (json!({"maxProperties": 2}), true),
        // Two keys in all, neither of which may be wasted on a repetition: the report says that they may be.
        (
            json!({"patternProperties": {"^[xy]$": {}}, "additionalProperties": false, "minProperties": 2}),
            false,
        ),
        (json!({"minProperties": 129}), false),
    ]
}

/// Every list of up to four members.
fn lists() -> Vec<Vec<(&'static str, &'static str)>> {
    let members = || KEYS.iter().flat_map(|key| VALUES.map(|value| (*key, value)));
    let mut lists = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..4 {
        let to = lists.len();
        for at in from..to {
            for member in members() {
                lists.push([&lists[at][..], &[member]].concat());
            }
        }
        from = to;
    }
    lists
}

fn is_valid(
    validator: &Validator,
    members: impl Iterator<Item = (&'static str, &'static str)>,
) -> bool {
    let value = |text| serde_json::from_str(text).expect("JSON");
    let object: Map<String, Value> =
        members.map(|(key, text)| (key.to_owned(), value(text))).collect();
    validator.is_valid(&Value::Object(object))
}

#[test]
fn objects_are_judged_as_their_parsed_values_are() {
    let lists = lists();
    for (mut schema, exact) in schemas() {
        schema["type"] = json!("object");
        let validator = jsonschema::draft202012::new(&schema).expect("a schema");
        for key_order in [KeyOrder::Schema, KeyOrder::Any] {
            let text = TextForm::SHORT;
            let options = JsonSchemaOptions { text, key_order, ..JsonSchemaOptions::default() };
            let compiled = compile(&schema.to_string(), &options);
            let compiled = compiled.unwrap_or_else(|error| panic!("{schema}: {error:?}"));
            let is_exact = !compiled.has(Verdict::Approximate);
            // With keys in any order, a required key takes the register.
            let may_differ = key_order == KeyOrder::Any && schema.get("required").is_some();
            assert!(is_exact == exact || may_differ, "{schema}: {:?}", compiled.report);
            for members in &lists {
                let texts = members.iter().map(|(key, value)| format!("\"{key}\":{value}"));
                let text = format!("{{{}}}", texts.collect::<Vec<_>>().join(","));
                let last = is_valid(&validator, members.iter().copied());
                let first = is_valid(&validator, members.iter().rev().copied());
                let accepted = compiled.accepts(&text);
                let sound = last && first;
                assert!(!accepted || !is_exact || sound, "{schema}, {key_order:?} accepts {text}");
                let keys = || members.iter().map(|(key, _)| *key);
                let repeats = keys().collect::<HashSet<_>>().len() < members.len();
                let in_order = key_order == KeyOrder::Any || keys().skip(1).all(|key| key != "a");
                if !repeats && in_order {
                    assert_eq!(accepted, last, "{schema}, {key_order:?}: {text}");
                }
            }
        }
    }
}

#[test]
fn walks_are_valid_and_end() {
    for text in [TextForm::NATURAL, TextForm::SHORT, TextForm::WIDE] {
        for (mut schema, exact) in schemas() {
            schema["type"] = json!("object");
            let options = JsonSchemaOptions { text, ..JsonSchemaOptions::default() };
            let compiled = compile(&schema.to_string(), &options);
            let compiled = compiled.unwrap_or_else(|error| panic!("{schema}: {error:?}"));
            let validator = jsonschema::draft202012::new(&schema).expect("a schema");
            for max_tokens in [3, 20, 80] {
                let options = SampleOptions { seed: 1, max_tokens, uniform: max_tokens != 80 };
                let sampler = Sampler::new(&compiled.grammar, options);
                for number in 0..20 {
                    let sample =
                        sampler.draw(number).unwrap_or_else(|error| panic!("{schema}: {error}"));
                    let value: Value = serde_json::from_slice(&sample.text).expect("JSON");
                    let exact = exact && text.escapes == TextForm::SHORT.escapes;
                    assert!(!exact || validator.is_valid(&value), "{schema}: {value}");
                }
            }
        }
    }
}
