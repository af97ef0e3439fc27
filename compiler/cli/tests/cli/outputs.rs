//! `grammarc repair` and `grammarc jsonl`: outputs of models.

use serde_json::{Value, json};

use crate::Place;

const SCHEMA: &str = r#"{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}"#;

fn run(verb: &str, text: &str, more: &[&str]) -> (i32, Value) {
    let place = Place::new().with("s.json", SCHEMA);
    let arguments = [&[verb, "-", "--format", "json"], more].concat();
    let run = place.run_with(&arguments, text);
    (run.code, run.value())
}

#[test]
fn a_repair_tells_its_edits() {
    let text = "Sure: {'id': 7, name: \"x\",}";
    let (code, found) = run("repair", text, &["--schema", "s.json"]);
    assert_eq!(
        (code, &found["status"], &found["text"]),
        (0, &json!("repaired"), &json!("{\"id\": 7, \"name\": \"x\"}"))
    );
    let edits = found["edits"].as_array().expect("a list");
    assert!(edits.len() > 3 && edits.iter().all(|edit| edit["grade"] == "certain"), "{found}");
    for edit in edits {
        let at = |index: usize| edit["at"][index].as_u64().expect("a place") as usize;
        assert_eq!(edit["removed"], text[at(0)..at(1)]);
    }
}

#[test]
fn what_is_json_is_as_it_was_and_what_is_no_instance_is_refused() {
    let (code, found) = run("repair", "{\"id\" : 1}", &["--schema", "s.json"]);
    assert_eq!((code, found), (0, json!({"text": "{\"id\" : 1}", "status": "valid", "edits": []})));
    let (code, found) = run("repair", "{\"id\": \"1\"}", &["--schema", "s.json"]);
    assert_eq!((code, &found["status"], &found["text"]), (1, &json!("refused"), &Value::Null));
    let (code, found) = run("repair", "{\"id\": 12", &["--schema", "s.json", "--cut"]);
    assert_eq!((code, &found["status"]), (1, &json!("refused")), "{found}");
}

#[test]
fn types_change_on_request_alone() {
    let (code, found) = run("repair", "{'id': \"1\"}", &["--schema", "s.json", "--coerce"]);
    assert_eq!((code, &found["text"]), (0, &json!("{\"id\": 1}")), "{found}");
    let coerced = found["edits"].as_array().expect("a list").iter();
    let coerced: Vec<&Value> = coerced.filter(|edit| edit["kind"] == "coerced").collect();
    assert_eq!(coerced.len(), 1, "{found}");
    assert_eq!(coerced[0]["grade"], "likely");
}

#[test]
fn of_several_documents_none_is_chosen() {
    let (code, found) = run("repair", "{'id': 1}\n{'id': 2}", &["--schema", "s.json"]);
    assert_eq!((code, &found["status"], &found["text"]), (1, &json!("refused"), &Value::Null));
    let reason = found["reason"].as_str().expect("a reason");
    assert!(reason.contains("0..9") && reason.contains("10..19"), "{reason}");
    let (code, found) = run("repair", "{'id': 1}\n{'no': 2}", &["--schema", "s.json"]);
    assert_eq!((code, &found["text"]), (0, &json!("{\"id\": 1}")), "{found}");
}

#[test]
fn lines_that_are_none_are_told() {
    let text = "```\n{\"id\": 1}\n\nno\n{\"id\": \"x\"}\n{\"id\": 2";
    let (code, found) = run("jsonl", text, &["--schema", "s.json"]);
    assert_eq!(
        (code, &found["items"], &found["truncated"]),
        (1, &json!([{"id": 1}]), &json!(true))
    );
    let skipped =
        found["skipped"].as_array().expect("a list").iter().map(|line| line["line"].clone());
    assert_eq!(skipped.collect::<Vec<_>>(), [4, 5, 6]);
    let (code, found) = run("jsonl", "{'id': 1}\n[1]\n", &["--repair"]);
    assert_eq!((code, &found["items"]), (0, &json!([{"id": 1}, [1]])));
}

#[test]
fn bytes_that_are_no_text_have_their_place() {
    let place = Place::new().with("bad.txt", b"{\"a\": \"\xFF\"}");
    for verb in ["repair", "jsonl"] {
        let run = place.run(&[verb, "bad.txt", "--format", "json"]).exits(1);
        assert!(run.stdout.is_empty() && run.stderr.contains("offset 7"), "{run:?}");
    }
}
