//! Tests vocabularies from memory: bytes of a tokenizer, and lists of tokens.

use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text, Unused};
use proptest::prelude::*;

use super::made::{Gguf, sentence_piece_model};
use super::*;
use crate::{Listed, TokenizerFormat, from_tokens, import_bytes};

/// Returns a small file of each format, with its usual name.
fn one_of_each() -> [(TokenizerFormat, &'static str, Vec<u8>); 5] {
    let tekken = json!({
        "config": {"default_vocab_size": 2, "default_num_special_tokens": 1, "version": "v11"},
        "vocab": [{"rank": 0, "token_bytes": "YQ==", "token_str": "a"}],
        "special_tokens": [{"rank": 0, "token_str": "</s>", "is_control": true}],
    });
    let json = byte_level(json!({"a": 0}), json!([added(1, "</s>", true)]));
    let pieces = [("a", 1), ("</s>", 3)];
    let gguf = Gguf::new("gpt2").tokens(&[("a", 1), ("</s>", 3)]);
    [
        (TokenizerFormat::TokenizerJson, "tokenizer.json", json.to_string().into_bytes()),
        (TokenizerFormat::Ranks, "x.tiktoken", b"YQ== 0\n".to_vec()),
        (TokenizerFormat::Gguf, "x.gguf", gguf.bytes()),
        (TokenizerFormat::SentencePiece, "tokenizer.model", sentence_piece_model(&pieces, &[])),
        (TokenizerFormat::Tekken, "tekken.json", tekken.to_string().into_bytes()),
    ]
}

#[test]
fn bytes_are_imported_as_their_file_is() {
    let config = r#"{"vocab_size": 8}"#;
    for (format, name, content) in one_of_each() {
        let options = VocabularyOptions::new().name("same").companion(Companion::Config, config);
        let named = import_bytes(format, &content, &options).expect(name);
        assert_eq!(named.logit_width, 8, "{name}");
        assert_eq!(TokenizerFormat::detect(&content), Some(format));
        assert_eq!(import_bytes(None, &content, &options).expect(name), named);
        let folder = Folder::new().file(name, &content).file("config.json", r#"{"vocab_size": 9}"#);
        assert_eq!(folder.import_with(&options).expect(name), named, "what is given comes first");
        let beside = folder.import_with(&VocabularyOptions::new().name("same")).expect(name);
        let of_model = format == TokenizerFormat::Gguf;
        assert_eq!(beside.logit_width, if of_model { 2 } else { 9 }, "{name}");
        assert_eq!(beside.tokens, named.tokens);
    }
}

#[test]
fn the_tokenizer_of_a_folder_is_the_first_by_name() {
    let all = one_of_each();
    let names = ["tokenizer.json", "tokenizer.model", "tekken.json", "x.tiktoken", "x.gguf"];
    for first in 0..names.len() {
        let mut folder = Folder::new();
        for (at, name) in names.iter().enumerate().skip(first) {
            let (_, _, content) = all.iter().find(|(_, found, _)| found == name).expect("is made");
            // The files that must not be read are damaged.
            folder = folder.file(name, if at == first { content.as_slice() } else { b"\0" });
        }
        assert!(folder.import().tokens.iter().any(|token| token.bytes == b"a"), "{}", names[first]);
    }
    let two = Folder::new().file("a.gguf", "").file("b.gguf", "").refusal().to_string();
    assert!(two.contains("name the one"), "{two}");
}

#[test]
fn bytes_of_no_format_are_refused() {
    for bytes in [&b"\x80\x04\x95"[..], b"PK\x03\x04"] {
        let error = import_bytes(None, bytes, &VocabularyOptions::new()).expect_err("is refused");
        assert!(matches!(error, VocabularyError::Format { .. }), "{error:?}");
    }
    let options = VocabularyOptions::new().companion(Companion::Config, "{");
    let error = import_bytes(None, b"YQ== 0", &options).expect_err("is refused");
    assert!(matches!(error, VocabularyError::Json { expected: "config.json", .. }), "{error:?}");
}

#[test]
fn a_list_of_tokens_is_resolved_as_a_file_is() {
    let tokens: [(&[u8], Listed); 10] = [
        (b"a", Listed::Text),
        (b"\xFF", Listed::Text),
        (b"<think>", Listed::Text),
        (b"<think>", Listed::Added),
        (b"<b>", Listed::Added),
        (b"<|end|>", Listed::Special),
        (b"", Listed::Special),
        (b"spare", Listed::Unused),
        (b"[PAD8]", Listed::Text),
        (b"", Listed::Text),
    ];
    let options = VocabularyOptions::new()
        .name("listed")
        .logit_width(12)
        .companion(Companion::GenerationConfig, r#"{"eos_token_id": 5}"#);
    let table = from_tokens(tokens, &options).expect("imports");
    assert_eq!(
        kinds(&table),
        [Text, Text, Text, Special, Text, Special, Unused, Unused, Unused, Unused]
    );
    assert_eq!((table.name.as_str(), table.logit_width), ("listed", 12));
    assert_eq!(table.end_tokens, [5]);
    assert!(finding(&table, "vocabulary::holes").contains("6, 9"));
    assert!(finding(&table, "vocabulary::unused-rows").contains("`spare` (7)"));
    assert!(finding(&table, "vocabulary::control-markers").contains("`<think>` (3)"));

    let options = VocabularyOptions::new().special_ids([2]).end_tokens(["<|end|>"]);
    let table = from_tokens(tokens, &options).expect("imports");
    assert_eq!((kind(&table, 2), table.end_tokens.as_slice()), (Special, &[5][..]));
    let unknown = VocabularyOptions::new().end_tokens([99]);
    assert!(matches!(
        from_tokens(tokens, &unknown),
        Err(VocabularyError::UnknownId { id: 99, last: 9, .. })
    ));
    let none: [(&[u8], Listed); 1] = [(b"", Listed::Text)];
    let error = from_tokens(none, &VocabularyOptions::new()).expect_err("is refused");
    assert!(matches!(error, VocabularyError::NoText { .. }));
}

#[test]
fn a_list_has_no_more_tokens_than_ids_may_be() {
    let tokens = std::iter::repeat_n((b"a", Listed::Text), (1 << 22) + 1);
    let error = from_tokens(tokens, &VocabularyOptions::new()).expect_err("is refused");
    assert!(matches!(error, VocabularyError::IdTooLarge { id: 0x40_0000, .. }), "{error:?}");
}

proptest! {
    #[test]
    fn lists_keep_their_promises(
        tokens in prop::collection::vec(
            (
                prop::collection::vec(any::<u8>(), 0..5),
                prop_oneof![
                    Just(Listed::Text),
                    Just(Listed::Added),
                    Just(Listed::Special),
                    Just(Listed::Unused),
                ],
            ),
            0..20,
        ),
        ends in prop::collection::vec(0u32..24, 0..3),
    ) {
        let config = json!({"eos_token_id": ends}).to_string();
        let options = VocabularyOptions::new().companion(Companion::Config, config);
        let table = match from_tokens(tokens.clone(), &options) {
            Ok(table) => table,
            Err(error) => {
                prop_assert!(matches!(error, VocabularyError::NoText { .. }), "{:?}", error);
                return Ok(());
            }
        };
        super::sources::assert_table(&table);
        prop_assert_eq!(table.tokens.len(), tokens.len());
        for (token, (bytes, listed)) in table.tokens.iter().zip(&tokens) {
            prop_assert_eq!(&token.bytes, bytes);
            if *listed == Listed::Text && !bytes.is_empty() {
                prop_assert_ne!(token.kind, Unused);
            }
        }
    }
}
