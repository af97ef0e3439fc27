//! Counts of members with keys in any order, compared with the `jsonschema` crate on every order of a few members.

use std::collections::HashSet;

use grammarc_grammar::budget::Budget;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::accepts;
use crate::{JsonSchemaOptions, KeyOrder, lower};
use grammarc_grammar::diagnostics::Source;
use grammarc_grammar::diagnostics::report::Verdict;

/// The keys of members. A schema names the first ones.
const KEYS: [&str; 5] = ["a", "b", "c", "d", "e"];

#[derive(Clone, Debug)]
struct Counted {
    named: usize,
    required: Vec<bool>,
    bounds: (Option<usize>, Option<usize>),
    others: Value,
    /// Further bounds on the number of members, in one of two alternatives.
    alternative: Option<(usize, usize)>,
}

impl Counted {
    fn schema(&self) -> Value {
        let values = [json!({"type": "integer"}), json!(true), json!({"const": 1}), json!({})];
        let named = KEYS[..self.named].iter().map(|key| key.to_string());
        let properties: Map<String, Value> = named.zip(values).collect();
        let required = KEYS.iter().zip(&self.required).filter(|(_, required)| **required);
        let required: Vec<&str> = required.map(|(key, _)| *key).collect();
        let mut schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": self.others,
        });
        if let Some(min) = self.bounds.0 {
            schema["minProperties"] = json!(min);
        }
        if let Some(max) = self.bounds.1 {
            schema["maxProperties"] = json!(max);
        }
        if let Some((max, min)) = self.alternative {
            schema["anyOf"] = json!([{"maxProperties": max}, {"minProperties": min}]);
        }
        schema
    }
}

fn counted() -> impl Strategy<Value = Counted> {
    let bound = || proptest::option::of(0_usize..5);
    let others = prop_oneof![Just(json!(true)), Just(json!(false)), Just(json!({"const": 1}))];
    let required = proptest::collection::vec(proptest::bool::weighted(0.3), 5);
    let alternative = proptest::option::weighted(0.2, (0_usize..3, 1_usize..5));
    (0_usize..5, required, (bound(), bound()), others, alternative).prop_map(
        |(named, required, bounds, others, alternative)| Counted {
            named,
            required,
            bounds,
            others,
            alternative,
        },
    )
}

/// Returns every list of at most four keys, with repetition.
fn lists() -> Vec<Vec<&'static str>> {
    let mut lists = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..4 {
        let to = lists.len();
        for at in from..to {
            for key in KEYS {
                let longer = lists[at].iter().copied().chain([key]).collect();
                lists.push(longer);
            }
        }
        from = to;
    }
    lists
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Distinct members are accepted in any order if the object is valid. A text with repeated keys is accepted only
    /// for a valid object. If keys come at most once, only keys that the schema does not name may repeat.
    #[test]
    fn members_in_any_order_are_counted(counted in counted()) {
        let schema = counted.schema();
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let lowered = |key_order| {
            let options = JsonSchemaOptions { key_order, ..Default::default() };
            lower(Source::new("<test>", schema.to_string()), &options, &Budget::new())
        };
        let once = lowered(KeyOrder::AnyOnce);
        let lowered = lowered(KeyOrder::Any);
        prop_assert_eq!(once.is_ok(), lowered.is_ok());
        let exact = lowered.as_ref().is_ok_and(|lowered| {
            lowered.report.entries().all(|entry| entry.verdict <= Verdict::Annotation)
        });
        prop_assert!(counted.others != json!(false) || lowered.is_err() || exact);
        let is_named = |at: usize| at < counted.named || counted.required[at];
        let named: Vec<&str> = (0..5).filter(|&at| is_named(at)).map(|at| KEYS[at]).collect();
        for list in lists() {
            let object: Map<String, Value> =
                list.iter().map(|key| (key.to_string(), json!(1))).collect();
            let members: Vec<String> = list.iter().map(|key| format!("{key:?}:1")).collect();
            let text = format!("{{{}}}", members.join(","));
            let accepted = lowered.as_ref().is_ok_and(|lowered| accepts(lowered, &text));
            let repeats = object.len() < list.len();
            // The runtime compares the keys that the schema does not name, and this recognizer does not:
            // `tests/tests/schemas/repeated_keys.rs` tests them.
            let others = list.iter().filter(|key| !named.contains(key));
            let others_repeat = others.clone().collect::<HashSet<_>>().len() < others.count();
            let valid = validator.is_valid(&Value::Object(object));
            prop_assert!(accepted || !valid || repeats, "{} is refused by {}", text, schema);
            let is_judged = exact && !others_repeat;
            prop_assert!(valid || !accepted || !is_judged, "{} is accepted by {}", text, schema);
            let again = named.iter().any(|name| list.iter().filter(|key| *key == name).count() > 1);
            let taken = once.as_ref().is_ok_and(|once| accepts(once, &text));
            prop_assert_eq!(taken, accepted && !again, "keys once: {} of {}", text, schema);
        }
    }
}
