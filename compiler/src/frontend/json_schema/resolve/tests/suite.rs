//! The official suite: every schema is surveyed, and every reference in it leads somewhere.

use super::super::super::resources::Resources;
use super::{data, files, outcome};

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

#[test]
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
fn official_schemas_are_surveyed() {
    let Some(resources) = remotes() else {
        eprintln!("SKIPPED: no JSON Schema test suite; set GRAMMARC_DATA");
        return;
    };
    let (mut seen, mut failed) = (0, Vec::new());
    for (draft, uri) in [
        ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
        ("draft7", "http://json-schema.org/draft-07/schema#"),
    ] {
        let Some(folder) = data("json-schema-test-suite").map(|folder| folder.join(draft)) else {
            continue;
        };
        for (path, groups) in files(folder.clone()) {
            // A string length beyond any memory, and patterns that are not regular, are others' concern.
            for group in groups.as_array().into_iter().flatten() {
                let mut schema = group["schema"].clone();
                if let Some(members) = schema.as_object_mut() {
                    members.entry("$schema").or_insert_with(|| uri.into());
                }
                seen += 1;
                if let Err(errors) = outcome(&schema.to_string(), &resources) {
                    let name = path.strip_prefix(&folder).unwrap_or(&path).display();
                    failed.push(format!(
                        "{draft}/{name}: {}: {} {}",
                        group["description"], errors[0].code, errors[0]
                    ));
                }
            }
        }
    }
    eprintln!(
        "official suite: {} of {seen} schemas surveyed; others:\n{}",
        seen - failed.len(),
        failed.join("\n")
    );
    assert!(
        !failed
            .iter()
            .any(|failure| failure.contains("reference") || failure.contains("identifiers"))
    );
}
