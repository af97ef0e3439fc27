//! Schemas of unusual size and shape: each is compiled, what it costs is printed, and the masks' verdicts are those of
//! the `jsonschema` crate. The largest are a part of their size unless `GRAMMARC_FULL=1`.

use grammarc_benches::inputs::sized;
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::compile;
use serde_json::{Map, Value, json};

/// Instances judged for each schema.
const INSTANCES: u64 = 60;

/// The members in a random order.
fn shuffled(rng: &mut Rng, members: Map<String, Value>) -> Value {
    let mut left: Vec<_> = members.into_iter().collect();
    let mut all = Map::new();
    while !left.is_empty() {
        let (key, value) = left.swap_remove(rng.below(left.len()));
        all.insert(key, value);
    }
    Value::Object(all)
}

/// Compiles, prints what it costs, and compares verdicts on random instances. Returns the number of states.
fn judge(name: &str, schema: &Value, order: KeyOrder, instance: impl Fn(&mut Rng) -> Value) -> u32 {
    let options =
        JsonSchemaOptions { text: TextForm::WIDE, key_order: order, ..Default::default() };
    let text = schema.to_string();
    let compiled = compile(&text, &options).unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
    let validator = jsonschema::validator_for(schema).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (mut right, mut admitted, mut valid) = (0, 0, 0);
    for seed in 0..INSTANCES {
        let instance = instance(&mut Rng::new(seed));
        let expected = validator.is_valid(&instance);
        valid += u64::from(expected);
        let verdict = if expected { Verdict::Narrower } else { Verdict::Approximate };
        match compiled.accepts(&instance.to_string()) == expected {
            true => right += 1,
            false if compiled.has(verdict) => admitted += 1,
            false => panic!("{name}: {instance} is not {expected}"),
        }
    }
    eprintln!(
        "{name}, {order:?}, {} bytes: {} steps, {} states, artifact {} bytes; {valid} of {INSTANCES} valid, {right} right, {admitted} admitted by the report",
        text.len(),
        compiled.steps,
        compiled.states,
        compiled.size
    );
    assert!(valid > 5 && valid < INSTANCES - 5, "{name}: {valid} valid instances tell little");
    assert!(compiled.steps < 1 << 31, "{name}: {} steps", compiled.steps);
    compiled.states
}

#[test]
fn many_properties_in_any_order() {
    let names = |start: &str, count: usize| (0..count).map(|at| format!("{start}{at}")).collect();
    let (required, optional): (Vec<String>, Vec<String>) = (names("must", 30), names("may", 60));
    let all = required.iter().chain(&optional);
    let properties: Map<String, Value> = all
        .enumerate()
        .map(|(at, name)| (name.clone(), json!({"type": (["integer", "string"][at % 2])})))
        .collect();
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false
    });
    for order in [KeyOrder::Schema, KeyOrder::Any] {
        judge("30 required and 60 optional properties", &schema, order, |rng| {
            let mut members = Map::new();
            let flaw = rng.below(6);
            for (at, name) in required.iter().chain(&optional).enumerate() {
                if at < required.len() || rng.one_in(2) {
                    members.insert(name.clone(), [json!(at), json!("x")][at % 2].clone());
                }
            }
            match flaw {
                0 => drop(members.shift_remove(rng.pick(&required))),
                1 => drop(members.insert(rng.pick(&required).clone(), Value::Null)),
                2 => drop(members.insert("other".to_owned(), json!(1))),
                _ => {}
            }
            match order {
                KeyOrder::Schema | KeyOrder::Sorted => Value::Object(members),
                KeyOrder::Any | KeyOrder::AnyOnce => shuffled(rng, members),
            }
        });
    }
}

#[test]
fn a_discriminated_union_of_a_thousand_branches() {
    let count = sized(50, 1_000);
    let branch = |at: usize| {
        json!({
            "type": "object",
            "properties": {
                "kind": {"const": format!("kind-{at}")},
                format!("value{}", at % 17): {"type": (["integer", "string", "boolean"][at % 3])},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": at}
            },
            "required": ["kind", format!("value{}", at % 17)],
            "additionalProperties": false
        })
    };
    for keyword in ["oneOf", "anyOf"] {
        let schema = json!({ keyword: (0..count).map(branch).collect::<Vec<_>>() });
        judge(&format!("{keyword} of {count} branches"), &schema, KeyOrder::Schema, |rng| {
            let at = rng.below(count);
            let (kind, name) = (if rng.one_in(5) { at + 1 } else { at }, at % 17);
            let value = [json!(at), json!("x"), json!(true)][at % 3].clone();
            let mut members =
                json!({"kind": format!("kind-{kind}"), format!("value{name}"): value});
            if rng.one_in(2) {
                members["tags"] = (0..rng.below(300)).map(|_| "t").collect();
            }
            members
        });
    }
}

#[test]
fn two_megabytes_and_three_thousand_definitions() {
    let count = sized(300, 3_000);
    let name = |at: usize| format!("definition{at}");
    let definition = |at: usize| {
        let other = |at: usize| json!({"$ref": format!("#/$defs/{}", name(at % count))});
        json!({
            "description": "what this is and where it comes from, at length; ".repeat(9),
            "type": "object",
            "properties": {
                "id": {"const": at},
                "next": other(at + 1),
                "list": {"type": "array", "items": other(at * 7 + 3)},
                "note": {"type": "string", "maxLength": at % 40}
            },
            "required": ["id"],
            "additionalProperties": false
        })
    };
    let definitions: Map<String, Value> = (0..count).map(|at| (name(at), definition(at))).collect();
    let schema = json!({"$ref": "#/$defs/definition0", "$defs": definitions});
    assert!(schema.to_string().len() > 650 * count);
    fn walk(rng: &mut Rng, count: usize, at: usize, depth: usize) -> Value {
        let mut value = json!({"id": if rng.one_in(30) { at + 1 } else { at }});
        if depth > 0 {
            value["next"] = walk(rng, count, (at + 1) % count, depth - 1);
        }
        if depth > 0 && rng.one_in(2) {
            value["list"] = json!([walk(rng, count, (at * 7 + 3) % count, depth - 1)]);
        }
        if rng.one_in(3) {
            value["note"] = json!("n".repeat(rng.below(at % 40 + 2)));
        }
        value
    }
    judge(&format!("{count} definitions"), &schema, KeyOrder::Schema, |rng| {
        let depth = 1 + rng.below(6);
        walk(rng, count, 0, depth)
    });
}

#[test]
fn definitions_that_refer_to_each_other_every_way() {
    const COUNT: usize = 60;
    let definition = |at: usize| {
        let other = |at: usize| json!({"$ref": format!("#/$defs/d{}", at % COUNT)});
        json!({"anyOf": [
            {"type": "object", "properties": {"a": other(at + 1), "b": other(at * 3 + 1)},
             "additionalProperties": false, "maxProperties": 1 + at % 2},
            {"type": "array", "items": other(at * 5 + 2), "maxItems": 1 + at % 3},
            {"const": at}
        ]})
    };
    let definitions: Map<String, Value> =
        (0..COUNT).map(|at| (format!("d{at}"), definition(at))).collect();
    let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    fn walk(rng: &mut Rng, at: usize, depth: usize) -> Value {
        let at = at % COUNT;
        match rng.below(if depth == 0 { 1 } else { 5 }) {
            0 => json!(if rng.one_in(12) { at + 1 } else { at }),
            1 => (0..1 + rng.below(2 + at % 3)).map(|_| walk(rng, at * 5 + 2, depth - 1)).collect(),
            2 => json!({"b": walk(rng, at * 3 + 1, depth - 1)}),
            _ => json!({"a": walk(rng, at + 1, depth - 1)}),
        }
    }
    judge("mutual recursion of 60 definitions", &schema, KeyOrder::Schema, |rng| {
        let depth = 3 + rng.below(25);
        walk(rng, 0, depth)
    });
}

#[test]
fn references_in_cycles_with_siblings() {
    let schema = json!({
        "$ref": "#/$defs/a",
        "$defs": {
            "a": {
                "type": "object",
                "properties": {"x": {"$ref": "#/$defs/b", "maxProperties": 2}, "y": {"$ref": "#"}},
                "minProperties": 1
            },
            "b": {"$ref": "#/$defs/a", "required": ["z"], "properties": {"x": {"$ref": "#/$defs/c"}}},
            "c": {"$ref": "#/$defs/b", "not": {"required": ["y"]}, "properties": {"z": {"type": "integer"}}}
        }
    });
    fn walk(rng: &mut Rng, depth: usize) -> Value {
        let mut members = Map::new();
        for key in ["x", "y", "z"] {
            if depth > 0 && rng.below(5) < 2 {
                members.insert(key.to_owned(), walk(rng, depth - 1));
            }
        }
        if rng.below(4) < 3 {
            members.insert("z".to_owned(), json!(depth));
        }
        Value::Object(members)
    }
    for order in [KeyOrder::Schema, KeyOrder::Any] {
        judge("cycles of references with siblings", &schema, order, |rng| {
            let depth = rng.below(4);
            walk(rng, depth)
        });
    }
}

#[test]
fn forty_branches_of_overlapping_objects() {
    let branch = |at: usize| {
        json!({
            "type": "object",
            "properties": {format!("p{at}"): {"type": "integer"}},
            "required": [format!("p{at}")]
        })
    };
    let schema = json!({"oneOf": (0..40).map(branch).collect::<Vec<_>>()});
    judge("oneOf of 40 overlapping objects", &schema, KeyOrder::Schema, |rng| {
        let mut members = Map::new();
        let count = 1 + rng.below(3);
        let mut keys: Vec<usize> = (0..count).map(|_| rng.below(42)).collect();
        keys.sort_unstable();
        for key in keys {
            let value = if rng.one_in(3) { json!("x") } else { json!(key) };
            members.insert(format!("p{key}"), value);
        }
        Value::Object(members)
    });
}

/// Alternatives that are distinguished by a key that may be last: until then, each of them is still possible, and one
/// automaton of all would have states for many of their subsets.
#[test]
fn alternatives_that_overlap_until_the_last_key() {
    const COUNT: usize = 40;
    let shared = |key: usize| format!("shared{}", key % 12);
    let kind = |at: usize, key: usize| ["integer", "string", "boolean"][(at + key) % 3];
    let branch = |at: usize| {
        let mut properties: Map<String, Value> =
            (0..5).map(|key| (shared(at * 5 + key), json!({"type": kind(at, key)}))).collect();
        properties.insert(format!("own{at}"), json!({"type": "null"}));
        properties.insert("type".to_owned(), json!({"const": format!("t{at}")}));
        json!({"type": "object", "properties": properties, "required": ["type"]})
    };
    let schema = json!({"anyOf": (0..COUNT).map(branch).collect::<Vec<_>>()});
    let states = judge("40 alternatives that overlap", &schema, KeyOrder::Any, |rng| {
        let at = rng.below(COUNT);
        let mut members = Map::new();
        for key in 0..5 {
            if rng.one_in(2) {
                let value = match kind(at, key + usize::from(rng.one_in(10))) {
                    "integer" => json!(at),
                    "string" => json!("x"),
                    _ => json!(true),
                };
                members.insert(shared(at * 5 + key), value);
            }
        }
        members.insert("type".to_owned(), json!(format!("t{at}")));
        shuffled(rng, members)
    });
    // As one automaton they meet the limit of 200,000.
    assert!(states < 40_000, "{states}");
}
