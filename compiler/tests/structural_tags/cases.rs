//! Texts in `data/structural_tags`: verdicts of XGrammar's tests, and what chat templates write.
//!
//! Every case has the verdict that stands there, or an entry in `exceptions.json`: the text, our verdict and why. An entry
//! that is not needed any more fails the test.

use std::collections::{BTreeMap, BTreeSet};

use grammarc_compiler::frontend::structural_tag;
use serde_json::Value;

use super::page::aliases;
use super::verdicts;

fn data(text: &str) -> Vec<Value> {
    let data: Value = serde_json::from_str(text).expect("the file is JSON");
    data["cases"].as_array().expect("there are cases").clone()
}

/// Holds the verdicts of a file against ours, but for the exceptions of the file's name.
fn judge(name: &str, text: &str, least: usize) {
    let exceptions: Value =
        serde_json::from_str(include_str!("../data/structural_tags/exceptions.json"))
            .expect("the exceptions are JSON");
    let mut unused: Vec<&Value> = exceptions[name].as_array().into_iter().flatten().collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for case in data(text) {
        let texts = case["texts"].as_array().expect("there are texts");
        let strings: Vec<&str> =
            texts.iter().map(|text| text[0].as_str().expect("a text")).collect();
        let ours = match verdicts(&case["tag"], &strings) {
            Ok(ours) => ours,
            Err(errors) => {
                wrong.push(format!("{}: {errors}", case["tag"]));
                continue;
            }
        };
        for (text, ours) in texts.iter().zip(ours) {
            count += 1;
            let is_excepted = |entry: &&&Value| {
                entry["test"] == case["test"]
                    && entry["text"] == text[0]
                    && (entry["style"].is_null() || entry["style"] == case["tag"]["style"])
                    && entry["accepted"].as_bool() == Some(ours)
            };
            let theirs = text[1].as_bool().expect("a verdict");
            if ours == theirs {
                continue;
            }
            match exceptions[name].as_array().into_iter().flatten().find(|e| is_excepted(&e)) {
                Some(entry) => unused.retain(|other| *other != entry),
                None => wrong.push(format!(
                    "{}: {} {} {}",
                    case["test"],
                    case["tag"],
                    text[0],
                    if ours { "is accepted" } else { "is refused" }
                )),
            }
        }
    }
    assert!(count >= least, "{count} cases");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(unused.is_empty(), "entries that no case needs: {unused:#?}");
}

#[test]
fn calls_are_those_of_xgrammar() {
    judge("xgrammar_tools", include_str!("../data/structural_tags/xgrammar_tools.json"), 200);
}

#[test]
fn members_are_those_of_xgrammar() {
    judge("xgrammar_members", include_str!("../data/structural_tags/xgrammar_members.json"), 120);
}

/// Styles without a transcript of each scenario: no chat template of the family can be had, but for `pythonic`.
const WITHOUT_TEMPLATE: [&str; 10] = [
    "deepseek_v4_1",
    "exaone",
    "mimo",
    "longcat",
    "functiongemma",
    "granite_3",
    "phi_4_mini",
    "plain",
    // The template of Llama 4 writes numbers between quotes, so it has no scenario with three arguments.
    "pythonic",
    "olmo_3",
];

/// Scenarios of calls that each style with a template has to take: no argument, one, and three.
const CALLS: [&str; 3] = ["no arguments", "one argument", "one call"];

/// The calls that chat templates write are accepted, where calls may come and where they have to.
#[test]
fn transcripts_are_accepted() {
    let text = include_str!("../data/structural_tags/transcripts.json");
    let file: Value = serde_json::from_str(text).expect("the file is JSON");
    let mut scenarios: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in data(text) {
        // Without a vocabulary, markers have no suffix.
        let suffix = case["suffix"].as_str().unwrap_or_default();
        let text = case["text"].as_str().expect("a text");
        let text = if suffix.is_empty() { text.to_owned() } else { text.replace(suffix, "") };
        let scenario = case["scenario"].as_str().expect("a name");
        let mut tag = case["tag"].clone();
        tag["tools"] = file["tools"].clone();
        let style = tag["style"].as_str().expect("a name").to_owned();
        for choice in ["auto", "required", "none"] {
            tag["tool_choice"] = choice.into();
            let accepted = verdicts(&tag, &[&text]).unwrap_or_else(|error| panic!("{error}"))[0];
            let expected = match choice {
                "auto" => true,
                "required" => scenario != "text",
                _ => scenario == "text",
            };
            if accepted != expected {
                wrong.push(format!("{} {style} {choice} {text:?}", case["template"]));
            }
        }
        scenarios.entry(style).or_default().insert(scenario.to_owned());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for style in structural_tag::styles() {
        let names = aliases(style);
        let found = names.iter().filter_map(|name| scenarios.get(name)).flatten();
        let found: BTreeSet<&str> = found.map(String::as_str).collect();
        let is_rendered = CALLS.iter().all(|scenario| found.contains(scenario));
        assert_eq!(is_rendered, !WITHOUT_TEMPLATE.contains(&style), "{style} {found:?}");
    }
}
