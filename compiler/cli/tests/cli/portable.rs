//! `grammarc lint` and `grammarc lower`.

use serde_json::{Value, json};

use crate::Place;

const SCHEMA: &str = r#"{"type": "object", "properties": {"name": {"type": "string", "maxLength": 10}, "n": {"type": "integer", "minimum": 0}}, "required": ["name"]}"#;

#[test]
fn findings_name_target_place_and_source() {
    let place = Place::new().with("a.json", SCHEMA);
    let lint = |more: &[&str]| place.run(&[&["lint", "a.json"], more].concat());
    let run = lint(&["--for", "openai-strict,xgrammar", "--format", "json"]).exits(1);
    let found = run.value();
    assert_eq!(found["targets"], json!(["openai-strict", "xgrammar"]));
    let errors = |target: &str| {
        let all = found["findings"].as_array().cloned().unwrap_or_default();
        let of = |one: &&Value| one["target"] == target && one["severity"] == "error";
        all.iter().filter(of).cloned().collect::<Vec<_>>()
    };
    assert!(errors("xgrammar").is_empty(), "{found}");
    let openai = errors("openai-strict");
    assert!(!openai.is_empty(), "{found}");
    for finding in &openai {
        assert!(finding["source"].as_str().is_some_and(|source| !source.is_empty()), "{finding}");
        assert!(finding["seen"].as_str().is_some_and(|seen| seen.starts_with("20")), "{finding}");
    }
    lint(&["--for", "xgrammar"]).exits(0);
    let unknown = lint(&["--for", "openai-strct"]).exits(2);
    assert!(unknown.stderr.contains("did you mean `openai-strict`?"), "{}", unknown.stderr);
    let run = lint(&["--for", "all", "--sarif", "out.sarif", "--exact"]).exits(1);
    assert!(run.stdout.contains("openai-strict: "), "{}", run.stdout);
    let sarif: Value = serde_json::from_slice(&place.read("out.sarif")).expect("SARIF is JSON");
    assert_eq!(sarif["version"], "2.1.0");
}

#[test]
fn tools_are_checked_as_one_request() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let tools = json!({"tools": [{"name": "f", "inputSchema": schema}, {"name": "g", "inputSchema": schema}]});
    let place = Place::new().with("tools.json", tools.to_string());
    let run = place.run(&["lint", "tools.json", "--for", "openai-strict", "--format", "json"]);
    let found = run.exits(1).value();
    let of = |tool: &str| {
        let all = found["findings"].as_array().cloned().unwrap_or_default();
        all.iter().filter(|one| one["tool"] == tool).count()
    };
    assert!(of("f") > 0 && of("f") == of("g"), "{found}");
}

#[test]
fn a_lowered_schema_is_taken_and_its_relation_is_said() {
    let place = Place::new().with("a.json", SCHEMA);
    let run = place.run(&[
        "lower",
        "a.json",
        "--for",
        "openai-strict",
        "-o",
        "b.json",
        "--format",
        "json",
    ]);
    let found = run.exits(0).value();
    assert_eq!(found["relation"], "narrower", "{found}");
    assert_eq!(found["schema"]["additionalProperties"], false);
    assert!(found["stand_ins"].as_array().is_some_and(|all| !all.is_empty()), "{found}");
    let again = place.run(&["lint", "b.json", "--for", "openai-strict"]);
    again.exits(0);
    let run = place.run(&["lower", "b.json", "--for", "openai-strict", "-o", "-"]).exits(0);
    let written = place.read("b.json");
    assert_eq!(run.stdout.as_bytes(), written, "a schema without findings stays as it is");
    place.run(&["lower", "a.json", "--for", "openai-strict", "--keep", "equal"]).exits(1);
    let never = Place::new()
        .with("never.json", r#"{"type": "object", "required": ["a"], "properties": {"a": false}}"#);
    never.run(&["lower", "never.json", "--for", "openai-strict"]).exits(1);
}
