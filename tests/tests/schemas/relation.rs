//! Relations of schemas contradict no judge: the official suite, with each instance as a constant, and the `jsonschema`
//! crate on random schemas, their small changes and random instances.
//!
//! Every witness is judged by the crate. `GRAMMARC_FULL=1` draws more pairs.

use std::collections::BTreeMap;

use grammarc_benches::inputs::{self, sized};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::relation::{
    Compared, Relation, RelationOptions, Side, Which, compare,
};
use grammarc_compiler::frontend::json_schema::{Formats, JsonSchemaOptions};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::random::{KEYS, changed, document, instance};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::conformance::{groups, remotes, with_draft};
use crate::judge::seeds;

/// Instances of each random pair of schemas.
const INSTANCES: usize = 40;

fn related(left: &str, right: &str, options: &RelationOptions) -> Option<Compared> {
    let [left, right] = [left, right].map(|text| Source::new("<test>", text));
    compare(&left, &right, options).ok()
}

#[test]
fn constants_of_the_official_suite_are_within_their_schemas() {
    let suite = inputs::folder().map(|folder| folder.join("json-schema-test-suite"));
    let Some(suite) = suite.filter(|suite| suite.is_dir()) else {
        eprintln!("SKIPPED: no JSON Schema Test Suite; set GRAMMARC_DATA");
        return;
    };
    let schemas = JsonSchemaOptions {
        formats: Formats::Annotated,
        resources: remotes(&suite),
        ..JsonSchemaOptions::default()
    };
    let options = RelationOptions { schemas, ..RelationOptions::default() };
    let groups = groups(&suite);
    let required: Vec<_> = groups.iter().filter(|group| group.part == "required").collect();
    let judged: Vec<(String, Option<Side>, bool)> = required
        .par_iter()
        .flat_map_iter(|group| {
            let schema = with_draft(group);
            let options = &options;
            group.tests.iter().map(move |test| {
                let constant = json!({"const": test["data"]}).to_string();
                let is_valid = test["valid"] == true;
                let found = related(&constant, &schema, options);
                // No value is the constant and outside the schema, or no value is both.
                let side = found.map(|found| if is_valid { found.left_only } else { found.both });
                (format!("{} | {}", group.name, test["description"]), side, is_valid)
            })
        })
        .collect();
    let (mut wrong, mut counts) = (Vec::new(), BTreeMap::new());
    for (name, found, is_valid) in &judged {
        let kind = match found {
            None => "refused",
            Some(Side::Unknown(_)) => "unknown",
            Some(Side::Empty { .. }) => "right",
            Some(Side::Witness { .. }) => "wrong",
        };
        *counts.entry(kind).or_insert(0) += 1;
        if kind == "wrong" {
            wrong.push(format!("{name}: {found:?}, valid: {is_valid}"));
        }
    }
    eprintln!("{} constants of the suite: {counts:?}", judged.len());
    assert!(wrong.is_empty(), "{} are wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(40)]);
    assert!(counts["right"] * 100 >= judged.len() * 95, "{counts:?}");
}

/// A schema with one keyword changed, left out or added somewhere.
fn edited(rng: &mut Rng, schema: &Value) -> Value {
    let mut schema = schema.clone();
    let other = document(rng);
    let mut path = String::new();
    for _ in 0..rng.below(4) {
        let at = schema.pointer(&path).and_then(Value::as_object).expect("it is an object");
        let inner = at.iter().filter(|(name, value)| value.is_object() && *name != "$defs");
        let inner: Vec<&String> =
            inner.map(|(name, _)| name).filter(|name| *name != "const").collect();
        if inner.is_empty() {
            break;
        }
        path += "/";
        path += &rng.pick(&inner).replace('~', "~0").replace('/', "~1");
    }
    let at = schema.pointer_mut(&path).and_then(Value::as_object_mut);
    let (Some(members), Some(others)) = (at, other.as_object()) else { return schema };
    let names: Vec<String> = members.keys().filter(|name| *name != "$defs").cloned().collect();
    match (rng.below(3), names.is_empty()) {
        (0, false) => {
            members.remove(rng.pick(&names));
        }
        _ => {
            let added = others.iter().filter(|(name, _)| *name != "$defs");
            let added: Vec<(&String, &Value)> = added.collect();
            if !added.is_empty() {
                let (name, value) = *rng.pick(&added);
                members.insert(name.clone(), value.clone());
            }
        }
    }
    schema
}

/// What is wrong with the relation of a random pair. `None` if a schema is refused.
fn judged(seed: u64) -> Option<(Relation, Vec<String>)> {
    let mut rng = Rng::new(seed);
    let left = document(&mut rng);
    let right = if rng.one_in(4) { document(&mut rng) } else { edited(&mut rng, &left) };
    let [left_judge, right_judge] = [&left, &right].map(jsonschema::draft202012::new);
    let (left_judge, right_judge) = (left_judge.ok()?, right_judge.ok()?);
    let options = RelationOptions::default();
    let found = related(&left.to_string(), &right.to_string(), &options)?;
    let mut wrong = Vec::new();
    let sides = [
        (&found.left_only, [true, false]),
        (&found.right_only, [false, true]),
        (&found.both, [true, true]),
    ];
    let verdict = |value: &Value| [left_judge.is_valid(value), right_judge.is_valid(value)];
    for (side, expected) in sides {
        let Some(text) = side.witness() else { continue };
        let value: Value = serde_json::from_str(text).expect("a witness is JSON");
        if verdict(&value) != expected {
            wrong.push(format!("the witness {text} of {expected:?} is {:?}", verdict(&value)));
        }
    }
    let mut value = instance(&mut rng, 2);
    for _ in 0..INSTANCES {
        value = match rng.below(3) {
            0 => instance(&mut rng, 2),
            _ => changed(&mut rng, &value, &KEYS),
        };
        let side = match verdict(&value) {
            [true, false] => &found.left_only,
            [false, true] => &found.right_only,
            [true, true] => &found.both,
            [false, false] => continue,
        };
        if matches!(side, Side::Empty { .. }) {
            wrong.push(format!("no value is {:?}, but {value} is", verdict(&value)));
        }
    }
    let wrong = wrong.into_iter().map(|text| format!("seed {seed}: {text}\n  {left}\n  {right}"));
    Some((found.relation, wrong.collect()))
}

#[test]
fn relations_of_random_schemas_contradict_no_instance() {
    let seeds = seeds(sized(400, 20_000));
    let judged: Vec<_> = seeds.into_par_iter().filter_map(judged).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    judged.iter().for_each(|(relation, _)| *counts.entry(relation.name()).or_default() += 1);
    let wrong: Vec<&String> = judged.iter().flat_map(|(_, wrong)| wrong).collect();
    eprintln!("{} random pairs: {counts:?}", judged.len());
    assert!(wrong.is_empty(), "{} are wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(12)]);
    let unknown = counts.get("unknown").copied().unwrap_or(0);
    assert!(unknown * 20 <= judged.len(), "{unknown} of {} are unknown", judged.len());
    assert!(counts.len() >= 4, "{counts:?}");
}

#[test]
fn sides_have_names() {
    assert_eq!(Which::BOTH.map(Which::name), ["left", "right"]);
}
