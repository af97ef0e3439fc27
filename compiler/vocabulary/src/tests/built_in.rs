//! Tests the built-in vocabularies: they are complete, as their library encodes, and equal to their files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text};

use super::round_trip::check_texts;
use super::*;
use crate::built_in_names;

#[test]
fn what_cannot_be_found_lists_them() {
    let error = import("o200k", &VocabularyOptions::new()).expect_err("unknown");
    assert!(error.to_string().contains("o200k_base, o200k_harmony, cl100k_base"), "{error}");
}

#[test]
fn a_built_in_vocabulary_survives_its_rank_file() {
    let built_in = import("r50k_base", &VocabularyOptions::new()).expect("imports");
    let lines = built_in
        .of_kind(Text)
        .map(|(id, token)| format!("{} {id}\n", STANDARD.encode(&token.bytes)));
    let folder = Folder::new().file("r50k_base.tiktoken", lines.collect::<String>());
    let options = VocabularyOptions::new().special_token("<|endoftext|>", 50_256);
    assert_eq!(folder.import_with(&options).expect("imports"), built_in);
}

#[test]
fn built_in_vocabularies_are_complete() {
    for (name, text, special, ends) in [
        ("o200k_base", 199_998, 2, &[199_999][..]),
        ("o200k_harmony", 199_998, 1_090, &[199_999, 200_002, 200_012]),
        ("cl100k_base", 100_256, 5, &[100_257]),
        ("p50k_base", 50_280, 1, &[50_256]),
        ("r50k_base", 50_256, 1, &[50_256]),
    ] {
        let table = import(name, &VocabularyOptions::new()).expect(name);
        assert_eq!(table.of_kind(Text).count(), text, "{name}");
        assert_eq!(table.of_kind(Special).count(), special, "{name}");
        assert_eq!(table.end_tokens, ends, "{name}");
        assert!(!has_finding(&table, "vocabulary::missing-bytes"), "{name}");
    }
    assert_eq!(built_in_names().next(), Some("o200k_base"));
}

#[test]
fn built_in() {
    let encoders = [
        ("o200k_base", tiktoken_rs::o200k_base()),
        ("o200k_harmony", tiktoken_rs::o200k_harmony()),
        ("cl100k_base", tiktoken_rs::cl100k_base()),
        ("p50k_base", tiktoken_rs::p50k_base()),
        ("r50k_base", tiktoken_rs::r50k_base()),
    ];
    for (name, encoder) in encoders {
        let encoder = encoder.expect(name);
        check_texts(name, str::to_owned, |text| encoder.encode_ordinary(text));
    }
}

/// Compares gpt-oss, read from its `tokenizer.json`, with the built-in `o200k_harmony`.
#[test]
fn gpt_oss_is_the_built_in_harmony() {
    let Some(folder) = real("gptoss") else { return };
    let file = import(folder.to_str().expect("UTF-8"), &VocabularyOptions::new()).expect("imports");
    let built_in = import("o200k_harmony", &VocabularyOptions::new()).expect("imports");
    assert!(file.of_kind(Text).eq(built_in.of_kind(Text)));
    for (id, (ours, theirs)) in file.tokens.iter().zip(&built_in.tokens).enumerate() {
        assert_eq!(ours.kind, theirs.kind, "id {id}");
    }
}
