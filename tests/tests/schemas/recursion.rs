//! Recursive schemas whose branches overlap compile exactly: each is one of finitely many boolean combinations of its
//! places.
//!
//! `recursive.json` is a list of names and schemas, in the shapes of query languages, expression trees and nested
//! selectors. The report calls each exact, and its verdicts are those of the `jsonschema` crate. Recursion of grammars at run
//! time is in `suite/recursion.rs`.

use grammarc_benches::inputs::sized;
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::compile;
use serde_json::{Value, json};

use crate::judge::{Candidate, Suite};

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
    let pairs = sized(300, 20_000);
    for entry in &schemas {
        let (name, schema) = (entry["name"].as_str().expect("a name"), &entry["schema"]);
        let orders = [KeyOrder::Schema, KeyOrder::Any];
        let draw = |order: u64| {
            let (text, key_order) = (TextForm::SHORT, orders[order as usize]);
            let options = JsonSchemaOptions { text, key_order, ..JsonSchemaOptions::default() };
            let compiled = compile(&schema.to_string(), &options)
                .unwrap_or_else(|refusal| panic!("{name}, {key_order:?}: {refusal:?}"));
            eprintln!("{name}, {key_order:?}: {} states, {} bytes", compiled.states, compiled.size);
            assert!(!compiled.has(Verdict::Approximate), "{name}, {key_order:?} is approximate");
            let is_exact = key_order == KeyOrder::Any || !compiled.has(Verdict::Narrower);
            assert!(is_exact, "{name} is narrower");
            let instance = Box::new(|rng: &mut Rng| instance(rng, 4));
            let (schema, rng, met) = (schema.clone(), Rng::new(1), Vec::new());
            Candidate { schema, options, instances: pairs, rng, instance, keys: &KEYS, met }
        };
        // Where keys may come in any order, the report may admit that valid instances are refused. No limit is met.
        let (draw, valid, admitted, limited) = (&draw, 10, 1, 3);
        Suite { name, seeds: 0..2, draw, pairs, valid, admitted, limited }.run();
    }
}
