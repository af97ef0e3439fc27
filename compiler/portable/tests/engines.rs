//! Packs of engines against the recording of what engines do, `tests/peers/portable.json`.
//!
//! Probes with one schema are taken together. Probes about the layout of texts are left out: packs are about values.

#![expect(clippy::print_stderr, reason = "says aloud what is skipped and how schemas fare")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use grammarc_portable::{Severity, check, pack};
use serde_json::Value;

/// Probes about the spelling or the order of texts, by the start or the end of their name.
const TEXTS: [&str; 3] = ["spelling-", "layout-", "key-order-"];
const TEXT_ENDS: [&str; 4] = ["-escapes", "-exponent", "-escapes/untyped", "-exponent/untyped"];

/// Schemas for which a pack is more careful than the recording shows, or says less: engine, probe, why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "llama.cpp",
        "minimum-integer-large",
        "integers of more than 16 digits are a limit of the engine",
    ),
    ("llama.cpp", "minimum-integer-large/untyped", "the same"),
    ("llama.cpp", "one-of-overlapping-objects", "open objects are closed, and disjoint then"),
    ("llama.cpp", "unevaluated-items", "the probe has no shorter array"),
    ("llama.cpp", "all-of-objects", "the probe has no other key"),
    ("llama.cpp", "all-of-with-reference", "the probe has no other key"),
    ("llama.cpp", "annotation-discriminator", "the probe has no other key"),
    ("llama.cpp", "unevaluated-properties-all-of", "the object is closed by the schema around it"),
    ("outlines", "annotation-discriminator", "the probe has no other key"),
    ("outlines", "unevaluated-properties-all-of", "the object is closed by the schema around it"),
    ("outlines", "unevaluated-items-all-of", "the probe has no shorter array"),
    ("outlines", "unevaluated-items-all-of/untyped", "the probe has no shorter array"),
    ("outlines", "prefix-items-closed", "`items` beside `prefixItems` is not read"),
    ("outlines", "one-of-overlapping-objects", "open objects are closed, and disjoint then"),
    ("outlines", "ref-recursion-to-root", "the probe is not deep enough"),
    ("outlines", "properties-keys-not-ascii", "spelling of keys"),
    ("outlines", "unevaluated-items", "the probe has no shorter array"),
];

/// Returns the recording. `None` if the checkout has none.
fn recording() -> Option<Value> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers/portable.json");
    let path = std::env::var_os("GRAMMARC_PORTABLE").map_or_else(|| beside.into(), PathBuf::from);
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).expect("the recording is JSON"))
}

#[test]
fn packs_agree_with_the_recording() {
    let Some(recording) = recording() else {
        eprintln!("skipped: there is no tests/peers/portable.json");
        return;
    };
    let engines = [
        ("llama.cpp", "llama.cpp"),
        ("llguidance", "llguidance"),
        ("outlines-core", "outlines"),
        ("xgrammar", "xgrammar"),
    ];
    let mut failures = Vec::new();
    for (engine, target) in engines {
        let pack = pack(target).unwrap();
        let mut by_schema: BTreeMap<String, (Vec<&str>, BTreeSet<&str>)> = BTreeMap::new();
        for probe in recording["probes"].as_array().unwrap() {
            let name = probe["name"].as_str().unwrap();
            let is_text = TEXTS.iter().any(|start| name.starts_with(start))
                || TEXT_ENDS.iter().any(|end| name.ends_with(end));
            let Some(answer) = probe["answers"][engine].as_str().filter(|_| !is_text) else {
                continue;
            };
            let (names, answers) = by_schema.entry(probe["schema"].to_string()).or_default();
            names.push(name);
            match answer {
                "enforced" => {}
                "wrong" => answers.extend(["ignored", "narrower"]),
                answer => {
                    answers.insert(answer);
                }
            }
        }
        for (text, (names, answers)) in by_schema {
            if EXCEPTIONS.iter().any(|(one, name, _)| *one == target && names.contains(name)) {
                continue;
            }
            let schema: Value = serde_json::from_str(&text).unwrap();
            let findings = check(&schema, &pack);
            let found: BTreeSet<String> = findings
                .iter()
                .filter(|finding| finding.severity >= Severity::Loss)
                .map(|finding| {
                    serde_json::to_value(finding.treatment).unwrap().as_str().unwrap().to_owned()
                })
                .collect();
            let agrees = match answers.contains("refused") {
                true => found.contains("refused"),
                false if answers.is_empty() => found.is_empty(),
                false => {
                    !found.contains("refused")
                        && answers.iter().any(|answer| found.contains(*answer))
                }
            };
            if !agrees {
                let rules: Vec<_> = findings.iter().map(|finding| &finding.rule).collect();
                failures.push(format!(
                    "{target} {names:?}: recorded {answers:?}, found {found:?} {rules:?}: {text}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{} disagree:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn exceptions_are_still_in_the_recording() {
    let Some(recording) = recording() else { return };
    let probes = recording["probes"].as_array().unwrap();
    for (target, name, why) in EXCEPTIONS {
        assert!(probes.iter().any(|probe| probe["name"] == *name), "{target}: {name}, {why}");
    }
}
