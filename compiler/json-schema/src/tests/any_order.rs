//! Keys in any order if alternatives overlap.

use grammarc_grammar::budget::Budget;
use serde_json::{Map, Value, json};

use super::accepts;
use crate::{JsonSchemaOptions, KeyOrder, lower};
use grammarc_grammar::diagnostics::Source;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_grammar::ir::Lowered;

fn any_order(schema: &Value) -> Lowered {
    let options = JsonSchemaOptions { key_order: KeyOrder::Any, ..Default::default() };
    lower(Source::new("<test>", schema.to_string()), &options, &Budget::new()).expect("a schema")
}

/// Returns a `oneOf` of `count` objects. Each branch has keys of its own, and repeats the declaration of three common
/// keys.
fn kinds(count: usize) -> Value {
    let branch = |kind: usize| {
        let shared =
            ["name", "env", "args"].map(|key| (key.to_string(), json!({"type": "string"})));
        let own = (0..3).map(|at| (format!("k{kind}_{at}"), json!({"type": "integer"})));
        let properties: Map<String, Value> = shared.into_iter().chain(own).collect();
        json!({"type": "object", "properties": properties, "required": ["name", format!("k{kind}_0")]})
    };
    json!({"oneOf": (0..count).map(branch).collect::<Vec<_>>()})
}

fn text(members: &[(&str, Value)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// If the keys of overlapping branches have too many combinations, the keys of an object that satisfies one branch may
/// still come in any order.
#[test]
fn a_branch_keeps_its_freedom_beside_others() {
    let schema = kinds(8);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let lowered = any_order(&schema);
    let members = [
        ("args", json!("x")),
        ("k2_1", json!(1)),
        ("name", json!("n")),
        ("k2_0", json!(2)),
        ("env", json!("e")),
    ];
    for turn in 0..members.len() {
        let mut turned = members.to_vec();
        turned.rotate_left(turn);
        assert!(accepts(&lowered, &text(&turned)), "{}", text(&turned));
        for (at, (key, _)) in turned.iter().enumerate() {
            let mut fewer = turned.clone();
            fewer.remove(at);
            let object: Map<String, Value> =
                fewer.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
            let valid = validator.is_valid(&Value::Object(object));
            assert_eq!(accepts(&lowered, &text(&fewer)), valid, "without {key}");
        }
        // An object that satisfies a second branch is rejected.
        turned.push(("k5_0", json!(3)));
        assert!(!accepts(&lowered, &text(&turned)), "{}", text(&turned));
    }
}

/// With few overlapping branches, the grammar is exact.
#[test]
fn branches_that_share_members_are_distinguished_by_others() {
    let lowered = any_order(&kinds(3));
    let report = &lowered.report;
    assert!(report.entries().all(|entry| entry.verdict <= Verdict::Annotation), "{report:?}");
    assert!(accepts(
        &lowered,
        &text(&[("k1_0", json!(1)), ("k0_1", json!(1)), ("name", json!("n"))])
    ));
    assert!(!accepts(
        &lowered,
        &text(&[("k1_0", json!(1)), ("name", json!("n")), ("k0_0", json!(1))])
    ));
    assert!(accepts(
        &lowered,
        &text(&[("k1_0", json!(1)), ("name", json!("n")), ("k0_0", json!("x"))])
    ));
}

/// Excluding a pattern with a maximum length takes no state for each length.
#[test]
fn excluded_lengths_are_not_counted() {
    let schema = |max: u32| {
        let excluded = json!({"pattern": "^data:[0-9a-z]*$", "maxLength": max});
        json!({"type": "string", "not": excluded})
    };
    let [few, many] = [40, 40_000].map(|max| any_order(&schema(max)));
    let long = |length: usize| format!("\"data:{}\"", "a".repeat(length));
    for lowered in [&few, &many] {
        assert!(accepts(lowered, "\"data:A\"") && accepts(lowered, "\"date\""));
        assert!(!accepts(lowered, &long(30)));
    }
    assert!(accepts(&few, &long(50)));
    let narrower = |lowered: &Lowered| {
        let entries = lowered.report.entries();
        let narrower = entries.filter(|entry| entry.verdict == Verdict::Narrower);
        narrower.map(|entry| entry.keyword.to_owned()).collect::<Vec<_>>()
    };
    assert!(narrower(&few).is_empty());
    assert_eq!(narrower(&many), ["pattern", "maxLength"]);
}

/// Keys that only `enum` or `dependentSchemas` name also keep their order if the budget is exceeded, and the report
/// says so.
#[test]
fn keys_of_values_and_dependencies_are_noted() {
    let schema = json!({"type": "object", "not": {"enum": [{"a": 1, "b": 2}]}, "dependentSchemas": {"b": {"minProperties": 3}}});
    let options =
        JsonSchemaOptions { key_order: KeyOrder::Any, max_shapes: 1, ..Default::default() };
    let lowered = lower(Source::new("<test>", schema.to_string()), &options, &Budget::new());
    let lowered = lowered.expect("a schema");
    let narrower = lowered.report.entries().filter(|entry| entry.verdict == Verdict::Narrower);
    let keywords: Vec<_> = narrower.map(|entry| entry.keyword.to_string()).collect();
    assert!(keywords.contains(&"enum".to_owned()), "{keywords:?}");
}
