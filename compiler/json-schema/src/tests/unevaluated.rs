//! Members and items that no branch evaluates, compared with the `jsonschema` crate.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::accepts;
use crate::{JsonSchemaOptions, KeyOrder, lower};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Source;

/// The keys of members. The value of the first key distinguishes kinds of objects.
const KEYS: [&str; 5] = ["kind", "a", "b", "c", "d"];

/// Generates a branch: the kind that it accepts (if any), the keys that it names, and whether the first of them is
/// required.
fn branch() -> impl Strategy<Value = Value> {
    let kind = proptest::option::weighted(0.7, 0..4_u32);
    let keys = proptest::sample::subsequence(&KEYS[1..], 1..3);
    (kind, keys, any::<bool>()).prop_map(|(kind, keys, is_required)| {
        let mut properties: Map<String, Value> =
            keys.iter().map(|key| ((*key).to_owned(), json!({"type": "integer"}))).collect();
        let mut required: Vec<&str> = Vec::new();
        if let Some(kind) = kind {
            properties.insert(KEYS[0].to_owned(), json!({"const": kind}));
            required.push(KEYS[0]);
        }
        if is_required {
            required.push(keys[0]);
        }
        json!({"properties": properties, "required": required})
    })
}

/// Generates a schema whose branches may contain further branches.
fn schema() -> impl Strategy<Value = Value> {
    let branches = || proptest::collection::vec(branch(), 1..5);
    let of = || prop_oneof![Just("oneOf"), Just("anyOf")];
    let inner = proptest::option::weighted(0.4, (of(), branches()));
    let rest = prop_oneof![Just(json!(false)), Just(json!({"const": 7}))];
    (of(), branches(), inner, any::<bool>(), rest).prop_map(
        |(of, mut branches, inner, all, rest)| {
            if let Some((of, inner)) = inner {
                branches[0][of] = json!(inner);
            }
            let mut schema = json!({"type": "object", "unevaluatedProperties": rest});
            match all {
                true => schema["allOf"] = json!([{of: branches}]),
                false => schema[of] = json!(branches),
            }
            schema
        },
    )
}

fn accepted(schema: &Value, texts: &[(String, Value)]) -> Result<(), TestCaseError> {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    let options = JsonSchemaOptions { key_order: KeyOrder::Any, ..Default::default() };
    let lowered = lower(Source::new("<test>", schema.to_string()), &options, &Budget::new());
    for (text, value) in texts {
        let taken = lowered.as_ref().is_ok_and(|lowered| accepts(lowered, text));
        prop_assert_eq!(taken, validator.is_valid(value), "{} of {}", text, schema);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn members_are_those_that_no_branch_has_looked_at(
        schema in schema(),
        objects in proptest::collection::vec(
            (0..6_u32, proptest::sample::subsequence(&KEYS[..], 0..5), prop_oneof![Just(1), Just(7)]),
            24,
        ),
    ) {
        let texts = objects.into_iter().map(|(kind, keys, number)| {
            let members = keys.into_iter().map(|key| {
                (key.to_owned(), if key == KEYS[0] { json!(kind) } else { json!(number) })
            });
            let object = Value::Object(members.collect());
            (object.to_string(), object)
        });
        accepted(&schema, &texts.collect::<Vec<_>>())?;
    }

    #[test]
    fn items_are_those_that_no_branch_has_looked_at(
        of in prop_oneof![Just("oneOf"), Just("anyOf")],
        lengths in proptest::collection::vec((1..4_usize, 0..3_u32), 1..6),
        arrays in proptest::collection::vec(proptest::collection::vec(0..4_u32, 0..5), 24),
    ) {
        let branches = lengths.iter().map(|&(length, first)| {
            let mut prefix = vec![json!({"type": "integer"}); length];
            prefix.iter_mut().take(1).for_each(|item| *item = json!({"const": first}));
            json!({"prefixItems": prefix, "minItems": length})
        });
        let branches: Vec<Value> = branches.collect();
        let schema = json!({"type": "array", of: branches, "unevaluatedItems": {"const": 3}});
        let texts = arrays.into_iter().map(|array| (json!(array).to_string(), json!(array)));
        accepted(&schema, &texts.collect::<Vec<_>>())?;
    }
}

#[test]
fn kinds_of_an_object_may_be_many() {
    let kinds = (0..100).map(|kind| {
        let (tag, own) = (format!("kind{kind}"), format!("of{kind}"));
        json!({"properties": {"kind": {"const": tag}, own: {"type": "integer"}}, "required": ["kind"]})
    });
    let kinds: Vec<Value> = kinds.collect();
    let schema = json!({
        "type": "object", "properties": {"name": {"type": "string"}},
        "allOf": [{"oneOf": kinds}], "unevaluatedProperties": false,
    });
    let lowered = lower(
        Source::new("<test>", schema.to_string()),
        &JsonSchemaOptions::default(),
        &Budget::new(),
    );
    let lowered = lowered.expect("a hundred kinds are a hundred sets");
    assert!(accepts(&lowered, r#"{"name":"n","kind":"kind42","of42":1}"#));
    assert!(!accepts(&lowered, r#"{"name":"n","kind":"kind42","of43":1}"#));
    assert!(!accepts(&lowered, r#"{"name":"n","kind":"kind42","more":1}"#));
}
