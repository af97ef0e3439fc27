//! `grammarc bench`.

use crate::Place;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {"name": {"type": "string"}, "n": {"type": "integer"}},
  "required": ["name"],
  "additionalProperties": false
}"#;

#[test]
fn every_call_has_its_times() {
    let place = Place::with_grammar("g.json", SCHEMA);
    let arguments =
        ["bench", "g.gmask", "-n", "4", "--rounds", "3", "--seed", "1", "--format", "json"];
    let value = place.run(&arguments).exits(0).value();
    assert_eq!(value["bytes"], place.read("g.gmask").len());
    assert_eq!(value["bound"]["most_configurations"], 1);
    assert!(value["most_parts"].as_u64() >= Some(1));
    // The outputs are those of `sample`.
    let samples = ["sample", "g.gmask", "-n", "4", "--seed", "1", "--format", "json"];
    let samples = place.run(&samples).exits(0).values();
    let bytes: usize = samples.iter().map(|text| text.as_str().expect("a text").len()).sum();
    let tokens = value["tokens"].as_u64().expect("a number") as usize;
    assert!((4..=bytes).contains(&tokens), "{tokens} tokens of {bytes} bytes");
    let calls = value["calls"].as_array().expect("a list");
    assert_eq!(calls.len(), 5);
    for times in calls.iter().flat_map(|call| [&call["ns"], &call["first_ns"]]) {
        let rank = |name: &str| times[name].as_f64().expect("a time");
        let ranks = ["p50", "p90", "p99", "p999", "max"].map(rank);
        assert!(ranks[0] > 0.0 && ranks.is_sorted(), "{times}");
    }
}

#[test]
fn people_get_a_table() {
    let place = Place::with_grammar("g.json", SCHEMA);
    let run = place.run(&["bench", "g.gmask", "-n", "2", "--rounds", "1"]).exits(0);
    for part in [
        "mask reference  ",
        "accept, back to back",
        "p99.9",
        "at most 1 configuration",
        "opening  ",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in {}", run.stdout);
    }
    place.run(&["bench", "g.gmask", "--rounds", "0"]).exits(2);
    place.run(&["bench", "tiny.gvocab"]).exits(2);
}
