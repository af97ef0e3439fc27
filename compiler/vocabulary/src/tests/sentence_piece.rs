//! Tests SentencePiece models: the bytes of each type of piece, refused files, and damaged files.

use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text, Unused};
use proptest::prelude::*;

use super::made::{message, number, sentence_piece_model};
use super::*;
use crate::{TokenizerFormat, import_bytes};

fn import_model(pieces: &[(&str, u64)], further: &[Vec<u8>]) -> TokenTable {
    let model = sentence_piece_model(pieces, further);
    import_bytes(None, &model, &VocabularyOptions::new()).expect("imports")
}

fn refusal(bytes: &[u8]) -> VocabularyError {
    import_bytes(TokenizerFormat::SentencePiece, bytes, &VocabularyOptions::new())
        .expect_err("is refused")
}

const TRAINER: u64 = 2;
const NORMALIZER: u64 = 3;
const DENORMALIZER: u64 = 5;

#[test]
fn pieces_by_type() {
    let table = import_model(
        &[
            ("<unk>", 2),
            ("<s>", 3),
            ("</s>", 3),
            ("<0x0A>", 6),
            ("\n", 1),
            ("▁a▁b", 1),
            ("▁▁", 4),
            ("[INST]", 4),
            ("<pad>", 1),
            ("spare", 5),
            ("<0x41>", 1),
            ("<b>", 4),
        ],
        &[],
    );
    assert_eq!(
        kinds(&table),
        [Special, Special, Special, Text, Text, Text, Text, Special, Special, Unused, Text, Text]
    );
    assert_eq!((bytes(&table, 3), bytes(&table, 4)), (&b"\n"[..], &b"\n"[..]));
    assert_eq!((bytes(&table, 5), bytes(&table, 6)), (&b" a b"[..], &b"  "[..]));
    assert_eq!((bytes(&table, 2), bytes(&table, 10)), (&b"</s>"[..], &b"<0x41>"[..]));
    assert_eq!(table.end_tokens, [2]);
    assert!(has_finding(&table, "vocabulary::dummy-prefix"));
    assert!(!has_finding(&table, "vocabulary::normalizer"));
}

#[test]
fn the_end_token_is_the_control_piece_that_the_model_names() {
    let pieces = [("a", 1), ("</s>", 3), ("<eos>", 3)];
    let named = |name: &str| vec![message(TRAINER, &message(47, name.as_bytes()))];
    assert_eq!(import_model(&pieces, &[]).end_tokens, [1]);
    assert_eq!(import_model(&pieces, &named("<eos>")).end_tokens, [2]);
    for absent in ["a", "<end>"] {
        let table = import_model(&pieces, &named(absent));
        assert!(table.end_tokens.is_empty() && has_finding(&table, "vocabulary::no-end-token"));
    }
}

#[test]
fn what_the_decoder_does_at_the_ends_of_a_text_is_noted() {
    let findings = |further: &[Vec<u8>]| {
        let table = import_model(&[("▁a", 1)], further);
        assert_eq!(bytes(&table, 0), b" a");
        ["vocabulary::dummy-prefix", "vocabulary::dummy-suffix"]
            .map(|code| has_finding(&table, code))
    };
    let normalizer =
        |prefix, extra| message(NORMALIZER, &[number(3, prefix), number(4, extra)].concat());
    assert_eq!(findings(&[]), [true, false]);
    assert_eq!(findings(&[normalizer(1, 0)]), [true, false]);
    assert_eq!(findings(&[normalizer(0, 1)]), [true, false]);
    assert_eq!(findings(&[normalizer(0, 0)]), [false, false]);
    assert_eq!(findings(&[message(TRAINER, &number(24, 1))]), [false, true]);
}

#[test]
fn a_normaliser_is_noted_and_its_undoing_refused() {
    let table = |name: &str| message(1, name.as_bytes());
    let rules = |name| [table(name), message(2, b"\x01\x02")].concat();
    let noted = import_model(&[("a", 1)], &[message(NORMALIZER, &rules("nmt_nfkc"))]);
    assert!(finding(&noted, "vocabulary::normalizer").contains("(nmt_nfkc)"));
    let plain = import_model(&[("a", 1)], &[message(NORMALIZER, &table("identity"))]);
    assert!(!has_finding(&plain, "vocabulary::normalizer"));
    let undone = sentence_piece_model(&[("a", 1)], &[message(DENORMALIZER, &rules("x"))]);
    let error = refusal(&undone);
    assert!(matches!(error, VocabularyError::Format { .. }), "{error}");
}

#[test]
fn a_folder_of_a_model_is_known_with_what_lies_beside_it() {
    let model = sentence_piece_model(&[("▁a", 1), ("</s>", 3), ("▁▁", 4)], &[]);
    let folder = Folder::new()
        .file("tokenizer.model", model)
        .file("added_tokens.json", r#"{"<|im_end|>": 3, "<|im_start|>": 4}"#)
        .file(
            "tokenizer_config.json",
            r#"{"added_tokens_decoder": {"2": {"content": "▁▁"}}, "eos_token": "<|im_end|>"}"#,
        )
        .file("config.json", r#"{"vocab_size": 32}"#);
    let table = folder.import();
    assert_eq!(kinds(&table), [Text, Special, Text, Special, Special]);
    assert_eq!((table.end_tokens.as_slice(), table.logit_width), (&[1, 3][..], 32));
    assert!(!has_finding(&table, "vocabulary::files-disagree"));
    let name = folder.0.path().canonicalize().expect("there");
    assert_eq!(Some(table.name.as_str()), name.file_name().and_then(|name| name.to_str()));
}

#[test]
fn a_model_and_its_tokenizer_json_give_the_same() {
    let pieces = [("<unk>", 2), ("<0x0A>", 6), ("▁a", 1), ("a▁", 1), ("é", 1)];
    let model = import_model(&pieces, &[]);
    let vocab: serde_json::Map<_, _> =
        (0u32..).zip(pieces).map(|(id, (piece, _))| (piece.to_owned(), json!(id))).collect();
    let file = Folder::with(&sentence_piece(Value::Object(vocab), json!([]))).import();
    assert_eq!(model.tokens, file.tokens);
}

#[test]
fn damage_is_named() {
    for (bytes, says) in [
        (b"\n\x05\n\x03a".to_vec(), "that can be read"),
        (b"\x80".to_vec(), "that can be read"),
        (vec![b'\n'; (64 << 20) + 1], "67108864 are allowed"),
        (message(9, b"x"), "no pieces"),
        (Vec::new(), "no pieces"),
        (sentence_piece_model(&[("<0x0>", 6)], &[]), "piece 0 has the type of bytes, and `<0x0>`"),
        (sentence_piece_model(&[("a", 1), ("a", 7)], &[]), "piece 1 has the unknown type 7"),
    ] {
        let error = refusal(&bytes);
        assert!(matches!(error, VocabularyError::Damaged { .. }), "{error:?}");
        assert!(error.to_string().contains(says), "{error} / {says}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn texts_survive_the_spelling(texts in prop::collection::vec("[a-z\\n éà😀]{1,6}", 1..20)) {
        let pieces: Vec<String> = texts.iter().map(|text| text.replace(' ', "▁")).collect();
        let typed: Vec<_> = pieces.iter().map(|piece| (piece.as_str(), 1)).collect();
        let table = import_model(&typed, &[]);
        for (id, text) in texts.iter().enumerate() {
            prop_assert_eq!(bytes(&table, id), text.as_bytes());
        }
    }

    #[test]
    fn damaged_models_are_imported_or_refused(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let further = [message(TRAINER, &message(47, b"</s>")), message(NORMALIZER, &number(3, 0))];
        let mut bytes =
            sentence_piece_model(&[("<unk>", 2), ("<0x0A>", 6), ("▁a", 1), ("</s>", 3)], &further);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let options = VocabularyOptions::new();
        if let Ok(table) = import_bytes(TokenizerFormat::SentencePiece, &bytes, &options) {
            super::sources::assert_table(&table);
        }
    }
}
