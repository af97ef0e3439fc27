//! `grammarc witness`.

use serde_json::json;

use crate::Place;

const SCHEMA: &str = r#"{"type": "object", "properties": {"n": {"type": "integer", "minimum": 3, "maxLength": 2}}, "required": ["n"], "additionalProperties": false}"#;

#[test]
fn witnesses_are_found_by_kind() {
    let place = Place::new().with("a.json", SCHEMA).with("bad.json", r#"{"type": "strin"}"#);
    let found = place.run(&["witness", "a.json", "--format", "json"]).exits(0).value();
    let case = |text: &str, why: &str, pointer: &str| json!({"text": text, "why": why, "pointer": pointer});
    assert_eq!(found["valid"][0], case(r#"{"n":3}"#, "shortest", ""), "{found}");
    let near = case(r#"{"n":0}"#, "minimum", "/properties/n/minimum");
    assert!(found["invalid"].as_array().is_some_and(|cases| cases.contains(&near)), "{found}");
    assert_eq!(found["silent"], json!(["/properties/n/maxLength"]));
    let only = ["witness", "a.json", "--only", "shortest", "--random", "3", "--format", "json"];
    let found = place.run(&only).exits(0).value();
    assert_eq!(found["invalid"], json!([]));
    assert!(found["valid"].as_array().is_some_and(|cases| cases.len() > 1), "{found}");
    let text = place.run(&["witness", "a.json", "--at", "/properties/n"]).exits(0).stdout;
    assert!(text.contains("silent   /properties/n/maxLength changes nothing"), "{text}");
    place.run(&["witness", "bad.json"]).exits(1);
}
