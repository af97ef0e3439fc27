//! `grammarc inspect`.

use crate::Place;

const SCHEMA: &str = r#"{"title": "Yes", "type": "boolean"}"#;

#[test]
fn shows_both_kinds() {
    let place = Place::with_grammar("g.json", SCHEMA);
    for (file, parts) in [
        (
            "g.gmask",
            &[
                "grammar artifact",
                "g.json, json-schema, blake3 ",
                "whitespace natural",
                "keywords",
                "one step",
                "STATES",
            ][..],
        ),
        (
            "tiny.gvocab",
            &["vocabulary artifact", "every invariant", "name        tiny", "TRIE_END"],
        ),
    ] {
        let run = place.run(&["inspect", file]).exits(0);
        for part in parts {
            assert!(run.stdout.contains(part), "{part:?} in {}", run.stdout);
        }
        let value = place.run(&["inspect", file, "--format", "json"]).exits(0).value();
        assert_eq!(value["bytes"], place.read(file).len());
        let sections = value["sections"].as_array().expect("sections");
        assert!(
            sections.iter().all(|section| section["bytes"].is_u64() && section["name"].is_string())
        );
        assert!(value["tables"]["states"].is_u64());
    }
}

#[test]
fn lists_the_whole_report_when_asked() {
    let place = Place::with_grammar("g.json", SCHEMA);
    let brief = place.run(&["inspect", "g.gmask"]).exits(0).stdout;
    assert!(!brief.contains("/title"), "{brief}");
    let whole = place.run(&["inspect", "g.gmask", "--report"]).exits(0).stdout;
    assert!(whole.contains("annotation  /title: "), "{whole}");
    assert!(whole.contains("exact       /type\n"), "{whole}");
}

#[test]
fn checks_everything_with_the_vocabulary() {
    let place = Place::with_grammar("g.json", SCHEMA);
    let validated = |arguments: &[&str]| place.run(arguments).exits(0).value()["validated"].clone();
    assert_eq!(validated(&["inspect", "g.gmask", "--format", "json"]), false);
    let with = ["inspect", "g.gmask", "--vocab", "tiny.gvocab", "--format", "json"];
    assert_eq!(validated(&with), true);

    place.run(&["vocab", "tiny.json", "-o", "b.gvocab", "--text-id", "266"]).exits(0);
    let run = place.run(&["inspect", "g.gmask", "--vocab", "b.gvocab"]).exits(1);
    assert!(run.stderr.contains("token 266"), "{}", run.stderr);
}

#[test]
fn damage_is_a_finding() {
    let place = Place::with_grammar("g.json", SCHEMA);
    let mut bytes = place.read("g.gmask");
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    let half = bytes[..at].to_vec();
    let place =
        place.with("flipped.gmask", &bytes).with("half.gmask", half).with("empty.gmask", "");
    for file in ["flipped.gmask", "half.gmask", "empty.gmask"] {
        let run = place.run(&["inspect", file]).exits(1);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(file), "{}", run.stderr);
        // For the other verbs the artifact is a means, and they cannot do their work.
        place.run(&["sample", file, "--vocab", "tiny.gvocab"]).exits(2);
    }
}
