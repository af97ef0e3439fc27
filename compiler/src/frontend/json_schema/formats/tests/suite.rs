//! The official suite's optional cases on formats, of drafts 7 and 2020-12.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::format;

/// Valid strings that a format refuses, by format and reason, with the cases of each draft that it loses.
/// Nothing invalid may be accepted, so no list exists for that.
const REFUSED: &[(&str, &str, &[&str])] = &[];

fn root() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("GRAMMARC_DATA")
        .map_or(root, PathBuf::from)
        .join("json-schema-test-suite");
    folder.is_dir().then_some(folder)
}

/// Format, string and verdict of every case on a string.
fn cases(folder: &Path) -> Vec<(String, String, bool)> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is readable")
        .map(|entry| entry.expect("the entry is readable").path())
        .collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("the file is readable");
        let groups: Value = serde_json::from_str(&text).expect("the file is JSON");
        for group in groups.as_array().into_iter().flatten() {
            let name = group["schema"]["format"].as_str().unwrap_or_default();
            for test in group["tests"].as_array().into_iter().flatten() {
                if let Some(data) = test["data"].as_str() {
                    cases.push((name.to_owned(), data.to_owned(), test["valid"] == true));
                }
            }
        }
    }
    cases
}

#[test]
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
fn official_suite() {
    let Some(root) = root() else {
        eprintln!("SKIPPED: no JSON Schema test suite; set GRAMMARC_DATA");
        return;
    };
    for draft in ["draft7", "draft2020-12"] {
        let cases = cases(&root.join(draft).join("optional/format"));
        let mut accepted_invalid = Vec::new();
        let mut refused_valid = Vec::new();
        for (name, data, valid) in &cases {
            let accepted = format(name).is_none_or(|f| f.automaton().accepts(data.as_bytes()));
            match (accepted, valid) {
                (true, false) => accepted_invalid.push((name, data)),
                (false, true) => refused_valid.push((name, data)),
                _ => {}
            }
        }
        let right = cases.len() - accepted_invalid.len() - refused_valid.len();
        eprintln!("{draft}: {right} of {} cases right", cases.len());
        eprintln!("refused: {refused_valid:#?}");
        assert_eq!(accepted_invalid, [], "{draft}: invalid strings accepted");
    }
}
