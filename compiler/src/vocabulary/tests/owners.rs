//! Proof of the importers of SentencePiece, tekken and GGUF: each token of real files is what its owner's library says.
//!
//! `tests/tokenizers/owners.py` asks SentencePiece, mistral-common and llama.cpp, and leaves the files with the answers in
//! `$GRAMMARC_CACHE/tokenizers/files` (`~/.cache/grammarc` by default), where this test looks for them. It says aloud
//! when there are none.

use std::path::{Path, PathBuf};

use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text, Unused};

use super::super::names::{is_marker, is_padding, is_reserved};
use super::round_trip::say;
use super::*;

/// What llama.cpp prints for characters outside the byte alphabet, before the token as it stands.
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

/// Compares an import with the owner's answer; returns how many ids were compared.
fn compare(path: &Path, answer: &Value) -> usize {
    let name = path.display();
    let table = import(path.to_str().expect("UTF-8"), &VocabularyOptions::new()).expect("imports");
    let tokens = answer["tokens"].as_array().expect("a list");
    assert_eq!(table.tokens.len(), tokens.len(), "{name}");
    let (mut by_name, mut placeholders) = (0, 0);
    for (id, (token, expected)) in table.tokens.iter().zip(tokens).enumerate() {
        let bytes = unhex(&expected[1]);
        let at = format!("{name}, id {id}: {token:?}, {}", bytes.escape_ascii());
        let named = str::from_utf8(&token.bytes).is_ok_and(is_marker) || is_reserved(&token.bytes);
        match expected[0].as_str().expect("a kind") {
            // The owner prints nothing for these.
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

#[test]
fn every_token_is_what_its_owner_says() {
    let folder = files();
    let Ok(entries) = std::fs::read_dir(&folder) else {
        say(format_args!(
            "skipped the tokenizers of other libraries: no {}; tests/tokenizers/owners.py makes it",
            folder.display()
        ));
        return;
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let (mut files, mut ids) = (0, 0);
    for answer in paths.iter().filter(|path| path.to_string_lossy().ends_with(".owner.json")) {
        let text = answer.to_str().expect("UTF-8");
        let path = Path::new(text.trim_end_matches(".owner.json"));
        if text.contains("-bert-") {
            let error = import(path.to_str().expect("UTF-8"), &VocabularyOptions::new());
            assert!(matches!(error, Err(VocabularyError::Format { .. })), "{text}");
            continue;
        }
        let answer = std::fs::read_to_string(answer).expect("is readable");
        ids += compare(path, &serde_json::from_str(&answer).expect("is JSON"));
        files += 1;
    }
    say(format_args!("{files} tokenizers of other libraries, {ids} ids: all equal"));
}
