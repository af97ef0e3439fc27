//! Tests the sources of a vocabulary, and the errors of missing or wrong ones.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text, Unused};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn small() -> Value {
    byte_level(json!({"a": 0, "b": 1}), json!([added(2, "<|end|>", true)]))
}

fn small_sentence_piece() -> Value {
    sentence_piece(json!({"<unk>": 0, "▁a": 1}), json!([added(2, "[X]", false)]))
}

#[test]
fn a_folder_and_its_file_give_the_same() {
    let folder = Folder::with(&small())
        .file("tokenizer_config.json", r#"{"eos_token": "<|end|>"}"#)
        .file("config.json", r#"{"text_config": {"vocab_size": 32}}"#);
    let from_folder = folder.import();
    assert_eq!(
        import(&folder.path("tokenizer.json"), &VocabularyOptions::new()).expect("imports"),
        from_folder
    );
    assert_eq!((from_folder.logit_width, from_folder.end_tokens.as_slice()), (32, &[2][..]));
    let name = folder
        .0
        .path()
        .canonicalize()
        .expect("there")
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    assert_eq!(Some(from_folder.name), name, "a tokenizer.json is known by its folder");
    let named = folder.import_with(&VocabularyOptions::new().name("mine")).expect("imports");
    assert_eq!(named.name, "mine");
}

#[test]
fn tokens_that_only_the_config_lists_are_added() {
    let folder = Folder::with(&small()).file(
        "tokenizer_config.json",
        json!({
            "added_tokens_decoder": {
                "1": {"content": "other", "special": false},
                "2": {"content": "<|end|>", "special": true},
                "5": {"content": "<|late|>", "special": true},
                "6": {"content": "late", "special": false},
                "x": {"content": "no id"},
            },
            "additional_special_tokens": ["b"],
        })
        .to_string(),
    );
    let table = folder.import();
    assert_eq!(kinds(&table), [Text, Text, Special, Unused, Unused, Special, Text]);
    assert_eq!(bytes(&table, 1), b"b", "the tokenizer is followed where the two disagree");
    assert!(finding(&table, "vocabulary::files-disagree").contains("id 1 is `b`"));
}

#[test]
fn tokens_that_the_config_names_are_special_if_they_look_it() {
    let vocab = json!({"!": 0, "<pad>": 1, "<|extra|>": 2, "<s>": 3});
    let config = json!({
        "pad_token": "<pad>",
        "unk_token": {"content": "!"},
        "additional_special_tokens": ["<|extra|>"],
    });
    let folder = Folder::with(&byte_level(vocab, json!([])))
        .file("tokenizer_config.json", config.to_string());
    assert_eq!(kinds(&folder.import()), [Text, Special, Special, Text]);
}

#[test]
fn rank_files_with_special_tokens_from_options() {
    let lines = [(&b"a"[..], 0), (b" b", 1), (&[0xE2, 0x80], 3)];
    let text: String = lines
        .iter()
        .map(|(token, rank)| format!("{} {rank}\r\n", STANDARD.encode(token)))
        .collect();
    let folder = Folder::new().file("ranks.tiktoken", text);
    let options =
        VocabularyOptions::new().special_token("<|endoftext|>", 4).special_token("<|x|>", 6);
    let table = folder.import_with(&options).expect("imports");
    assert_eq!(table.name, "ranks");
    assert_eq!(kinds(&table), [Text, Text, Unused, Text, Special, Unused, Special]);
    assert_eq!((bytes(&table, 1), bytes(&table, 3)), (&b" b"[..], &[0xE2, 0x80][..]));
    assert_eq!(table.end_tokens, [4]);
    assert!(has_finding(&folder.import(), "vocabulary::no-end-token"));
}

#[test]
fn a_bad_rank_line_is_named() {
    for (text, line) in [
        ("YQ== 0\n\nYg==\n", 3),
        ("YQ== 0 1", 1),
        ("YQ== x", 1),
        ("YQ= 0", 1),
        ("YQ== 4294967296", 1),
    ] {
        let error = Folder::new().file("x.tiktoken", text).refusal();
        assert!(
            matches!(error, VocabularyError::RankFile { line: at, .. } if at == line),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn what_cannot_be_found_says_what_could() {
    let error = import("o200k", &VocabularyOptions::new()).expect_err("unknown").to_string();
    assert!(error.contains("`o200k` is neither a file, nor a folder"), "{error}");
    let empty = Folder::new().refusal();
    assert!(matches!(empty, VocabularyError::NoTokenizer { hint: "", .. }));
    let two = Folder::new().file("a.tiktoken", "").file("b.tiktoken", "").refusal().to_string();
    assert!(two.contains("name the one"), "{two}");
}

#[test]
fn foreign_files_are_refused_by_what_they_are() {
    let refusal = |name: &str, text: &[u8]| {
        let folder = Folder::new().file(name, text);
        import(&folder.path(name), &VocabularyOptions::new()).expect_err(name)
    };
    assert!(matches!(refusal("m.gguf", b"GGUF\x03\0\0\0"), VocabularyError::Damaged { .. }));
    let error = refusal("pytorch_model.bin", b"PK\x03\x04\0\0");
    assert!(
        matches!(error, VocabularyError::Format { .. })
            && error.to_string().contains("list the tokens"),
        "{error}"
    );
    let error = refusal("config.json", b"{\n \"vocab_size\": 3}");
    assert!(
        matches!(error, VocabularyError::Json { .. }) && error.to_string().contains("line 2"),
        "{error}"
    );
    let broken = Folder::with(&small()).file("generation_config.json", "{").refusal();
    assert!(matches!(broken, VocabularyError::Json { expected: "generation_config.json", .. }));
    assert!(matches!(refusal("none.tiktoken", b""), VocabularyError::NoText { .. }));
    let far = byte_level(json!({"a": 0, "b": u32::MAX}), json!([]));
    assert!(matches!(
        Folder::with(&far).refusal(),
        VocabularyError::IdTooLarge { id: u32::MAX, .. }
    ));
}

#[test]
fn options_must_agree_with_each_other() {
    let folder = Folder::with(&small());
    let both = VocabularyOptions::new().text_ids([2]).unused_ids([2]);
    assert!(matches!(folder.import_with(&both), Err(VocabularyError::Kind { id: 2, .. })));
    let unused_end = VocabularyOptions::new().unused_ids([2]).end_tokens([2]);
    assert!(matches!(
        folder.import_with(&unused_end),
        Err(VocabularyError::UnusedEndToken { id: 2, .. })
    ));
    let unknown = VocabularyOptions::new().text_ids([3]);
    assert!(matches!(
        folder.import_with(&unknown),
        Err(VocabularyError::UnknownId { id: 3, last: 2, .. })
    ));
}

/// Asserts the promises of every table, which the head of the crate lists.
pub(super) fn assert_table(table: &TokenTable) {
    assert!(table.of_kind(Text).count() > 0);
    assert!(table.of_kind(Text).all(|(_, token)| !token.bytes.is_empty()));
    assert!(table.end_tokens.is_sorted_by(|a, b| a < b));
    assert!(table.end_tokens.iter().all(|&id| kind(table, id as usize) != Unused));
    assert!(table.tokens.len() <= table.logit_width as usize);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A damaged file gives a table that keeps its promises, or an error.
    #[test]
    fn damaged_files_are_imported_or_refused(
        base in prop_oneof![Just(small()), Just(small_sentence_piece())],
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut text = base.to_string().into_bytes();
        for (at, byte) in damage {
            let at = at.index(text.len());
            text[at] = byte;
        }
        if let Some(cut) = cut {
            text.truncate(cut.index(text.len()));
        }
        let folder = Folder::new().file("tokenizer.json", text);
        if let Ok(table) = folder.import_with(&VocabularyOptions::new()) {
            assert_table(&table);
        }
    }

    /// For any names, flags and width, the promises are kept, and text stays as in the file.
    #[test]
    fn tables_keep_their_promises(
        learned in prop::collection::vec("[a-zĠĊ▁<>\\[\\]0-9x]{0,6}", 1..12),
        extra in prop::collection::vec((0u32..20, "[a-z<>|\\[\\] ]{0,6}", any::<bool>()), 0..6),
        width in prop::option::of(0u32..24),
        ends in prop::collection::vec(0u32..20, 0..3),
    ) {
        let vocab: serde_json::Map<_, _> = (0u32..).zip(learned).map(|(id, token)| (token, json!(id))).collect();
        let list: Vec<_> = extra.iter().map(|(id, text, special)| added(*id, text, *special)).collect();
        let folder = Folder::with(&byte_level(Value::Object(vocab), json!(list)))
            .file("generation_config.json", json!({"eos_token_id": ends}).to_string());
        let mut options = VocabularyOptions::new();
        if let Some(width) = width {
            options = options.logit_width(width);
        }
        if let Ok(table) = folder.import_with(&options) {
            assert_table(&table);
            for (id, text, special) in &extra {
                let token = table.tokens.get(*id as usize);
                if let Some(token) = token.filter(|token| *special && token.bytes == text.as_bytes()) {
                    prop_assert_ne!(token.kind, Text);
                }
            }
        }
    }
}
