//! `grammarc view`: the data of the page is complete and right, and the page is whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::Place;

/// Bit of a state's flags: an arrival sets a counter, and `exit` is the number.
const LOADS: u64 = 32;

/// Exit status of the script of the browser's tests where the package index is not reachable.
const NO_ENVIRONMENT: i32 = 77;

/// Names of browsers that the tests know.
const BROWSERS: [&str; 2] = ["chromium", "google-chrome"];

const LIST: &str = "root ::= \"[\" item (\", \" item)* \"]\"\nitem ::= [a-z]{2,5} | root\n";

const KEYS: &str = r#"{
    "title": "</script><b>",
    "type": "object",
    "properties": {
        "a": {"enum": ["</script>", "é"]},
        "b": {"type": "string", "minLength": 3, "maxLength": 600, "pattern": "^[a-z]*$"},
        "c": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "minItems": 2}
    },
    "required": ["a", "b"],
    "additionalProperties": false
}"#;

/// A page, in parts.
struct Page {
    html: String,
    data: Value,
}

impl Page {
    #[track_caller]
    fn of(place: &Place, name: &str) -> Self {
        let html = String::from_utf8(place.read(name)).expect("UTF-8");
        let (_, data) = html.split_once("id=\"data\">").expect("the element with the data");
        let (data, _) = data.split_once("</script>").expect("its end");
        let data = serde_json::from_str(data).expect("the data is JSON");
        Self { html, data }
    }

    fn list(&self, name: &str) -> &[Value] {
        self.data[name].as_array().expect("a list")
    }

    /// Returns the states that edges, calls and returns reach from the start, for any register.
    fn reachable(&self) -> BTreeSet<u64> {
        let states: BTreeMap<u64, &Value> = self
            .list("states")
            .iter()
            .filter_map(|state| Some((state["id"].as_u64()?, state)))
            .collect();
        let firsts: BTreeMap<u64, u64> = self
            .list("rules")
            .iter()
            .filter_map(|rule| Some((rule["id"].as_u64()?, rule["first"].as_u64()?)))
            .collect();
        let (mut found, mut open) = (BTreeSet::new(), vec![self.data["start"].as_u64()]);
        while let Some(next) = open.pop() {
            let Some(id) = next.filter(|&id| found.insert(id)) else { continue };
            let state = states[&id];
            let edges = |name: &str| state[name].as_array().map(Vec::as_slice).unwrap_or_default();
            open.extend(edges("bytes").iter().map(|edge| edge[2].as_u64()));
            open.extend(edges("calls").iter().map(|call| call[1].as_u64()));
            open.extend(edges("calls").iter().map(|call| Some(firsts[&call[0].as_u64()?])));
            // A counter that is spent continues in another state.
            if state["flags"].as_u64().is_some_and(|flags| flags & LOADS == 0) {
                open.push(state["exit"].as_u64());
            }
        }
        found
    }

    /// Returns the text that leads to a state. `None` if the page has none.
    fn text(&self, state: &Value) -> Option<String> {
        let mut index = state["text"].as_u64()?;
        let mut parts = Vec::new();
        while index > 0 {
            let entry = self.data["texts"][index as usize].as_array().expect("a text");
            parts.extend(entry[1..].iter().rev());
            index = entry[0].as_u64().expect("a parent");
        }
        let bytes = parts.iter().rev().flat_map(|part| match part.as_str() {
            Some(text) => text.chars().map(|c| c as u8).collect::<Vec<u8>>(),
            None => panic!("the grammar reads no special token"),
        });
        String::from_utf8(bytes.collect()).ok()
    }
}

#[test]
fn has_every_state_and_edge_of_the_network() {
    let place = Place::with_grammar("g.gbnf", LIST);
    place.run(&["view", "g.gmask"]).exits(0);
    let page = Page::of(&place, "g.html");
    let network = ["debug", "network", "g.gbnf", "--vocab", "tiny.gvocab", "--format", "json"];
    let network = place.run(&network).exits(0).value();
    for rule in network["rules"].as_array().expect("rules") {
        let shown = page.list("rules").iter().find(|shown| shown["id"] == rule["id"]);
        let shown = shown.expect("the rule is in the data");
        assert_eq!((&shown["name"], &shown["own"]), (&rule["name"], &json!(true)));
        assert!(shown["bytes"].as_u64() > Some(100), "{shown}");
        for state in rule["states"].as_array().expect("states") {
            let shown = page.list("states").iter().find(|shown| shown["id"] == state["id"]);
            let shown = shown.expect("the state is in the data");
            let pairs = |edges: &Value, fields: [&str; 2]| -> Vec<(Value, Value)> {
                let edges = edges.as_array().map(Vec::as_slice).unwrap_or_default();
                let field = |edge: &Value, at: usize| match edge.get(at) {
                    Some(value) => value.clone(),
                    None => edge[fields[at]].clone(),
                };
                edges.iter().map(|edge| (field(edge, 0), field(edge, 1))).collect()
            };
            assert_eq!(pairs(&shown["bytes"], ["lo", "hi"]), pairs(&state["bytes"], ["lo", "hi"]));
            assert_eq!(
                pairs(&shown["calls"], ["callee", "ret"]),
                pairs(&state["calls"], ["callee", "ret"])
            );
            let is_final = shown["flags"].as_u64().expect("flags") & 1 != 0;
            assert_eq!(json!(is_final), state["final"]);
        }
    }
    assert!(page.data.get("left_out").is_none());
}

#[test]
fn every_edge_leads_to_a_state_of_the_page() {
    let place = Place::with_schema("k.json", KEYS, &[]);
    place.run(&["view", "k.gmask", "-o", "k.html"]).exits(0);
    let page = Page::of(&place, "k.html");
    let ids: BTreeSet<u64> =
        page.list("states").iter().filter_map(|state| state["id"].as_u64()).collect();
    let rules: BTreeSet<u64> =
        page.list("rules").iter().filter_map(|rule| rule["id"].as_u64()).collect();
    assert!(ids.contains(&page.data["start"].as_u64().expect("the start")));
    let edges = |state: &Value, name: &str| state[name].as_array().cloned().unwrap_or_default();
    for state in page.list("states") {
        for edge in edges(state, "bytes") {
            assert!(ids.contains(&edge[2].as_u64().expect("a target")), "{state}");
        }
        for call in edges(state, "calls") {
            assert!(rules.contains(&call[0].as_u64().expect("a rule")), "{state}");
            assert!(call[1].is_null() || ids.contains(&call[1].as_u64().expect("a state")));
        }
        let mask = &page.data["masks"][state["mask"].as_u64().expect("a mask") as usize];
        let head = mask["head"].as_array().expect("tokens");
        assert_eq!(head.len() as u64, mask["count"].as_u64().expect("a count").min(30));
        assert!(head.iter().all(|token| page.data["words"].get(token.to_string()).is_some()));
    }
}

#[test]
fn texts_lead_to_their_states() {
    for (file, source) in [("g.gbnf", LIST), ("k.json", KEYS)] {
        let place = Place::with_grammar(file, source);
        let artifact = Path::new(file).with_extension("gmask");
        let artifact = artifact.to_str().expect("UTF-8");
        place.run(&["view", artifact, "-o", "v.html"]).exits(0);
        let page = Page::of(&place, "v.html");
        let reachable = page.reachable();
        let (mut reached, mut tried) = (0, 0);
        for state in page.list("states") {
            let is_reachable = reachable.contains(&state["id"].as_u64().expect("an id"));
            assert_eq!(state.get("text").is_some(), is_reachable, "{state}");
            // A text that ends within a character cannot be an argument.
            let Some(text) = page.text(state) else { continue };
            // To be quick, a page of many states is not tried in full.
            tried += 1;
            if tried % 4 != 0 {
                continue;
            }
            // A state that a call enters, or that returns at once, is in no position.
            let mask = ["debug", "mask", artifact, "--after", &text, "--format", "json"];
            let mask = place.run(&mask).exits(0).value();
            let configurations = mask["configurations"].as_array().expect("configurations");
            reached += usize::from(configurations.iter().any(|at| at["state"] == state["id"]));
        }
        assert!(reached * 8 > tried, "{reached} of {} states of {file}", tried / 4);
    }
}

#[test]
fn equal_inputs_give_equal_bytes_and_markup_is_escaped() {
    let place = Place::with_schema("k.json", KEYS, &[]);
    place.run(&["view", "k.gmask", "-o", "a.html"]).exits(0);
    place.run(&["view", "k.gmask", "-o", "b.html"]).exits(0);
    assert_eq!(place.read("a.html"), place.read("b.html"));
    let page = Page::of(&place, "a.html");
    let (_, data) = page.html.split_once("id=\"data\">").expect("the data");
    assert_eq!(data.matches("<script").count(), 1, "only the scripts follow the data");
    assert_eq!(page.html.matches("</script>").count(), 2);
    let names = page.list("rules").iter().map(|rule| rule["name"].to_string());
    assert!(names.count() > 1);
    for open in ["src=", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest"] {
        assert!(!page.html.contains(open), "{open} would ask for something");
    }
    // Half of the page is style and script.
    assert!(page.html.len() < 250_000, "{}", page.html.len());
}

#[test]
fn large_grammars_are_cut_and_rules_are_chosen() {
    let long =
        |n: usize| format!("long{n} ::= \"{}\" long{n} | \".\"\n", format!("{n}abc").repeat(600));
    let chains: String = (0..3).map(long).collect();
    let source = format!(
        "root ::= few long0 long1 long2\nfew ::= \"x\" few \"y\" few \"z\" | \"(\" few \")\" | \"-\"\n{chains}"
    );
    let place = Place::with_grammar("w.gbnf", &source);
    let value = place.run(&["view", "w.gmask", "--format", "json"]).exits(0).value();
    assert_eq!(value["states"], 5000);
    let left_out = value["left_out"]["states"].as_u64().expect("what is left out");
    assert!(left_out > 1000, "{value}");
    let page = Page::of(&place, "w.html");
    assert_eq!(page.list("states").len(), 5000);
    assert_eq!(page.data["left_out"], value["left_out"]);

    let text = place.run(&["view", "w.gmask", "--rule", "few", "-o", "few.html"]).exits(0).stdout;
    assert!(text.contains("Left out: "), "{text}");
    let page = Page::of(&place, "few.html");
    let shown = page.list("rules").iter().filter(|rule| rule["shown"] != 0);
    let shown: Vec<&Value> = shown.map(|rule| &rule["name"]).collect();
    assert_eq!(shown, [&json!("few")]);
    assert!(page.list("states").iter().all(|state| state.get("text").is_some()));

    let run = place.run(&["view", "w.gmask", "--rule", "none", "-o", "none.html"]).exits(2);
    assert!(run.stderr.contains("\"none\""), "{}", run.stderr);
    assert!(!place.path("none.html").exists());
}

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is said aloud")]
fn works_in_a_browser() {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let has =
        |name: &&str| std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    if !BROWSERS.iter().any(has) {
        eprintln!("there is no Chromium: the tests of the page are skipped");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/run.py");
    let command = env!("CARGO_BIN_EXE_grammarc");
    let status = Command::new("python3").arg(script).arg(command).status();
    match status.map(|status| status.code()) {
        Ok(Some(0)) => {}
        Ok(Some(NO_ENVIRONMENT)) | Err(_) => {
            eprintln!("no environment could be made: the tests of the page are skipped");
        }
        other => panic!("the tests of the page fail: {other:?}"),
    }
}
