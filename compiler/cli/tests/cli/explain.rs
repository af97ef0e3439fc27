//! `grammarc explain`.

use serde_json::json;

use crate::Place;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {"name": {"type": "string"}, "age": {"type": "integer", "maximum": 150}},
  "required": ["name", "age"],
  "additionalProperties": false
}"#;

#[test]
fn a_refused_text_has_a_place_and_a_keyword() {
    let place = Place::new().with("person.json", SCHEMA);
    let text = "{\"name\": \"Ada\", \"age\": 152}";
    let run = place.run(&["explain", "person.json", "--after", text, "--format", "json"]).exits(1);
    let found = run.value();
    assert_eq!(found["verdict"], "refused", "{found}");
    assert_eq!((&found["offset"], &found["byte"]), (&json!(25), &json!(b'2')), "{found}");
    assert_eq!(found["instance"], "/age");
    assert_eq!(found["places"][0], json!({"name": "/properties/age", "position": [3, 46]}));
    assert_eq!(found["cause"], "one-of");
    let blame = json!({"pointer": "/properties/age/maximum", "keyword": "maximum", "value": "150", "position": [3, 73]});
    assert_eq!(found["blame"][0], blame);
    assert_eq!(found["completion"], "}");
    let people = place.run(&["explain", "person.json", "--after", text]).exits(1).stdout;
    assert!(people.contains("why    /properties/age/maximum 150 (3:73)"), "{people}");
    let whole = "{\"name\": \"Ada\", \"age\": 15}";
    let whole = place.run(&["explain", "person.json", "--after", whole, "--format", "json"]);
    assert_eq!(whole.exits(0).value()["may_end"], true);
    let early = ["explain", "person.json", "--after", "{", "--end", "--format", "json"];
    assert_eq!(place.run(&early).exits(1).value()["verdict"], "ends-too-early");
}

#[test]
fn an_artifact_and_a_grammar_explain_too() {
    let place = Place::new()
        .with("person.json", SCHEMA)
        .with("sum.gbnf", "root ::= num\nnum ::= [0-9]+ (\"+\" num)?\n");
    place.run(&["compile", "person.json", "--tokenizer", "tiny.json", "--standalone"]).exits(0);
    let text = "{\"name\": \"Ada\", \"age\": x";
    let run = place.run(&["explain", "person.gmask", "--after", text, "--format", "json"]).exits(1);
    let found = run.value();
    assert_eq!(found["places"][0]["name"], "/properties/age", "{found}");
    let run = place.run(&["explain", "sum.gbnf", "--after", "12+x", "--format", "json"]).exits(1);
    let found = run.value();
    assert_eq!(found["offset"], 3);
    assert_eq!(found["places"][0]["name"], "num", "{found}");
    assert_eq!(found["next"].as_array().map(Vec::len), Some(10), "{found}");
    // Without places, rules alone are named.
    place
        .run(&["compile", "person.json", "--tokenizer", "tiny.json", "--standalone", "--no-places"])
        .exits(0);
    let run = place.run(&["explain", "person.gmask", "--after", text, "--format", "json"]).exits(1);
    assert!(run.value()["places"][0]["name"].as_str().is_some_and(|name| !name.is_empty()));
}
