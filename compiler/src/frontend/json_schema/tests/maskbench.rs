//! MaskBench: real schemas with instances that are valid or not.
//!
//! Instances are written compact, first with keys as they stand in the file, which is schema order for nearly all,
//! then in the order of the schema. Every schema that lowers must refuse
//! every invalid instance in both orders, and accept every valid one in one of them.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::accepts;
use crate::diagnostics::Source;
use crate::frontend::json_schema::{JsonSchemaOptions, KeyOrder, NumberForm, TextForm, lower};

/// The folder of the schemas, where it is there.
fn folder() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("GRAMMARC_DATA").map_or(root, PathBuf::from).join("maskbench");
    folder.is_dir().then_some(folder)
}

fn cases() -> Vec<(String, Value)> {
    let Some(folder) = folder() else { return Vec::new() };
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is readable")
        .map(|entry| entry.expect("the entry is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let case = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the file is readable");
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, serde_json::from_str(&text).expect("the file is JSON"))
    };
    paths.into_iter().map(case).collect()
}

/// All `properties` of a schema.
fn declared<'a>(value: &'a Value, found: &mut Vec<&'a Map<String, Value>>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| declared(item, found)),
        Value::Object(members) => {
            for (key, value) in members {
                if let ("properties", Value::Object(properties)) = (key.as_str(), value) {
                    found.push(properties);
                }
                declared(value, found);
            }
        }
        _ => {}
    }
}

/// The same value with the keys of each object in the order of the `properties` that name most of them.
fn ordered(value: &Value, orders: &[&Map<String, Value>]) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| ordered(item, orders)).collect(),
        Value::Object(members) => {
            let named = |order: &Map<String, Value>| {
                members.keys().filter(|key| order.contains_key(*key)).count()
            };
            let best = orders.iter().rev().max_by_key(|order| named(order));
            let place =
                |key: &String| best.and_then(|order| order.keys().position(|named| named == key));
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| place(key).unwrap_or(usize::MAX));
            let members =
                members.into_iter().map(|(key, value)| (key.clone(), ordered(value, orders)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
fn maskbench_sample() {
    let cases = cases();
    if cases.is_empty() {
        eprintln!("SKIPPED: no MaskBench data; set GRAMMARC_DATA");
        return;
    }
    // Every schema with GRAMMARC_ALL, and a tenth of them without.
    let step = if std::env::var_os("GRAMMARC_ALL").is_some() { 1 } else { 11 };
    let (mut seen, mut lowered_count) = (0, 0);
    let mut codes = std::collections::BTreeMap::<String, usize>::new();
    let mut refused_valid = Vec::new();
    let mut accepted_invalid = Vec::new();
    let mut reordered = 0;
    let (mut valid_count, mut invalid_count) = (0, 0);
    for (name, case) in cases.iter().step_by(step) {
        seen += 1;
        let text = TextForm { numbers: NumberForm::Any, ..TextForm::default() };
        let options =
            JsonSchemaOptions { text, key_order: KeyOrder::Any, ..JsonSchemaOptions::default() };
        let lowered = match lower(Source::new("<test>", case["schema"].to_string()), &options) {
            Ok(lowered) => lowered,
            Err(errors) => {
                let first = &errors[0];
                let what = if first.code == "json-schema::unsupported-keyword" {
                    first.code.to_owned()
                } else {
                    format!("{name} {first}")
                };
                *codes.entry(what).or_default() += 1;
                continue;
            }
        };
        lowered_count += 1;
        let mut orders = Vec::new();
        declared(&case["schema"], &mut orders);
        for (at, test) in case["tests"].as_array().into_iter().flatten().enumerate() {
            let valid = test["valid"] == true;
            let as_written = accepts(&lowered, &test["data"].to_string());
            let sorted = ordered(&test["data"], &orders);
            let accepted = as_written || accepts(&lowered, &sorted.to_string());
            reordered += usize::from(valid && !as_written);
            let (count, wrong) = if valid {
                (&mut valid_count, &mut refused_valid)
            } else {
                (&mut invalid_count, &mut accepted_invalid)
            };
            *count += 1;
            if accepted != valid {
                wrong.push(format!("{name}#{at}"));
            }
        }
    }
    eprintln!(
        "MaskBench: {lowered_count} of {seen} lower; {reordered} valid in another order; valid refused {} of {valid_count}: {refused_valid:?}; \
         invalid accepted {} of {invalid_count}: {accepted_invalid:?}; refusals {codes:#?}",
        refused_valid.len(),
        accepted_invalid.len(),
    );
    assert!(accepted_invalid.is_empty() && refused_valid.is_empty());
}
