//! MaskBench: real schemas with instances that are valid or not.
//!
//! Instances are written compact, with keys as they stand in the file, which is schema order for nearly all. Every
//! schema that lowers must refuse every invalid instance of the sample; the share of valid ones accepted is a ratchet.

use std::path::PathBuf;

use serde_json::Value;

use super::{accepts, compile};

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
    let (mut valid_count, mut invalid_count) = (0, 0);
    for (name, case) in cases.iter().step_by(step) {
        seen += 1;
        let lowered = match compile(&case["schema"].to_string()) {
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
        for (at, test) in case["tests"].as_array().into_iter().flatten().enumerate() {
            let text = test["data"].to_string();
            let valid = test["valid"] == true;
            let accepted = accepts(&lowered, &text);
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
        "MaskBench: {lowered_count} of {seen} lower; valid refused {} of {valid_count}: {refused_valid:?}; \
         invalid accepted {} of {invalid_count}: {accepted_invalid:?}; refusals {codes:#?}",
        refused_valid.len(),
        accepted_invalid.len(),
    );
    assert!(accepted_invalid.is_empty());
}
