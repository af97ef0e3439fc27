//! `grammarc cost`.

use crate::Place;

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "pattern": "^[a-f0-9]{8}-[a-f0-9]{40}$"}, "n": {"type": "integer"}}, "required": ["id", "n"], "additionalProperties": false}"#;

#[test]
fn shares_add_up_and_the_dearest_place_comes_first() {
    let place = Place::new().with("a.json", SCHEMA);
    let cost = ["cost", "a.json", "--tokenizer", "tiny.json", "--what-if", "--format", "json"];
    let found = place.run(&cost).exits(0).value();
    let places = found["places"].as_array().expect("a list");
    let pointers: Vec<&str> = places.iter().filter_map(|place| place["pointer"].as_str()).collect();
    assert_eq!(pointers, ["", "/properties/id", "/properties/n"], "{found}");
    let falls = |pair: &[serde_json::Value]| pair[0]["bytes"].as_f64() >= pair[1]["bytes"].as_f64();
    assert!(places.windows(2).all(falls), "{found}");
    let sum: f64 = places.iter().filter_map(|place| place["bytes"].as_f64()).sum();
    let others = found["others"].as_f64().expect("a number");
    let bytes = found["bytes"].as_f64().expect("a number");
    assert!(others > 0.0 && (sum + others - bytes).abs() < 0.5, "{found}");
    let states: f64 = places.iter().filter_map(|place| place["states"].as_f64()).sum();
    assert!(states <= found["states"].as_f64().expect("a number") + 1e-6, "{found}");
    let first = &found["what_if"][0];
    assert_eq!(first["pointer"], "/properties/id/pattern", "{found}");
    assert!(first["bytes"].as_i64().is_some_and(|bytes| bytes > 0), "{found}");
    let text = place.run(&["cost", "a.json", "--tokenizer", "tiny.json"]).exits(0).stdout;
    assert!(
        text.contains("/properties/id, ") && text.contains("advice  /properties/id/pattern"),
        "{text}"
    );
}
