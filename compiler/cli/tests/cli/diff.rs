//! `grammarc diff`.

use serde_json::{Value, json};

use crate::{Place, Run};

const OLD: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["q", "limit"], "additionalProperties": false}"#;
const NEW: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}, "required": ["q", "limit"], "additionalProperties": false}"#;

fn diff(old: &str, new: &str, more: &[&str]) -> Run {
    let place = Place::new().with("old.json", old).with("new.json", new);
    place.run(&[&["diff", "old.json", "new.json"], more].concat())
}

#[test]
fn a_narrower_schema_refuses_values_of_before() {
    let run = diff(OLD, NEW, &["--format", "json", "--compatible", "input"]).exits(1);
    let found = run.value();
    assert_eq!(found["relation"], "contains", "{found}");
    assert_eq!(found["compatible"], false);
    assert_eq!(found["left_only"]["witness"], json!({"q": "", "limit": 0}));
    assert_eq!(found["right_only"], json!({"empty": true, "proved": true}));
    let change = json!({"left": null, "right": "/properties/limit/minimum", "keyword": "minimum", "effect": "narrower"});
    assert_eq!(found["changes"], json!([change]));
    assert_eq!(
        diff(OLD, NEW, &["--format", "json", "--compatible", "output"]).exits(0).value()["compatible"],
        true
    );
    assert_eq!(
        diff(NEW, OLD, &["--format", "json", "--compatible", "input"]).exits(0).value()["relation"],
        "within"
    );
    diff(OLD, NEW, &[]).exits(1);
    diff(OLD, OLD, &["--compatible", "both"]).exits(0);
    let text = diff(OLD, NEW, &[]).stdout;
    assert!(text.contains("values of before are refused"), "{text}");
    assert!(text.contains(r#"only OLD  {"q":"","limit":0}"#), "{text}");
    assert!(text.contains("added     /properties/limit/minimum: narrower"), "{text}");
}

#[test]
fn tools_are_compared_by_name() {
    let tool = |name: &str, schema: &str| json!({"name": name, "inputSchema": serde_json::from_str::<Value>(schema).expect("JSON")});
    let old = json!({"tools": [tool("search", OLD), tool("gone", OLD), tool("same", OLD)]});
    let new = json!([tool("same", OLD), tool("search", NEW), tool("more", OLD)]);
    let run =
        diff(&old.to_string(), &new.to_string(), &["--format", "json", "--compatible", "input"]);
    let found: Vec<Value> = run.exits(1).values();
    let relations: Vec<_> = found
        .iter()
        .map(|one| (one["tool"].as_str(), one["relation"].as_str(), one["compatible"].as_bool()))
        .collect();
    assert_eq!(
        relations,
        [
            (Some("search"), Some("contains"), Some(false)),
            (Some("gone"), Some("removed"), Some(false)),
            (Some("same"), Some("equal"), Some(true)),
            (Some("more"), Some("added"), Some(true)),
        ]
    );
}

#[test]
fn what_is_wrong_is_said() {
    let run = diff("{", NEW, &["--format", "json"]).exits(1);
    assert_eq!(run.errors()[0]["code"], "json-schema::syntax");
    let run = diff(OLD, r#"{"type": "strin"}"#, &["--format", "json"]).exits(1);
    assert_eq!(run.errors()[0]["code"], "json-schema::invalid-keyword");
    let run = diff(OLD, "[]", &[]).exits(2);
    assert!(run.stderr.contains("different kinds"), "{}", run.stderr);
    // Addresses are not sets that are exact here, so nothing is proved.
    let formats =
        [r#"{"type": "string", "format": "email"}"#, r#"{"type": "string", "maxLength": 9}"#];
    let run = diff(formats[0], formats[1], &["--format", "json", "--compatible", "output"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
}
