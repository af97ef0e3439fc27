//! Does the same work in the same order each time, for counting instructions.
//!
//! `steady prepare DIR` writes the inputs and prints their sizes. `steady steps DIR` goes along the tokens of some
//! outputs, with a mask reference, a fill and an accept at each. `steady compile DIR` compiles once. Each calls a
//! function of [`measured`] that is not inlined, so that `valgrind --tool=callgrind --toggle-collect` can count it
//! alone.
//!
//! All inputs are made here: the vocabulary consists of every byte, pieces of JSON, and words of random letters.

mod measured;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use grammarc::sample::{SampleOptions, Sampler};
use grammarc_artifacts::{TokenKind, VocabularyArtifact, write};
use grammarc_benches::ours::{Ours, Text};
use grammarc_compiler::compile::{CompileOptions, build_vocabulary};
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::{TokenEntry, TokenTable};
use grammarc_runtime::{Grammar, Matcher, Vocabulary};
use serde_json::{Value, json};

/// Made-up words of the vocabulary.
const WORDS: usize = 6_000;
/// Outputs whose tokens are gone through.
const OUTPUTS: u64 = 20;
/// Number of properties of the schema. Its grammar has about a thousand states.
const PROPERTIES: usize = 64;

const PIECES: &[&str] = &[
    "{\"", "\":", "\": ", "\",\"", "\", \"", "\"}", "\"},{\"", "}}", "]}", "],\"", "[{\"", "true",
    "false", "null", "},", "\\n", "\\\"", "\\u00", "00", "12", "123", "2024", "-0", ".5", "e+",
    "://", "_id", "name", "date", "count", "value", "_1", "_2", "\"name", "\"date",
];

/// Does the same work each time.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Write vocabulary, schema, artifact and tokens, and print their counts
    Prepare { folder: PathBuf },
    /// Go through the tokens
    Steps { folder: PathBuf },
    /// Compile the schema
    Compile { folder: PathBuf },
}

fn main() -> io::Result<()> {
    match Arguments::parse().what {
        What::Prepare { folder } => prepare(&folder),
        What::Steps { folder } => steps(&folder),
        What::Compile { folder } => compile(&folder),
    }
}

fn prepare(folder: &Path) -> io::Result<()> {
    let table = table();
    let data = build_vocabulary(&table, "made up", &prelude_grammar(&TextForm::COMMON), None);
    data.map_err(io::Error::other)?
        .write(&folder.join("vocabulary.gvocab"))
        .map_err(io::Error::other)?;
    let ours = ours(folder)?;
    let schema = schema().to_string();
    let compiled = ours.compile(Text::JsonSchema(&schema), &CompileOptions::default());
    let data = compiled.map_err(io::Error::other)?.data;
    data.write(&folder.join("grammar.gmask"), ours.artifact()).map_err(io::Error::other)?;
    let grammar = grammar(folder)?;
    let sampler = Sampler::new(&grammar, SampleOptions::default());
    let outputs = (0..OUTPUTS).map(|number| sampler.draw(number).map(|sample| sample.tokens));
    let outputs: Vec<Vec<u32>> = outputs.collect::<Result<_, _>>().map_err(io::Error::other)?;
    let mut allowed = 0;
    for tokens in &outputs {
        let mut matcher = Matcher::new(&grammar);
        for &token in tokens {
            allowed += matcher.mask().len();
            matcher.accept(token).map_err(io::Error::other)?;
        }
    }
    let prepared = json!({ "schema": schema, "outputs": outputs }).to_string();
    write::replace(&folder.join("work.json"), prepared.as_bytes()).map_err(io::Error::other)?;
    let counts = json!({
        "vocabulary": table.tokens.len(),
        "states": grammar.artifact().tables().state_count(),
        "tokens": outputs.iter().map(Vec::len).sum::<usize>(),
        "allowed": allowed,
    });
    writeln!(io::stdout(), "{counts}")
}

/// The data that `prepare` left for the other commands.
fn prepared(folder: &Path) -> io::Result<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(folder.join("work.json"))?)?)
}

fn steps(folder: &Path) -> io::Result<()> {
    let outputs: Vec<Vec<u32>> = serde_json::from_value(prepared(folder)?["outputs"].take())?;
    let grammar = grammar(folder)?;
    let mut words = vec![0; (grammar.vocabulary().logit_width() as usize).div_ceil(32)];
    // Reading the first token derives the grammar's moves, once for all later ones.
    Matcher::new(&grammar).validate(&outputs[0][..1]);
    for tokens in &outputs {
        let mut matcher = Matcher::new(&grammar);
        for &token in tokens {
            measured::mask(&mut matcher);
            measured::fill(&mut matcher, &mut words).map_err(io::Error::other)?;
            measured::accept(&mut matcher, token).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

fn compile(folder: &Path) -> io::Result<()> {
    let prepared = prepared(folder)?;
    let schema = prepared["schema"].as_str().unwrap_or_default();
    let ours = ours(folder)?;
    // One thread, so that all instructions of the compilation belong to the counted function.
    measured::compile(&ours, schema).map_err(io::Error::other)
}

fn ours(folder: &Path) -> io::Result<Ours> {
    let vocabulary = VocabularyArtifact::open(&folder.join("vocabulary.gvocab"));
    Ok(Ours::new(vocabulary.map_err(io::Error::other)?, 1))
}

fn grammar(folder: &Path) -> io::Result<Grammar> {
    let vocabulary =
        Vocabulary::open(folder.join("vocabulary.gvocab")).map_err(io::Error::other)?;
    Grammar::open(folder.join("grammar.gmask"), &vocabulary).map_err(io::Error::other)
}

/// Every byte, pieces of JSON, and words of two to nine letters, some after a space. The draws are those that the counts of
/// `instructions.json` were taken with.
fn table() -> TokenTable {
    let mut state = 0x243f_6a88_85a3_08d3_u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % limit
    };
    let mut texts: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    texts.extend(PIECES.iter().map(|piece| piece.as_bytes().to_vec()));
    for _ in 0..WORDS {
        let space = if below(2) == 0 { &b" "[..] } else { b"" };
        let mut word = space.to_vec();
        word.extend((0..2 + below(8)).map(|_| b"etaoinshrdlcumwfgypbvk"[below(22) as usize]));
        texts.push(word);
    }
    let kept: std::collections::BTreeSet<Vec<u8>> = texts.into_iter().collect();
    let mut tokens: Vec<TokenEntry> = kept.into_iter().map(TokenEntry::text).collect();
    tokens.push(TokenEntry { bytes: b"<end>".to_vec(), kind: TokenKind::Special });
    let end = tokens.len() as u32 - 1;
    TokenTable::new("made up", tokens, vec![end])
}

/// An object with members of many kinds.
fn schema() -> Value {
    let kinds = [
        json!({ "type": "string" }),
        json!({ "type": "integer" }),
        json!({ "type": "boolean" }),
        json!({ "type": "string", "maxLength": 20 }),
        json!({ "enum": ["red", "green", "blue", 7] }),
        json!({ "type": "array", "items": { "type": "number" }, "maxItems": 5 }),
        json!({ "type": "string", "pattern": "^[a-z]{2,8}-[0-9]+$" }),
        json!({ "type": "object", "properties": { "count": { "type": "integer" } } }),
    ];
    let members = (0..PROPERTIES).map(|n| (format!("value_{n}"), kinds[n % kinds.len()].clone()));
    let required = (0..PROPERTIES).step_by(3).map(|n| format!("value_{n}"));
    json!({
        "type": "object",
        "properties": members.collect::<serde_json::Map<_, _>>(),
        "required": required.collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}
