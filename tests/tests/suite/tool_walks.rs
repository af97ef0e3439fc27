//! Walks by masks over the tools of the Berkeley set (BFCL), in every style: they end, and split into names and arguments
//! that are valid.
//!
//! Full tests, with the vocabularies of Qwen 3 and Llama 3.1. `GRAMMARC_TOOL_LISTS` sets the number of lists a style.

use std::sync::atomic::{AtomicUsize, Ordering};

use grammarc::sample::{SampleOptions, Sampler};
use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::structural_tag::{self, StructuralTagOptions, styles};
use grammarc_runtime::{Grammar, Piece, RegionKind, Splitter};
use grammarc_tests::sources::compiled;
use grammarc_tests::vocabularies::{llama, qwen};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::xml_arguments;

/// Names and schemas of the tools, one list a file.
fn lists(count: usize) -> Vec<Vec<(String, Value)>> {
    let folder = grammarc_test_data::root().join("maskbench");
    let Ok(files) = std::fs::read_dir(&folder) else { return Vec::new() };
    let mut files: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    files.retain(|file| file.to_string_lossy().contains("BFCL_"));
    files.sort();
    let step = (files.len() / count).max(1);
    let read = |file| {
        let text = std::fs::read_to_string(file).expect("the file is there");
        let file: Value = serde_json::from_str(&text).expect("the file is JSON");
        let tools = file["schema"]["properties"].as_object().cloned().unwrap_or_default();
        tools.into_iter().collect::<Vec<_>>()
    };
    files.into_iter().step_by(step).take(count).map(read).filter(|list| !list.is_empty()).collect()
}

#[derive(Default)]
struct Counts {
    refused: AtomicUsize,
    walks: AtomicUsize,
    calls: AtomicUsize,
    json: AtomicUsize,
    xml: AtomicUsize,
}

fn check(
    vocabulary: &VocabularyArtifact,
    style: &str,
    tools: &[(String, Value)],
    counts: &Counts,
) -> Result<(), String> {
    let add = |count: &AtomicUsize| count.fetch_add(1, Ordering::Relaxed);
    let listed = tools.iter().map(|(name, schema)| {
        json!({"type": "function", "function": {"name": name, "parameters": schema}})
    });
    let listed: Vec<Value> = listed.collect();
    let tag = json!({"type": "tools", "style": style, "tools": listed, "tool_choice": "required"});
    let source = Source::new("tools", tag.to_string());
    let controls = ControlTokens::of(vocabulary);
    let options = StructuralTagOptions::default();
    // Schemas that cannot be written as tags are refused, with a place.
    let Ok(lowered) = structural_tag::lower(source, &options, &controls, &Budget::new()) else {
        add(&counts.refused);
        return Ok(());
    };
    let grammar: Grammar = compiled(vocabulary, &lowered);
    for number in 0..2 {
        let options = SampleOptions { max_tokens: 200, uniform: number == 1, seed: 3 };
        let sample = Sampler::new(&grammar, options).draw(number);
        let sample = sample.map_err(|error| format!("{style}: {error}"))?;
        let wrong =
            |what: &str| format!("{style}: {what}: {:?}", String::from_utf8_lossy(&sample.text));
        let mut splitter = Splitter::new(&grammar);
        let mut pieces: Vec<Piece> = Vec::new();
        for &token in &sample.tokens {
            pieces.extend(splitter.push(token).map_err(|error| wrong(&error.to_string()))?);
        }
        if !splitter.is_accepting() {
            return Err(wrong("the splitter sees no end"));
        }
        pieces.extend(splitter.finish());
        if pieces.iter().flat_map(|piece| &piece.bytes).ne(&sample.text) {
            return Err(wrong("the pieces are not the output"));
        }
        let names: Vec<&str> = splitter.calls().collect();
        if names.is_empty() {
            return Err(wrong("there is no call"));
        }
        for (index, name) in names.iter().enumerate() {
            let Some((_, schema)) = tools.iter().find(|(tool, _)| tool == name) else {
                return Err(wrong("a call of another tool"));
            };
            let of_call = |piece: &&Piece| piece.is_arguments() && piece.call == Some(index as u32);
            let arguments = pieces.iter().filter(of_call);
            let is_json = arguments.clone().all(|piece| piece.kind == Some(RegionKind::Json));
            let bytes: Vec<u8> = arguments.flat_map(|piece| piece.bytes.clone()).collect();
            add(&counts.calls);
            let value: Value = match is_json && !bytes.is_empty() {
                true => {
                    serde_json::from_slice(&bytes).map_err(|error| wrong(&error.to_string()))?
                }
                false => {
                    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
                    let read = xml_arguments::read(style, &text, schema);
                    let read = read.ok_or_else(|| wrong("no reader for the arguments"))?;
                    read.map_err(|error| wrong(&error))?
                }
            };
            let validator = jsonschema::draft202012::new(schema).map_err(|e| e.to_string())?;
            if !validator.is_valid(&value) {
                return Err(wrong(&format!("arguments are not valid: {value} of {schema}")));
            }
            add(if is_json { &counts.json } else { &counts.xml });
        }
        add(&counts.walks);
    }
    Ok(())
}

#[test]
fn walks_over_tools_end_and_split_into_names_and_valid_arguments() {
    let count = std::env::var("GRAMMARC_TOOL_LISTS").ok().and_then(|count| count.parse().ok());
    let lists = lists(count.unwrap_or(12));
    for (name, vocabulary) in [("Qwen 3", qwen()), ("Llama 3.1", llama())] {
        let Some(vocabulary) = vocabulary else { continue };
        let counts = Counts::default();
        let all: Vec<(&str, &Vec<(String, Value)>)> =
            styles().flat_map(|style| lists.iter().map(move |list| (style, list))).collect();
        let wrong: Vec<String> = all
            .par_iter()
            .filter_map(|(style, list)| check(vocabulary, style, list, &counts).err())
            .collect();
        let Counts { refused, walks, calls, json, xml } = counts;
        eprintln!(
            "{name}: {} lists of tools in styles, {} refused; {} walks with {} calls, {} of them with JSON that is valid, {} with tags that are",
            all.len(),
            refused.into_inner(),
            walks.into_inner(),
            calls.into_inner(),
            json.into_inner(),
            xml.into_inner()
        );
        assert!(
            wrong.is_empty(),
            "{} are wrong\n{}",
            wrong.len(),
            wrong[..wrong.len().min(5)].join("\n")
        );
    }
}
