//! `grammarc debug`.

use serde_json::json;

use crate::Place;

const GRAMMAR: &str = "root ::= \"[\" item (\",\" item)* \"]\"\nitem ::= \"ab\" | root\n";

#[test]
fn shows_the_grammar() {
    let place = Place::new().with("g.gbnf", GRAMMAR);
    let text = place.run(&["debug", "ir", "g.gbnf"]).exits(0).stdout;
    assert!(text.starts_with("* r0 root = "), "{text}");
    let value = place.run(&["debug", "ir", "g.gbnf", "--format", "json"]).exits(0).value();
    assert_eq!(value["start"], 0);
    assert_eq!(value["rules"][1]["name"], "item");
    assert_eq!(value["rules"][1]["expr"], "\"ab\" | r0");
}

#[test]
fn shows_the_network() {
    let place = Place::with_vocabulary().with("g.gbnf", GRAMMAR);
    let arguments = ["debug", "network", "g.gbnf", "--vocab", "tiny.gvocab"];
    let text = place.run(&arguments).exits(0).stdout;
    assert!(text.starts_with("* rule "), "{text}");
    let value = place.run(&[&arguments[..], &["--format", "json"]].concat()).exits(0).value();
    let rules = value["rules"].as_array().expect("rules");
    assert_eq!(rules.iter().filter(|rule| rule["root"] == true).count(), 1);
    let states = rules.iter().flat_map(|rule| rule["states"].as_array().expect("states"));
    let opening = states.filter(|state| state["bytes"][0]["lo"] == b'[').count();
    assert!(opening >= 1, "{value}");
}

#[test]
fn shows_the_trie() {
    let place = Place::with_vocabulary();
    let trie = |prefix: &str| {
        place.run(&[
            "debug",
            "trie",
            "--vocab",
            "tiny.gvocab",
            "--prefix",
            prefix,
            "--format",
            "json",
        ])
    };
    let value = trie("tr").exits(0).value();
    assert_eq!(value["tokens"], json!([]));
    assert_eq!(value["tokens_below"], 1);
    assert_eq!(value["children"][0]["byte"], b'u');
    let value = trie("ab").exits(0).value();
    assert_eq!(value["tokens"].as_array().map(Vec::len), Some(1));
    assert_eq!(trie("qq").exits(1).value()["node"], json!(null));
    let text = place.run(&["debug", "trie", "--vocab", "tiny.gvocab"]).exits(0).stdout;
    assert!(text.contains("266 tokens from here on"), "{text}");
}

#[test]
fn shows_the_mask() {
    let place = Place::with_grammar("g.gbnf", GRAMMAR);
    let mask = |after: &str| {
        place.run(&["debug", "mask", "g.gmask", "--after", after, "--format", "json"])
    };
    let texts = |value: &serde_json::Value| -> Vec<String> {
        let tokens = value["tokens"].as_array().expect("tokens");
        tokens.iter().map(|token| token["text"].as_str().expect("text").to_owned()).collect()
    };
    let value = mask("[").exits(0).value();
    assert_eq!(texts(&value), ["[", "a", "ab"]);
    assert_eq!(value["count"], 3);
    assert_eq!(value["may_end"], false);
    let value = mask("[[ab").exits(0).value();
    assert_eq!(texts(&value), [",", "]"]);
    assert!(!value["configurations"][0]["stack"].as_array().expect("a stack").is_empty());
    let value = mask("[ab]").exits(0).value();
    assert_eq!((&value["count"], &value["may_end"]), (&json!(0), &json!(true)));
    mask("[x").exits(1);
    let text = place.run(&["debug", "mask", "g.gmask", "--after", "[ab"]).exits(0).stdout;
    assert!(text.contains("2 tokens in "), "{text}");
}
