//! `grammarc sample`.

use serde_json::Value;

use crate::Place;

const SCHEMA: &str = r##"{
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "tags": {"type": "array", "items": {"enum": ["x", "y"]}},
    "next": {"$ref": "#"}
  },
  "required": ["name"],
  "additionalProperties": false
}"##;

#[test]
fn samples_are_accepted() {
    let place = Place::with_grammar("g.json", SCHEMA);
    for more in [&[][..], &["--any"], &["--max-tokens", "0"], &["--max-tokens", "5"]] {
        let arguments = ["sample", "g.gmask", "-n", "20", "--seed", "7", "--format", "json"];
        let run = place.run(&[&arguments[..], more].concat()).exits(0);
        let samples = run.values();
        assert_eq!(samples.len(), 20);
        for sample in samples {
            let text = sample.as_str().expect("a string");
            let value: Value = serde_json::from_str(text).expect("JSON");
            assert!(value["name"].is_string(), "{text}");
            place.run_with(&["check", "g.gmask", "-", "--exact"], text).exits(0);
        }
    }
}

#[test]
fn a_seed_decides_and_samples_are_independent() {
    let place = Place::with_grammar("g.json", SCHEMA);
    let draw = |count: &str, seed: &str| {
        place.run(&["sample", "g.gmask", "-n", count, "--seed", seed]).exits(0).stdout
    };
    let ten = draw("10", "1");
    assert_eq!(ten, draw("10", "1"));
    assert_ne!(ten, draw("10", "2"));
    assert!(ten.starts_with(&draw("3", "1")));
    let different: std::collections::BTreeSet<&str> = ten.lines().collect();
    assert!(different.len() > 3, "{ten}");
}

#[test]
fn other_tokens_are_written_by_name() {
    let place = Place::with_grammar("g.gbnf", "root ::= \"a\" <|end|> \"b\"\n");
    assert_eq!(place.run(&["sample", "g.gmask"]).exits(0).stdout, "a<|end|>b\n");
}

#[test]
fn finds_the_vocabulary_by_its_content() {
    let place = Place::with_grammar("g.gbnf", "root ::= \"a\"\n");
    // Others are in the way, and the right one has another name.
    std::fs::rename(place.path("tiny.gvocab"), place.path("z.gvocab")).expect("renamed");
    place.run(&["vocab", "tiny.json", "-o", "a.gvocab", "--end-token", "65"]).exits(0);
    std::fs::write(place.path("b.gvocab"), "damaged").expect("written");
    assert_eq!(place.run(&["sample", "g.gmask"]).exits(0).stdout, "a\n");

    std::fs::remove_file(place.path("z.gvocab")).expect("removed");
    let run = place.run(&["sample", "g.gmask"]).exits(2);
    for part in ["vocabulary \"tiny\"", "a.gvocab", "b.gvocab", "--vocab"] {
        assert!(run.stderr.contains(part), "{part:?} in {}", run.stderr);
    }
    let run = place.run(&["sample", "g.gmask", "--vocab", "a.gvocab"]).exits(2);
    assert!(run.stderr.contains("token 65"), "{}", run.stderr);
}
