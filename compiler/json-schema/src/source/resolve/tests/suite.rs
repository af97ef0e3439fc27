//! The official suite: every schema is surveyed and every reference in it leads somewhere. Its instances are judged by
//! the crate `grammarc-tests`.

use std::path::Path;

use serde_json::Value;

use crate::source::resources::Resources;
use grammarc_test_data::{data, files};

use super::outcome;

const DRAFTS: [(&str, &str); 2] = [
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
];

/// Returns the remote schemas of the suite, under the URIs that the suite uses for them.
fn remotes() -> Option<Resources> {
    let folder = data("json-schema-test-suite")?.join("remotes");
    let mut resources = Resources::default();
    for (path, schema) in files(&folder) {
        let name = path.strip_prefix(&folder).expect("the file is in the folder");
        let uri = format!("http://localhost:1234/{}", name.to_str()?);
        resources.add(&uri, schema).expect("the names are URIs");
    }
    Some(resources)
}

/// Calls `judge` with every group of every file: the path of the file, the group, and its schema with a `$schema`.
fn for_each_group(mut judge: impl FnMut(&Path, &Value, String)) {
    for (draft, uri) in DRAFTS {
        let Some(folder) = data("json-schema-test-suite") else { continue };
        for (path, groups) in files(&folder.join(draft)) {
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
    // The other failures concern the size of automata.
    assert!(failed.iter().all(|failure| failure.contains("json-schema::state-limit")));
}
