//! The suites of other repairers and partial parsers, asked here.
//!
//! `tests/peers/repair_record.py` and `repair_record.mjs` write the cases of json_repair, jsonrepair, the AI SDK's `fixJson` and
//! partial-json-parser to files; `GRAMMARC_SUITES` names these, separated by colons, and without it nothing is asked. A case is the
//! same, refused where the peer answers, or another value, and what is not the same has its reason by the test's name in
//! `tests/peers/repair_exceptions.json`. `GRAMMARC_SUITES_LIST=1` prints what differs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use grammarc_json::PartialJson;
use grammarc_json::repair::{RepairOptions, repair};
use serde_json::Value;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Same,
    Refused,
    Answered,
    Other,
}

/// The peer's answer; none if it refuses, or says that there is nothing.
fn expected(case: &Value) -> Option<Value> {
    if case.get("refused").is_some() {
        return None;
    }
    let answer = case.get("answer")?;
    let is_text = matches!(case["suite"].as_str(), Some("jsonrepair" | "fix-json"));
    match answer.as_str() {
        Some("") => None,
        Some(text) if is_text => serde_json::from_str(text).ok(),
        _ => Some(answer.clone()),
    }
}

fn ours(case: &Value) -> Option<Value> {
    let text = case["text"].as_str().unwrap_or_default();
    if matches!(case["suite"].as_str(), Some("fix-json" | "partial-json-parser")) {
        let mut partial = PartialJson::new(None);
        partial.push(text).ok()?;
        return partial.value().cloned();
    }
    repair(text, None, &RepairOptions::default()).ok().map(|repaired| repaired.value)
}

/// Whether two values are the same, numbers by their value.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

#[expect(clippy::print_stdout, reason = "counts and cases are what it is run for")]
#[test]
fn the_suites_of_peers() {
    let Some(files) = std::env::var_os("GRAMMARC_SUITES") else {
        println!("GRAMMARC_SUITES names no file: the suites of peers were not asked");
        return;
    };
    let list = std::env::var_os("GRAMMARC_SUITES_LIST").is_some();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers/repair_exceptions.json");
    let exceptions: BTreeMap<String, String> =
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mut counts: BTreeMap<(String, Outcome), usize> = BTreeMap::new();
    let (mut used, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for file in std::env::split_paths(&files) {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let suite = case["suite"].as_str().unwrap().to_owned();
            let (theirs, ours) = (expected(&case), ours(&case));
            let outcome = match (&theirs, &ours) {
                (None, None) => Outcome::Same,
                (Some(theirs), Some(ours)) if same(theirs, ours) => Outcome::Same,
                (Some(_), None) => Outcome::Refused,
                (None, Some(_)) => Outcome::Answered,
                (Some(_), Some(_)) => Outcome::Other,
            };
            *counts.entry((suite.clone(), outcome)).or_default() += 1;
            if outcome == Outcome::Same {
                continue;
            }
            let name = format!("{suite}: {}", case["test"].as_str().unwrap());
            if list {
                let shown = |value: Option<Value>| {
                    value.map_or("refused".to_owned(), |value| value.to_string())
                };
                println!(
                    "{outcome:?} | {name} | {} | theirs {} | ours {}",
                    case["text"],
                    shown(theirs),
                    shown(ours)
                );
            }
            match exceptions.contains_key(&name) {
                true => used.insert(name),
                false => unknown.insert(name),
            };
        }
    }
    println!("{counts:#?}");
    assert!(unknown.is_empty(), "these differ without a reason: {unknown:#?}");
    let unused: Vec<&String> = exceptions.keys().filter(|name| !used.contains(*name)).collect();
    println!("{} exceptions, unused: {unused:?}", exceptions.len());
}
