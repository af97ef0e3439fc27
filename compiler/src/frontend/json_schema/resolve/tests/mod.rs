//! Where references lead, told by the survey.

mod cases;
mod maskbench;
mod suite;

use std::path::PathBuf;

use serde_json::Value;

use crate::diagnostics::{Diagnostic, Source};

use super::super::document::Document;
use super::super::options::JsonSchemaOptions;
use super::super::resources::Resources;
use super::super::schema::Part;
use super::super::survey::survey;

/// What the survey says of a schema.
struct Outcome {
    /// The pointer of each reference with that of its target, in source order; more than once where dynamic scopes
    /// differ.
    targets: Vec<(String, String)>,
    /// Codes of the warnings, in order.
    warnings: Vec<&'static str>,
}

fn outcome(schema: &str, resources: &Resources) -> Result<Outcome, Vec<Diagnostic>> {
    let options = JsonSchemaOptions { resources: resources.clone(), ..Default::default() };
    let source = Source::new("<test>", schema);
    let (mut document, tree) = Document::parse(&source).map_err(|error| vec![error])?;
    let mut findings = Vec::new();
    let surveyed = survey(&mut document, &tree, &options, &mut findings)?;
    let mut targets = Vec::new();
    for id in surveyed.schemas.iter() {
        for (place, part) in surveyed.schemas.parts(id) {
            if let (true, Part::All(schemas)) =
                (document.key(*place).ends_with("Ref") || document.key(*place) == "$ref", part)
                && let [target] = schemas[..]
            {
                targets.push((*place, surveyed.schemas.node(target)));
            }
        }
    }
    targets.sort_unstable();
    let pointers =
        targets.iter().map(|(from, to)| (document.pointer(*from), document.pointer(*to)));
    let warnings = findings.iter().map(|finding| finding.code).collect();
    Ok(Outcome { targets: pointers.collect(), warnings })
}

/// A folder of the test data, where it is there.
fn data(name: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("GRAMMARC_DATA").map_or(root, PathBuf::from).join(name);
    folder.is_dir().then_some(folder)
}

/// The JSON files of a folder and of those in it, sorted by path.
fn files(folder: PathBuf) -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is readable") {
            let path = entry.expect("the entry is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let text = std::fs::read_to_string(&path).expect("the file is readable");
                found.push((path, serde_json::from_str(&text).expect("the file is JSON")));
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}
