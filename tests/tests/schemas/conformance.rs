//! The official JSON Schema Test Suite, in two text forms, against a list of known exceptions.
//!
//! Form `any` takes an instance as it stands in the file: keys in any order, numbers and escapes in any form. Form
//! `schema` is the default form, where a valid instance has at least one accepted text (some order of its keys, numbers
//! in canonical form) and an invalid one has none.
//!
//! Formats take the most time by far, so they are judged in form `schema` alone unless `GRAMMARC_FULL=1`.
//!
//! `exceptions.json` lists every case that is not judged as the suite has it, with the reason. A case that fails and is
//! not listed fails the test, and so does one that is listed and no longer fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use grammarc_benches::inputs::{self, sized};
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{
    Formats, JsonSchemaOptions, KeyOrder, Resources, TextForm,
};
use grammarc_tests::schemas::{Compiled, Refusal, compile, compiler, texts};
use rayon::prelude::*;
use serde_json::{Map, Value};

/// A draft's folder, and the meta-schema of files that name none.
const DRAFTS: [(&str, &str); 2] = [
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
];
/// Most texts of a valid instance that are tried.
const MOST_TEXTS: usize = 5_000;

/// A part of the suite, and the least share of its cases to judge right, in percent.
const PARTS: [(&str, usize); 3] = [("required", 98), ("optional/format", 95), ("optional", 0)];

/// The result of a case that is not judged as the suite has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// The schema is not compiled.
    RefusesSchema,
    /// A valid instance has no accepted text.
    RefusesValid,
    /// An invalid instance is accepted, and the report says that some keyword is approximate.
    Approximate,
    /// An invalid instance is accepted.
    AcceptsInvalid,
}

impl Fault {
    fn text(self) -> &'static str {
        match self {
            Self::RefusesSchema => "refuses schema",
            Self::RefusesValid => "refuses valid",
            Self::Approximate => "accepts invalid, says approximate",
            Self::AcceptsInvalid => "accepts invalid",
        }
    }
}

/// A group of cases with one schema.
pub(crate) struct Group {
    pub(crate) part: &'static str,
    pub(crate) name: String,
    uri: &'static str,
    schema: Value,
    pub(crate) tests: Vec<Value>,
}

/// A group, the fault of each of its cases, and why its schema was refused.
type Judged<'a> = (&'a Group, Vec<Option<Fault>>, Option<String>);

/// The files of a folder and of those in it, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let within = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.into_iter().flat_map(within).collect()
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The part of the suite that a file belongs to.
fn part(file: &str) -> &'static str {
    match file {
        _ if file.starts_with("optional/format/") => "optional/format",
        _ if file.starts_with("optional/") => "optional",
        _ => "required",
    }
}

pub(crate) fn groups(suite: &Path) -> Vec<Group> {
    let mut groups = Vec::new();
    for (draft, uri) in DRAFTS {
        let folder = suite.join(draft);
        for path in files(&folder) {
            let file = path.strip_prefix(&folder).expect("it is in the folder").with_extension("");
            let file = file.to_string_lossy().into_owned();
            for group in read(&path).as_array().expect("a file is a list of groups") {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                groups.push(Group {
                    part: part(&file),
                    name: format!("{draft}/{file} | {}", text(&group["description"])),
                    uri,
                    schema: group["schema"].clone(),
                    tests: group["tests"].as_array().cloned().unwrap_or_default(),
                });
            }
        }
    }
    groups
}

/// The remote schemas of the suite under the URIs that it gives them.
pub(crate) fn remotes(suite: &Path) -> Resources {
    let folder = suite.join("remotes");
    let mut resources = Resources::default();
    for path in files(&folder) {
        let name = path.strip_prefix(&folder).expect("it is in the folder").to_string_lossy();
        let uri = format!("http://localhost:1234/{name}");
        resources.add(&uri, read(&path)).expect("the names are URIs");
    }
    resources
}

/// The schema with the draft of its folder.
pub(crate) fn with_draft(group: &Group) -> String {
    let Value::Object(members) = &group.schema else { return group.schema.to_string() };
    let mut declared = Map::new();
    if !members.contains_key("$schema") && !group.name.contains("/no-schema ") {
        declared.insert("$schema".to_owned(), group.uri.into());
    }
    declared.extend(members.clone());
    Value::Object(declared).to_string()
}

/// The fault of a case, where it has one.
fn fault(
    compiled: &Result<Compiled, Refusal>,
    order: KeyOrder,
    data: &Value,
    valid: bool,
) -> Option<Fault> {
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(Refusal::Unsatisfiable) => return valid.then_some(Fault::RefusesValid),
        Err(_) => return Some(Fault::RefusesSchema),
    };
    let texts = match order {
        KeyOrder::Any | KeyOrder::AnyOnce => vec![data.to_string()],
        KeyOrder::Schema | KeyOrder::Sorted => {
            texts::in_every_order(data, MOST_TEXTS).expect("the suite's instances are small")
        }
    };
    let accepted = texts.iter().any(|text| compiled.accepts(text));
    match (valid, accepted) {
        (true, false) => Some(Fault::RefusesValid),
        (false, true) if compiled.has(Verdict::Approximate) => Some(Fault::Approximate),
        (false, true) => Some(Fault::AcceptsInvalid),
        _ => None,
    }
}

/// The known exceptions: the name of a case, what becomes of it, and the reason.
fn known() -> BTreeMap<String, (String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/exceptions.json");
    let mut known = BTreeMap::new();
    for entry in read(&path).as_array().expect("a list of reasons") {
        let text = |key: &str| entry[key].as_str().expect("a text").to_owned();
        let (happens, reason) = (text("happens"), text("reason"));
        for case in entry["cases"].as_array().expect("a list of cases") {
            let case = case.as_str().expect("a name").to_owned();
            let entry = (happens.clone(), reason.clone());
            assert!(known.insert(case.clone(), entry).is_none(), "{case} is listed twice");
        }
    }
    known
}

#[test]
fn the_official_suite_is_judged_as_listed() {
    let suite = inputs::folder().map(|folder| folder.join("json-schema-test-suite"));
    let Some(suite) = suite.filter(|suite| suite.is_dir()) else {
        eprintln!("SKIPPED: no JSON Schema Test Suite; set GRAMMARC_DATA");
        return;
    };
    // Built here, for it waits for workers, and a worker must not wait for it.
    compiler();
    let (groups, resources, mut known) = (groups(&suite), remotes(&suite), known());
    let forms =
        [("any", KeyOrder::Any, TextForm::WIDE), ("schema", KeyOrder::Schema, TextForm::SHORT)];
    let mut failures = Vec::new();
    for (form, order, text) in forms {
        let left_out = if form == "any" { sized(1, 0) } else { 0 };
        let groups: Vec<&Group> = groups
            .iter()
            .filter(|group| left_out == 0 || group.part != "optional/format")
            .collect();
        if left_out == 1 {
            eprintln!("SKIPPED: formats in form any; set GRAMMARC_FULL=1");
            known.retain(|name, _| {
                !(name.starts_with("any | ") && name.contains("/optional/format/"))
            });
        }
        let judged: Vec<Judged<'_>> = groups
            .into_par_iter()
            .map(|group| {
                let formats =
                    if group.part == "required" { Formats::Annotated } else { Formats::Asserted };
                let options = JsonSchemaOptions {
                    text,
                    key_order: order,
                    formats,
                    resources: resources.clone(),
                    ..JsonSchemaOptions::default()
                };
                let compiled = compile(&with_draft(group), &options);
                let verdict =
                    |test: &Value| fault(&compiled, order, &test["data"], test["valid"] == true);
                let refusal = compiled.as_ref().err().map(|refusal| format!("{refusal:?}"));
                (group, group.tests.iter().map(verdict).collect(), refusal)
            })
            .collect();
        for (draft, _) in DRAFTS {
            for (part, least) in PARTS {
                let mut counts = BTreeMap::new();
                let mut all = 0;
                let of_part = |group: &Group| group.part == part && group.name.starts_with(draft);
                for (group, faults, refusal) in judged.iter().filter(|(group, ..)| of_part(group)) {
                    for (test, fault) in group.tests.iter().zip(faults) {
                        all += 1;
                        *counts.entry(*fault).or_insert(0) += 1;
                        let Some(fault) = fault else { continue };
                        let test = test["description"].as_str().unwrap_or_default();
                        let name = format!("{form} | {} | {test}", group.name);
                        match known.remove(&name) {
                            Some((happens, _)) if happens == fault.text() => {}
                            listed => failures.push(format!(
                                "{:?} {} (listed: {listed:?}, {refusal:?})",
                                name,
                                fault.text()
                            )),
                        }
                    }
                }
                let right = counts.remove(&None).unwrap_or(0);
                let others: Vec<String> = counts
                    .iter()
                    .filter_map(|(fault, count)| Some(format!("{count} {}", (*fault)?.text())))
                    .collect();
                eprintln!("{draft} {part}, form {form}: {right} of {all} right, {others:?}");
                if right * 100 < all * least {
                    failures.push(format!("{draft} {part} {form}: {right} of {all}"));
                }
                let unsound = counts.get(&Some(Fault::AcceptsInvalid)).unwrap_or(&0);
                if part == "required" && *unsound > 0 {
                    failures.push(format!("{draft} {form}: {unsound} invalid instances accepted"));
                }
            }
        }
    }
    failures.extend(known.keys().map(|name| format!("{name:?} is listed and right")));
    let failures: BTreeSet<String> = failures.into_iter().collect();
    let list: Vec<&str> = failures.iter().map(String::as_str).collect();
    assert!(list.is_empty(), "{} differences:\n{}", list.len(), list.join("\n"));
}
