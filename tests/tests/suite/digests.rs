//! Artifacts are, byte for byte, what they were: their digests are those of a file.
//!
//! A change of the compiler that is meant to change no artifact is held to it here, and one that is not shows which it
//! changes. The sources (`digests/sources.json`, and the folder `grammars/`) are of all languages that have masks of
//! their own kind; schemas are compiled with keys in their order and in any. The vocabularies are a small one and the
//! built-in one, and two real ones where the full tests are asked for and the data folder has them. `GRAMMARC_BLESS=1`
//! writes the file; lines of vocabularies that are not there stay.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::path::PathBuf;

use grammarc_artifacts::container::header;
use grammarc_artifacts::{VocabularyArtifact, write};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::GbnfOptions;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_compiler::frontend::lark::LarkOptions;
use grammarc_compiler::frontend::regex::PatternOptions;
use grammarc_compiler::frontend::structural_tag::StructuralTagOptions;
use grammarc_tests::sources::{Language, folder};
use grammarc_tests::vocabularies;
use serde_json::Value;

/// By source, the digest of its artifact, a string.
type Digests = BTreeMap<String, Value>;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/suite/digests").join(name)
}

fn read(name: &str) -> BTreeMap<String, BTreeMap<String, Value>> {
    let path = file(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The ways to read a source of a language, each with what is said of it behind the source's name.
fn ways(language: &str) -> Vec<(&'static str, FrontEnd)> {
    match language {
        "json-schema" => {
            let any = JsonSchemaOptions {
                text: TextForm::DUMPS,
                key_order: KeyOrder::Any,
                ..JsonSchemaOptions::default()
            };
            let in_order = JsonSchemaOptions::default();
            [(", keys in order", in_order), (", keys in any order", any)]
                .map(|(how, options)| (how, FrontEnd::JsonSchema(options)))
                .into()
        }
        "gbnf" => vec![("", FrontEnd::Gbnf(GbnfOptions::default()))],
        "regex" => vec![("", FrontEnd::Regex(PatternOptions::default()))],
        "lark" => vec![("", FrontEnd::Lark(LarkOptions::default()))],
        "structural-tag" => vec![("", FrontEnd::StructuralTag(StructuralTagOptions::default()))],
        _ => panic!("{language}: how is it read?"),
    }
}

/// All sources: name, front end, text.
pub(super) fn sources() -> Vec<(String, FrontEnd, String)> {
    let listed = read("sources.json").into_iter().flat_map(|(language, sources)| {
        let text = |value: Value| match value {
            Value::String(text) if language != "json-schema" => text,
            value => value.to_string(),
        };
        let sources: Vec<_> = sources
            .into_iter()
            .map(|(name, value)| (name, language.clone(), text(value)))
            .collect();
        sources
    });
    let folder = folder().into_iter().map(|(name, language, text)| {
        let language = match language {
            Language::Gbnf => "gbnf",
            Language::Regex => "regex",
            Language::Lark => "lark",
            Language::JsonSchema => "json-schema",
        };
        (name, language.to_owned(), text)
    });
    let all = listed.chain(folder).flat_map(|(name, language, text)| {
        let ways = ways(&language).into_iter();
        ways.map(move |(how, front_end)| {
            (format!("{language}: {name}{how}"), front_end, text.clone())
        })
    });
    all.collect()
}

/// The digests of all sources' artifacts for a vocabulary, and that of the vocabulary's own.
fn digests(vocabulary: &VocabularyArtifact) -> Digests {
    let hex = |checksum: [u8; 32]| {
        Value::from(checksum[..12].iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    };
    let compiler = Compiler::on_threads(vocabulary.clone(), NonZero::new(2));
    let own = hex(vocabulary.container().header().checksum);
    let mut found = Digests::from([("vocabulary".to_owned(), own)]);
    for (name, front_end, text) in sources() {
        let (source, budget) = (Source::new("source", text), Budget::new());
        let controls = front_end.controls(&source, vocabulary);
        let lowered = front_end.lower_for(source, &controls, &budget);
        let lowered = lowered.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
        let options = CompileOptions::default();
        let compiled = compiler.compile(&lowered, front_end.kind(), &options, &budget);
        let bytes = compiled.and_then(|compiled| compiled.to_buffer(&compiler));
        let bytes = bytes.unwrap_or_else(|error| panic!("{name}: {error}"));
        let before = found.insert(name.clone(), hex(header::checksum(&bytes)));
        assert_eq!(before, None, "{name} is there twice");
    }
    found
}

#[test]
fn artifacts_are_what_they_were() {
    let vocabularies = [
        ("small", Some(vocabularies::small())),
        ("o200k_base", Some(vocabularies::built_in())),
        ("llama3_1", vocabularies::llama()),
        ("qwen3", vocabularies::qwen()),
    ];
    let here = vocabularies.into_iter().filter_map(|(name, vocabulary)| Some((name, vocabulary?)));
    let found: BTreeMap<String, Digests> =
        here.map(|(name, vocabulary)| (name.to_owned(), digests(vocabulary))).collect();
    let bless = std::env::var_os("GRAMMARC_BLESS").is_some();
    let mut expected: BTreeMap<String, Digests> = if bless && !file("digests.json").exists() {
        BTreeMap::new()
    } else {
        read("digests.json")
    };
    if bless {
        expected.extend(found);
        let text = serde_json::to_string_pretty(&expected).expect("it is text");
        write::replace(&file("digests.json"), (text + "\n").as_bytes())
            .expect("the file is written");
        return;
    }
    for (vocabulary, found) in found {
        let expected = &expected[&vocabulary];
        assert!(found.len() > 90, "{vocabulary}: {} sources", found.len());
        let names: Vec<&String> = found.keys().collect();
        assert_eq!(names, expected.keys().collect::<Vec<_>>(), "{vocabulary}: the sources");
        let others = found.iter().filter(|&(name, digest)| expected[name] != *digest);
        let others: Vec<&String> = others.map(|(name, _)| name).collect();
        assert!(
            others.is_empty(),
            "{vocabulary}: {} of {} artifacts are others; GRAMMARC_BLESS=1 takes them: {others:#?}",
            others.len(),
            found.len()
        );
    }
}
