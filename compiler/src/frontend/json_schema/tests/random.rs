//! Random schemas and random instances: the grammar accepts a text of an instance exactly where the `jsonschema`
//! crate accepts the instance. Both promises in one: of all orders of its keys, at least one text of a valid instance
//! is accepted (value-complete), and no text of an invalid one is (sound).

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{accepts, compile};

const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

const KEYS: [&str; 4] = ["a", "ab", "b\n", ""];

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(&KEYS[..]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-7),
        json!(1.5),
        json!(""),
        json!("a"),
        json!("é\""),
        json!("abc"),
    ])
}

fn instance() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(key(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn type_name() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(&TYPES[..]).prop_map(Value::from);
    prop_oneof![3 => name.clone(), 1 => prop::collection::btree_set(name.prop_map(|name| name.to_string()), 1..4)
        .prop_map(|names| names.iter().map(|name| json!(name.trim_matches('"'))).collect())]
}

fn keyword(
    schema: impl Strategy<Value = Value> + Clone + 'static,
) -> impl Strategy<Value = (String, Value)> {
    let list = || prop::collection::vec(schema.clone(), 1..4).prop_map(Value::Array);
    let named = |name: &'static str, value: BoxedStrategy<Value>| {
        value.prop_map(move |value| (name.to_owned(), value)).boxed()
    };
    let count = || (0u32..4).prop_map(Value::from).boxed();
    prop_oneof![
        4 => named("type", type_name().boxed()),
        3 => named("properties", prop::collection::hash_map(key(), schema.clone(), 0..4)
            .prop_map(|members| Value::Object(members.into_iter().collect())).boxed()),
        2 => named("required", prop::collection::btree_set(key(), 0..3)
            .prop_map(|keys| keys.into_iter().map(Value::from).collect()).boxed()),
        2 => named("additionalProperties", schema.clone().boxed()),
        2 => named("items", schema.clone().boxed()),
        2 => named("prefixItems", list().boxed()),
        1 => named("enum", prop::collection::vec(instance(), 1..5).prop_map(Value::Array).boxed()),
        1 => named("const", instance().boxed()),
        3 => named("anyOf", list().boxed()),
        2 => named("$ref", prop::sample::select(vec![json!("#"), json!("#/$defs/x"), json!("#/$defs/y")]).boxed()),
        1 => named("minLength", count()),
        1 => named("maxLength", count()),
        1 => named("minItems", count()),
        1 => named("maxItems", count()),
        1 => named("title", Just(json!("t")).boxed()),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => type_name().prop_map(|name| json!({ "type": name })),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!({})),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop::collection::vec(keyword(inner), 0..5)
            .prop_map(|keywords| Value::Object(keywords.into_iter().collect()))
    })
}

fn document() -> impl Strategy<Value = Value> {
    (schema(), schema(), schema()).prop_map(|(root, x, y)| {
        let mut root = match root {
            Value::Object(root) => root,
            other => Map::from_iter([("anyOf".to_owned(), json!([other]))]),
        };
        root.insert("$defs".to_owned(), json!({ "x": x, "y": y }));
        Value::Object(root)
    })
}

/// The texts of a value in all orders of its keys.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => joined(&items.iter().map(texts).collect::<Vec<_>>(), "[", "]"),
        Value::Object(members) => {
            let members: Vec<_> = members.iter().collect();
            let orders = permutations(members.len());
            let in_order = |order: Vec<usize>| {
                let parts: Vec<Vec<String>> = order
                    .iter()
                    .map(|&at| {
                        let (key, value) = members[at];
                        let key = super::super::string::escape(key);
                        texts(value).iter().map(|text| format!("\"{key}\":{text}")).collect()
                    })
                    .collect();
                joined(&parts, "{", "}")
            };
            orders.into_iter().flat_map(in_order).collect()
        }
        Value::String(text) => vec![format!("\"{}\"", super::super::string::escape(text))],
        other => vec![other.to_string()],
    }
}

fn joined(parts: &[Vec<String>], open: &str, close: &str) -> Vec<String> {
    let mut all = vec![open.to_owned()];
    for (at, choices) in parts.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        all = all
            .iter()
            .flat_map(|start| choices.iter().map(move |part| format!("{start}{comma}{part}")))
            .collect();
    }
    all.iter().map(|text| format!("{text}{close}")).collect()
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let insert = |order: Vec<usize>| {
        (0..=order.len()).map(move |at| {
            let mut longer = order.clone();
            longer.insert(at, count - 1);
            longer
        })
    };
    permutations(count - 1).into_iter().flat_map(insert).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1_000_000, ..ProptestConfig::default() })]
    #[test]
    fn agrees_with_the_validator(
        schema in document(),
        instances in prop::collection::vec(instance(), 12),
    ) {
        let lowered = match compile(&schema.to_string()) {
            Ok(lowered) => Some(lowered),
            Err(errors) => match errors[0].code {
                "json-schema::unsatisfiable" => None,
                "json-schema::endless-reference" => return Err(TestCaseError::reject("no meaning")),
                other => return Err(TestCaseError::fail(format!("{other}: {errors:?}"))),
            },
        };
        let validator = jsonschema::draft202012::new(&schema).expect("the schema is well formed");
        for instance in &instances {
            let texts = texts(instance);
            if texts.len() > 100 {
                continue;
            }
            let accepted = lowered
                .as_ref()
                .and_then(|lowered| texts.iter().find(|text| accepts(lowered, text)));
            prop_assert_eq!(
                accepted.is_some(),
                validator.is_valid(instance),
                "{} {}",
                instance,
                lowered.map_or_else(|| "unsatisfiable".to_owned(), |lowered| lowered.grammar.to_string())
            );
        }
    }
}
