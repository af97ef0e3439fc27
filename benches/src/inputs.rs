//! Inputs from outside the repository: the tokenizer of Llama 3.1, and MaskBench.
//!
//! They are searched for under `GRAMMARC_DATA`, or `../shared/data` beside the workspace. Without them everything
//! here is `None` or empty, and callers print a message.

use std::path::PathBuf;

use crate::maskbench::{files, read};
use serde_json::{Map, Value};
use tokenizers::Tokenizer;

pub use crate::maskbench::{Case, Test};

/// Returns the folder with the data, if there is one.
pub fn folder() -> Option<PathBuf> {
    Some(grammarc_test_data::root()).filter(|folder| folder.is_dir())
}

/// Returns `all` if `GRAMMARC_FULL` is set, and otherwise `few`: the number of inputs of a test.
pub fn sized(few: usize, all: usize) -> usize {
    if std::env::var_os("GRAMMARC_FULL").is_some() { all } else { few }
}

/// Name of the Llama 3.1 tokenizer's folder.
pub const LLAMA: &str = "llama3_1";

/// The folder of a tokenizer.
pub fn tokenizer_folder(name: &str) -> Option<PathBuf> {
    let folder = folder()?.join("tokenizers").join(name);
    folder.join("tokenizer.json").is_file().then_some(folder)
}

/// The Llama 3.1 tokenizer, for the real tokens of a text.
pub fn tokenizer() -> Option<Tokenizer> {
    Tokenizer::from_file(tokenizer_folder(LLAMA)?.join("tokenizer.json")).ok()
}

/// Returns the tokens of a text, without the begin-of-document token.
///
/// # Panics
///
/// If the tokenizer fails, which does not happen on valid text.
pub fn tokens(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
    let encoding = tokenizer.encode_fast(text, false).expect("a byte-level tokenizer encodes text");
    encoding.get_ids().to_vec()
}

/// Returns compact texts of an instance to try in turn: with keys in the order of the schema, as far as it is known,
/// and in the file's order.
pub fn texts(case: &Case, test: &Test) -> Vec<String> {
    let mut orders = Vec::new();
    declared(&case.schema, &mut orders);
    let [first, second] = [reordered(&test.data, &orders).to_string(), test.data.to_string()];
    if first == second { vec![first] } else { vec![first, second] }
}

/// Returns all files of MaskBench, by name. Empty if the data is absent.
pub fn maskbench() -> Vec<Case> {
    let Some(folder) = folder().map(|folder| folder.join("maskbench")) else { return Vec::new() };
    let files = files(&folder).unwrap_or_default();
    files.iter().filter_map(|path| read(path).ok()).collect()
}

/// Iterates over the cases of MaskBench, beginning with `count` cases that are spread evenly over the whole. The
/// order is the same on every run.
pub fn spread(cases: &[Case], count: usize) -> impl Iterator<Item = &Case> {
    let step = (cases.len() / count.max(1)).max(1);
    (0..step).flat_map(move |from| cases.iter().skip(from).step_by(step))
}

/// Returns three schemas of MaskBench, a small, a usual and a large one. Empty if the data is absent.
pub fn named() -> Vec<Case> {
    let names = ["Github_trivial---o44972", "JME_74", "Kubernetes---kb_1012_Normalized"];
    maskbench().into_iter().filter(|case| names.contains(&case.id.as_str())).collect()
}

/// Collects all `properties` of a schema.
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

/// Returns the value with the keys of each object in the order of the `properties` that contain most of them.
fn reordered(value: &Value, orders: &[&Map<String, Value>]) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| reordered(item, orders)).collect(),
        Value::Object(members) => {
            let named = |order: &Map<String, Value>| {
                members.keys().filter(|key| order.contains_key(*key)).count()
            };
            let best = orders.iter().rev().max_by_key(|order| named(order));
            let place = |key: &String| best.and_then(|order| order.keys().position(|k| k == key));
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| place(key).unwrap_or(usize::MAX));
            let members = members.into_iter();
            let members = members.map(|(key, value)| (key.clone(), reordered(value, orders)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}
