//! The official suite: every schema is surveyed, every reference in it leads somewhere, and the instances of its files
//! on references are judged as they should be.

use std::path::Path;

use serde_json::Value;

use crate::diagnostics::Source;
use crate::frontend::json_schema::options::KeyOrder;
use crate::frontend::json_schema::resources::Resources;
use crate::frontend::json_schema::tests::accepts;
use crate::frontend::json_schema::{JsonSchemaOptions, lower};

use super::{data, files, outcome};

const DRAFTS: [(&str, &str); 2] = [
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
];

/// Files on references.
const FILES: [&str; 13] = [
    "anchor",
    "cross-draft",
    "definitions",
    "defs",
    "dynamicRef",
    "id",
    "infinite-loop-detection",
    "no-schema",
    "ref",
    "refOfUnknownKeyword",
    "refRemote",
    "unknownKeyword",
    "vocabulary",
];

/// The remotes of the suite, under the URIs that it gives them.
fn remotes() -> Option<Resources> {
    let folder = data("json-schema-test-suite")?.join("remotes");
    let mut resources = Resources::default();
    for (path, schema) in files(folder.clone()) {
        let name = path.strip_prefix(&folder).expect("the file is in the folder");
        let uri = format!("http://localhost:1234/{}", name.to_str()?);
        resources.add(&uri, schema).expect("the names are URIs");
    }
    Some(resources)
}

/// Calls `judge` with every group of every file: the name of the file with its draft, the group, and its schema, which
/// names the draft.
fn for_each_group(mut judge: impl FnMut(&Path, &Value, String)) {
    for (draft, uri) in DRAFTS {
        let Some(folder) = data("json-schema-test-suite") else { continue };
        for (path, groups) in files(folder.join(draft)) {
            for group in groups.as_array().into_iter().flatten() {
                let mut schema = group["schema"].clone();
                if let Some(members) = schema.as_object_mut()
                    && !path.ends_with("no-schema.json")
                {
                    members.entry("$schema").or_insert_with(|| uri.into());
                }
                let name = path.strip_prefix(&folder).unwrap_or(&path);
                judge(name, group, schema.to_string());
            }
        }
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
fn official_schemas_are_surveyed() {
    let Some(resources) = remotes() else {
        eprintln!("SKIPPED: no JSON Schema test suite; set GRAMMARC_DATA");
        return;
    };
    let (mut seen, mut failed) = (0, Vec::new());
    for_each_group(|name, group, schema| {
        seen += 1;
        if let Err(errors) = outcome(&schema, &resources) {
            let (name, error) = (name.display(), &errors[0]);
            failed.push(format!("{name}: {}: {} {error}", group["description"], error.code));
        }
    });
    let surveyed = seen - failed.len();
    eprintln!(
        "official suite: {surveyed} of {seen} schemas surveyed; others:\n{}",
        failed.join("\n")
    );
    // What remains is about the size of automata.
    assert!(failed.iter().all(|failure| failure.contains("json-schema::state-limit")));
}

#[test]
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
fn official_instances_are_judged_through_references() {
    let Some(resources) = remotes() else {
        eprintln!("SKIPPED: no JSON Schema test suite; set GRAMMARC_DATA");
        return;
    };
    let options =
        JsonSchemaOptions { resources, key_order: KeyOrder::Any, ..JsonSchemaOptions::default() };
    let (mut right, mut wrong, mut refused) = (0, Vec::new(), Vec::new());
    for_each_group(|name, group, schema| {
        let stem = name.file_stem().unwrap_or_default().to_string_lossy();
        if !FILES.contains(&&*stem) {
            return;
        }
        let name = name.display();
        let lowered = match lower(Source::new("<suite>", schema), &options) {
            Ok(lowered) => Some(lowered),
            Err(errors) if errors[0].code == "json-schema::unsatisfiable" => None,
            Err(errors) => {
                refused.push(format!("{name}: {}: {}", group["description"], errors[0]));
                return;
            }
        };
        for test in group["tests"].as_array().into_iter().flatten() {
            let text = test["data"].to_string();
            let accepted = lowered.as_ref().is_some_and(|lowered| accepts(lowered, &text));
            if test["valid"] == accepted {
                right += 1;
            } else {
                wrong.push(format!("{name}: {}: {}", group["description"], test["description"]));
            }
        }
    });
    eprintln!("official suite, references: {right} right, wrong {wrong:#?}, refused {refused:#?}");
    assert!(wrong.is_empty() && refused.is_empty());
}
