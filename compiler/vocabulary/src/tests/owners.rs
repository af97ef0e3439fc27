//! Compares the importers of SentencePiece, tekken and GGUF with the libraries that own these formats, for each token
//! of real files.
//!
//! `tests/tokenizers/owners.py` runs SentencePiece, mistral-common and llama.cpp, and stores the files with their
//! answers in `$GRAMMARC_CACHE/tokenizers/files` (`~/.cache/grammarc` by default). If there are none, the test prints
//! that.

use std::path::{Path, PathBuf};

use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text, Unused};

use super::round_trip::say;
use super::*;
use crate::names::{is_marker, is_padding, is_reserved};

/// The text that llama.cpp prints for characters outside the byte alphabet, before the token itself.
const PLACEHOLDER: &[u8] = b"[UNK_BYTE_0x";

fn files() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/grammarc"));
    let cache = std::env::var_os("GRAMMARC_CACHE").map(PathBuf::from).or_else(home);
    cache.unwrap_or_default().join("tokenizers/files")
}

fn unhex(text: &Value) -> Vec<u8> {
    let text = text.as_str().expect("hexadecimal").as_bytes();
    let digit = |digit: u8| char::from(digit).to_digit(16).expect("hexadecimal") as u8;
    text.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Compares an import with the answers of the library. Returns the number of compared ids.
fn compare(path: &Path, answer: &Value) -> usize {
    let name = path.display();
    let table = import_path(path).expect("imports");
    let tokens = answer["tokens"].as_array().expect("a list");
    assert_eq!(table.tokens.len(), tokens.len(), "{name}");
    let (mut by_name, mut placeholders) = (0, 0);
    for (id, (token, expected)) in table.tokens.iter().zip(tokens).enumerate() {
        let bytes = unhex(&expected[1]);
        let at = format!("{name}, id {id}: {token:?}, {}", bytes.escape_ascii());
        let named = str::from_utf8(&token.bytes).is_ok_and(is_marker) || is_reserved(&token.bytes);
        match expected[0].as_str().expect("a kind") {
            // The library prints nothing for unused tokens.
            "unused" => assert_eq!(token.kind, Unused, "{at}"),
            "special" if is_padding(&token.bytes) => assert_eq!(token.kind, Unused, "{at}"),
            "special" => assert_eq!((token.kind, &token.bytes), (Special, &bytes), "{at}"),
            "byte" => assert_eq!((token.kind, &token.bytes), (Text, &bytes), "{at}"),
            "text" if bytes.windows(PLACEHOLDER.len()).any(|part| part == PLACEHOLDER) => {
                let mut parts = bytes.windows(token.bytes.len());
                assert!(parts.any(|part| part == token.bytes), "{at}");
                assert!(str::from_utf8(&token.bytes).is_ok(), "{at}");
                placeholders += 1;
            }
            "text" => {
                assert_eq!(token.bytes, bytes, "{at}");
                if token.kind != Text {
                    assert!(named || is_padding(&token.bytes), "{at}");
                    by_name += 1;
                }
            }
            other => panic!("the kind {other}"),
        }
    }
    let ends = answer["ends"].as_array().expect("a list");
    let ends: Vec<u32> = ends.iter().map(|id| id.as_u64().expect("an id") as u32).collect();
    assert!(table.end_tokens.iter().all(|id| ends.contains(id)), "{name}: {ends:?}");
    for &id in &ends {
        assert_ne!(kind(&table, id as usize), Text, "{name} ends at {id}");
    }
    let texts = answer["texts"].as_array().expect("a list");
    for text in texts {
        let ids = text[1].as_array().expect("a list");
        let ids = ids.iter().map(|id| id.as_u64().expect("an id") as usize);
        let spelled: Vec<u8> = ids.flat_map(|id| bytes(&table, id)).copied().collect();
        let expected = unhex(&text[0]);
        assert_eq!(
            String::from_utf8_lossy(&spelled),
            String::from_utf8_lossy(&expected),
            "{name}: {text}"
        );
        assert_eq!(spelled, expected, "{name}: {text}");
    }
    say(format_args!(
        "{}: {} ids and {} texts as by {}; {by_name} kept out of text by name, {placeholders} with a placeholder there",
        path.file_name().expect("a name").to_string_lossy(),
        tokens.len(),
        texts.len(),
        answer["owner"],
    ));
    tokens.len()
}

/// Returns the files of the cache. If there are none, prints that.
fn cached() -> Vec<PathBuf> {
    let folder = files();
    let Ok(entries) = std::fs::read_dir(&folder) else {
        say(format_args!(
            "skipped the tokenizers of other libraries: no {}; tests/tokenizers/owners.py makes it",
            folder.display()
        ));
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn import_path(path: &Path) -> Result<TokenTable, VocabularyError> {
    import(path.to_str().expect("UTF-8"), &VocabularyOptions::new())
}

#[test]
fn every_token_is_what_its_owner_says() {
    let paths = cached();
    let (mut files, mut ids) = (0, 0);
    for answer in paths.iter().filter(|path| path.to_string_lossy().ends_with(".owner.json")) {
        let text = answer.to_str().expect("UTF-8");
        let path = Path::new(text.trim_end_matches(".owner.json"));
        if text.contains("-bert-") {
            assert!(matches!(import_path(path), Err(VocabularyError::Format { .. })), "{text}");
            continue;
        }
        let answer = std::fs::read_to_string(answer).expect("is readable");
        ids += compare(path, &serde_json::from_str(&answer).expect("is JSON"));
        files += 1;
    }
    say(format_args!("{files} tokenizers of other libraries, {ids} ids: all equal"));
}

/// The test vectors of llama.cpp: texts, with the ids that the original tokenizer in transformers returns.
#[test]
fn vectors_of_llama_cpp_spell_their_texts() {
    const END: &str = "\n__ggml_vocab_test__\n";
    let (mut files, mut compared) = (0, 0);
    for inputs in cached().iter().filter(|path| path.extension().is_some_and(|last| last == "inp"))
    {
        let Ok(table) = import_path(&inputs.with_extension("")) else { continue };
        let texts = std::fs::read_to_string(inputs).expect("is readable");
        let ids = std::fs::read_to_string(inputs.with_extension("out")).expect("is readable");
        let prefix = if has_finding(&table, "vocabulary::dummy-prefix") { " " } else { "" };
        for (text, ids) in texts.split(END).zip(ids.lines()) {
            let ids = ids.split_whitespace().map(|id| id.parse::<usize>().expect("an id"));
            let spelled: Vec<u8> = ids.flat_map(|id| bytes(&table, id)).copied().collect();
            let expected = if text.is_empty() { String::new() } else { format!("{prefix}{text}") };
            assert_eq!(String::from_utf8_lossy(&spelled), expected, "{}", inputs.display());
            compared += 1;
        }
        files += 1;
    }
    say(format_args!("{files} files of test vectors of llama.cpp, {compared} texts: all equal"));
}

/// Compares a vocabulary in two formats: the file of its library, and a `tokenizer.json`. The file that the test data
/// calls Llama 2 has the vocabulary of Mistral 7B.
#[test]
fn vocabularies_are_the_same_in_either_format() {
    for (file, name, ids) in [
        ("tokenizer.model.v1", "llama2", 32_000),
        ("ggml-vocab-llama-bpe.gguf", "llama3_1", 128_000),
        ("ggml-vocab-qwen2.gguf", "qwen3", 151_643),
    ] {
        let path = files().join(file);
        let (true, Some(folder)) = (path.is_file(), real(name)) else {
            say(format_args!("skipped {file} beside {name}"));
            continue;
        };
        let (model, json) =
            (import_path(&path).expect("imports"), import_path(&folder).expect("imports"));
        for (id, (ours, theirs)) in model.tokens.iter().zip(&json.tokens).take(ids).enumerate() {
            // llama.cpp ends a generation at this token, which Qwen learned from HTML.
            if !(ours.bytes == b"</s>" && ours.kind == Special) {
                assert_eq!(ours, theirs, "{file} and {name}, id {id}");
            }
        }
        say(format_args!("{file} is {name}: {ids} ids, all equal"));
    }
}
