//! The sources in `grammars/`, judged by the texts in `data/grammar-samples.json`: GBNF and Lark with the naive recogniser,
//! schemas with `jsonschema`.

use grammarc_compiler::budget::Budget;
use std::fs;
use std::path::PathBuf;

use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::gbnf::{self, GbnfOptions};
use grammarc_compiler::frontend::lark::{self, LarkOptions};
use grammarc_compiler::ir::Grammar;
use grammarc_compiler::ir::recognize::recognizes;
use serde_json::{Map, Value};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../grammars")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn grammar(name: &str) -> Grammar {
    let source = Source::new(name, read(name));
    let lowered = match name.ends_with(".lark") {
        true => lark::lower(source, &LarkOptions::default(), &Budget::new()),
        false => gbnf::lower(source, &GbnfOptions::default(), &Budget::new()),
    };
    let lowered = lowered.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
    assert_eq!(lowered.findings, [], "{name} compiles without warnings");
    lowered.grammar
}

fn samples() -> Map<String, Value> {
    let Ok(Value::Object(samples)) =
        serde_json::from_str(include_str!("data/grammar-samples.json"))
    else {
        panic!("the samples are an object");
    };
    samples
}

/// The samples of one source that it shall accept, or refuse.
fn texts<'a>(of_source: &'a Value, kind: &str) -> Vec<&'a str> {
    let texts: Vec<&str> =
        of_source[kind].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert!(texts.len() >= 2, "there are {kind} samples");
    texts
}

/// Holds a judge against the samples of a source.
fn judge(name: &str, of_source: &Value, accepts: impl Fn(&str) -> bool) {
    for text in texts(of_source, "valid") {
        assert!(accepts(text), "{name} refuses {text:?}");
    }
    for text in texts(of_source, "invalid") {
        assert!(!accepts(text), "{name} accepts {text:?}");
    }
}

#[test]
fn every_source_has_samples() {
    let mut sources: Vec<String> = fs::read_dir(folder())
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name != "README.md")
        .collect();
    sources.sort();
    let mut sampled: Vec<String> = samples().keys().cloned().collect();
    sampled.sort();
    assert_eq!(sources, sampled);
    let readme = read("README.md");
    for name in sources {
        assert!(readme.contains(&format!("`{name}`")), "README.md lists {name}");
    }
}

#[test]
fn grammars_judge_their_samples() {
    for (name, of_source) in samples().iter().filter(|(name, _)| !name.ends_with(".json")) {
        let grammar = grammar(name);
        judge(name, of_source, |text| recognizes(&grammar, text.as_bytes()));
    }
}

#[test]
fn schemas_judge_their_samples() {
    for (name, of_source) in samples().iter().filter(|(name, _)| name.ends_with(".json")) {
        let schema = serde_json::from_str(&read(name)).expect("a schema is JSON");
        let schema = jsonschema::validator_for(&schema).expect("a schema");
        judge(name, of_source, |text| {
            schema.is_valid(&serde_json::from_str(text).expect("a sample is JSON"))
        });
    }
}

#[test]
fn json_agrees_with_a_parser() {
    let grammar = grammar("json.gbnf");
    let samples = samples();
    // Every prefix of every valid sample, and every sample with one character left out.
    for text in texts(&samples["json.gbnf"], "valid") {
        for (at, character) in text.char_indices() {
            let without = format!("{}{}", &text[..at], &text[at + character.len_utf8()..]);
            for text in [&text[..at], &without] {
                let expected = serde_json::from_str::<Value>(text).is_ok();
                assert_eq!(recognizes(&grammar, text.as_bytes()), expected, "{text:?}");
            }
        }
    }
}

#[test]
fn no_keyword_is_a_name() {
    let grammar = grammar("minilang.gbnf");
    let keywords = ["else", "false", "fn", "if", "let", "return", "true", "while"];
    let is_name = |word: &str| recognizes(&grammar, format!("let {word}=0;").as_bytes());
    for keyword in keywords {
        for end in 1..=keyword.len() {
            let prefix = &keyword[..end];
            assert_eq!(is_name(prefix), !keywords.contains(&prefix), "{prefix}");
            // With any letter behind it, the word is a name unless it is another keyword.
            for next in ('a'..='z').chain(['A', '0', '_']) {
                let word = format!("{prefix}{next}");
                assert_eq!(is_name(&word), !keywords.contains(&word.as_str()), "{word}");
            }
        }
    }
    for letter in ('a'..='z').chain('A'..='Z').chain(['_']) {
        assert!(is_name(&letter.to_string()), "{letter}");
    }
    assert!(!is_name("0") && !is_name("é") && !is_name(""));
}
