//! Recursive schemas whose branches overlap compile exactly: each is one of finitely many boolean combinations of its
//! places.
//!
//! `recursive.json` is a list of names and schemas, in the shapes of query languages, expression trees and nested
//! selectors. Each is judged against the `jsonschema` crate and prints what it costs.

use grammarc_benches::inputs::sized;
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::compile;
use serde_json::{Value, json};

use crate::judge::{Candidate, judge};

const SCHEMAS: &str = include_str!("recursive.json");

/// Keys of the schemas, and one of none.
const KEYS: [&str; 16] = [
    "a", "b", "c", "abc", "op", "l", "r", "not", "and", "or", "sel", "of", "list", "var", "get",
    "key",
];

fn instance(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 4 } else { 8 }) {
        0 => json!(*rng.pick(&["", "+", "*", "x"])),
        1 => json!(*rng.pick(&[1, 2])),
        2 => json!({}),
        3 => json!([]),
        4 => (0..rng.below(3)).map(|_| instance(rng, depth - 1)).collect(),
        _ => {
            let members: Vec<_> = (0..1 + rng.below(3))
                .map(|_| (rng.pick(&KEYS).to_string(), instance(rng, depth - 1)))
                .collect();
            Value::Object(members.into_iter().collect())
        }
    }
}

#[test]
fn recursion_through_overlapping_branches_is_exact() {
    let schemas: Vec<Value> = serde_json::from_str(SCHEMAS).expect("the list is JSON");
    let mut wrong = Vec::new();
    for entry in &schemas {
        let (name, schema) = (&entry["name"], &entry["schema"]);
        for key_order in [KeyOrder::Schema, KeyOrder::Any] {
            let text = TextForm::SHORT;
            let options = JsonSchemaOptions { text, key_order, ..JsonSchemaOptions::default() };
            let compiled = compile(&schema.to_string(), &options)
                .unwrap_or_else(|refusal| panic!("{name}, {key_order:?}: {refusal:?}"));
            assert!(!compiled.has(Verdict::Approximate), "{name}, {key_order:?} is approximate");
            let is_exact = key_order == KeyOrder::Any || !compiled.has(Verdict::Narrower);
            assert!(is_exact, "{name} is narrower");
            let draw = |rng: &mut Rng| instance(rng, 4);
            let candidate = Candidate {
                seed: 0,
                schema: schema.clone(),
                options,
                instances: sized(300, 20_000),
                instance: &draw,
                keys: &KEYS,
            };
            let tally = judge(&mut Rng::new(1), candidate);
            eprintln!(
                "{name}, {key_order:?}: {} states, {} bytes, {:.1?}; {} pairs, {} valid, {} admitted",
                compiled.states,
                compiled.size,
                compiled.time,
                tally.pairs,
                tally.valid,
                tally.admitted
            );
            assert!(tally.valid * 10 >= tally.pairs, "{name}: few instances are valid");
            wrong.extend(tally.wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
