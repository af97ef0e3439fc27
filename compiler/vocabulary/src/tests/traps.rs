//! Tests each peculiarity of real vocabularies that an importer must handle.

use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text, Unused};
use serde_json::json;

use super::*;

#[test]
fn byte_level_tokens_are_mapped_and_foreign_ones_literal() {
    let vocab = json!({"Ġthe": 0, "Ċ": 1, "âĢ¼": 2, "‼": 3, "õ": 4});
    let table =
        Folder::with(&byte_level(vocab, json!([added(5, "õ", false), added(6, "a b", false)])))
            .import();
    assert_eq!(bytes(&table, 0), b" the");
    assert_eq!(bytes(&table, 1), b"\n");
    assert_eq!(bytes(&table, 2), "‼".as_bytes());
    assert_eq!(
        bytes(&table, 3),
        "‼".as_bytes(),
        "a character outside the alphabet is its own UTF-8"
    );
    assert_eq!(bytes(&table, 4), [0xF5]);
    assert_eq!(bytes(&table, 5), "õ".as_bytes(), "added tokens are literal");
    assert_eq!(bytes(&table, 6), b"a b");
    assert!(kinds(&table).iter().all(|&kind| kind == Text));
}

#[test]
fn byte_tokens_and_literals_of_the_same_byte_are_both_kept() {
    let vocab = json!({"<unk>": 0, "<0x0A>": 1, "\n": 2, "<0x61>": 3, "a": 4, "▁a": 5, "a▁b": 6});
    let table = Folder::with(&sentence_piece(vocab, json!([]))).import();
    assert_eq!((bytes(&table, 1), bytes(&table, 2)), (&b"\n"[..], &b"\n"[..]));
    assert_eq!((bytes(&table, 3), bytes(&table, 4)), (&b"a"[..], &b"a"[..]));
    assert_eq!((bytes(&table, 5), bytes(&table, 6)), (&b" a"[..], &b"a b"[..]));
    assert_eq!(kinds(&table), [Special, Text, Text, Text, Text, Text, Text]);
}

#[test]
fn byte_tokens_listed_as_added_stay_bytes() {
    for special in [false, true] {
        let file =
            sentence_piece(json!({"<0x0A>": 0, "▁▁": 1}), json!([added(0, "<0x0A>", special)]));
        let table = Folder::with(&file).import();
        assert_eq!((bytes(&table, 0), kind(&table, 0)), (&b"\n"[..], Text));
    }
}

#[test]
fn a_dummy_prefix_is_noted_and_the_space_kept() {
    let table = Folder::with(&sentence_piece(json!({"▁a": 0}), json!([]))).import();
    assert_eq!(bytes(&table, 0), b" a");
    assert!(finding(&table, "vocabulary::dummy-prefix").contains("leading space"));

    let mut without = sentence_piece(json!({"▁a": 0}), json!([]));
    without["decoder"]["decoders"].as_array_mut().expect("a list").pop();
    assert!(!has_finding(&Folder::with(&without).import(), "vocabulary::dummy-prefix"));
}

#[test]
fn the_decoder_section_decides_and_not_the_name() {
    let mut file = byte_level(json!({"▁a": 0, "Ġa": 1}), json!([]));
    assert_eq!(bytes(&Folder::with(&file).import(), 1), b" a");
    file["decoder"] = json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"});
    let table = Folder::with(&file).import();
    assert_eq!((bytes(&table, 0), bytes(&table, 1)), (&b" a"[..], "Ġa".as_bytes()));

    // The decoder that transformers writes for a Llama 3 from GGUF: SentencePiece's steps, then the byte alphabet.
    file["decoder"] = json!({"type": "Sequence", "decoders": [
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteLevel"},
    ]});
    assert_eq!(bytes(&Folder::with(&file).import(), 1), b" a");
}

#[test]
fn models_without_fixed_bytes_are_refused_with_a_reason() {
    let mut word_piece = byte_level(json!({"[UNK]": 0, "##ing": 1}), json!([]));
    word_piece["model"]["type"] = json!("WordPiece");
    word_piece["decoder"] = json!({"type": "WordPiece", "prefix": "##"});
    let error = Folder::with(&word_piece).refusal();
    assert!(matches!(error, VocabularyError::Model { .. }));
    assert!(
        error.to_string().contains("WordPiece") && error.to_string().contains("can be imported"),
        "{error}"
    );

    let mut suffixed = byte_level(json!({"a</w>": 0}), json!([]));
    suffixed["model"]["end_of_word_suffix"] = json!("</w>");
    assert!(matches!(Folder::with(&suffixed).refusal(), VocabularyError::Model { .. }));

    let mut bare = byte_level(json!({"a": 0}), json!([]));
    bare["decoder"] = json!(null);
    let error = Folder::with(&bare).refusal();
    assert!(
        matches!(&error, VocabularyError::Decoder { pointer, .. } if pointer == "/decoder"),
        "{error}"
    );
}

#[test]
fn unigram_pieces_are_numbered_by_their_place() {
    let mut file = sentence_piece(json!([["<unk>", 0.0], ["▁a", -1.5], ["<0x0A>", -2]]), json!([]));
    file["model"]["type"] = json!("Unigram");
    file["model"]["unk_id"] = json!(0);
    let table = Folder::with(&file).import();
    assert_eq!(kinds(&table), [Special, Text, Text]);
    assert_eq!((bytes(&table, 1), bytes(&table, 2)), (&b" a"[..], &b"\n"[..]));

    file["decoder"] = json!({"type": "WordPiece"});
    assert!(matches!(Folder::with(&file).refusal(), VocabularyError::Decoder { .. }));
}

#[test]
fn special_tokens_and_markers_never_match_as_text() {
    let list = json!([
        added(1, "<|im_end|>", true),
        added(2, "plain but flagged", true),
        added(3, "<think>", false),
        added(4, "<｜User｜>", false),
        added(5, "[multimodal]", false),
        added(6, "<img>", false),
        added(7, "\n\n", false),
        added(8, "word", false),
        added(9, "<table>", false),
        added(10, "<code>", true),
    ]);
    let folder = Folder::with(&byte_level(json!({"a": 0}), list));
    let table = folder.import();
    assert_eq!(
        kinds(&table),
        [Text, Special, Special, Special, Special, Special, Special, Text, Text, Text, Special]
    );
    assert_eq!(bytes(&table, 3), b"<think>", "a special token keeps its name");
    let report = finding(&table, "vocabulary::control-markers");
    for name in ["`<think>` (3)", "`<｜User｜>` (4)", "`[multimodal]` (5)", "`<img>` (6)"] {
        assert!(report.contains(name), "{name} in {report}");
    }
    assert!(!report.contains("im_end") && !report.contains("flagged`"), "{report}");

    let options = VocabularyOptions::new().text_ids([6]).special_ids([8]).unused_ids([7]);
    let table = folder.import_with(&options).expect("imports");
    assert_eq!(
        kinds(&table),
        [Text, Special, Special, Special, Special, Special, Text, Unused, Special, Text, Special]
    );
    assert!(!finding(&table, "vocabulary::control-markers").contains("<img>"));

    let options = VocabularyOptions::new().text_ids(["<*th*k>", "5-6"]).special_ids(["9"]);
    let table = folder.import_with(&options).expect("imports");
    assert_eq!(kinds(&table)[3..], [Text, Special, Text, Text, Text, Text, Special, Special]);
    let nothing = VocabularyOptions::new().text_ids(["<tool*>"]);
    let refused = folder.import_with(&nothing).expect_err("no such token");
    assert!(matches!(refused, VocabularyError::NothingLike { .. }));
}

#[test]
fn control_pieces_outside_the_added_list_are_special_only_in_sentence_piece() {
    let vocab = json!({"<unk>": 0, "<s>": 1, "</s>": 2, "a": 3, "<unused5>": 4});
    let table = Folder::with(&sentence_piece(vocab.clone(), json!([]))).import();
    assert_eq!(kinds(&table), [Special, Special, Special, Text, Special]);
    assert!(
        finding(&table, "vocabulary::control-markers")
            .contains("`<s>` (1), `</s>` (2), `<unused5>` (4)")
    );
    let table = Folder::with(&byte_level(vocab, json!([]))).import();
    assert_eq!(
        kinds(&table),
        [Text, Text, Text, Text, Special],
        "a byte-level vocabulary learns these from HTML"
    );
}

#[test]
fn end_tokens_are_the_set_that_the_files_name() {
    let list =
        json!([added(1, "<|eot|>", true), added(2, "<|eom|>", true), added(3, "<|eos|>", true)]);
    let folder = Folder::with(&byte_level(json!({"a": 0}), list))
        .file("tokenizer_config.json", r#"{"eos_token": {"content": "<|eot|>"}}"#)
        .file("generation_config.json", r#"{"eos_token_id": [3, 2]}"#)
        .file("config.json", r#"{"eos_token_id": 3}"#);
    assert_eq!(folder.import().end_tokens, [1, 2, 3]);

    let by_text = VocabularyOptions::new().end_tokens(["<|eos|>"]);
    assert_eq!(folder.import_with(&by_text).expect("imports").end_tokens, [3]);
    let none = VocabularyOptions::new().end_tokens::<u32>([]);
    let table = folder.import_with(&none).expect("imports");
    assert!(table.end_tokens.is_empty() && has_finding(&table, "vocabulary::no-end-token"));

    let unknown = folder
        .import_with(&VocabularyOptions::new().end_tokens(["<|nope|>"]))
        .expect_err("unknown");
    assert!(
        matches!(&unknown, VocabularyError::UnknownEndToken { text, .. } if text == "<|nope|>")
    );
    let unknown =
        folder.import_with(&VocabularyOptions::new().end_tokens([4])).expect_err("unknown");
    assert!(matches!(unknown, VocabularyError::UnknownId { id: 4, last: 3, .. }));
}

#[test]
fn an_end_token_that_is_text_becomes_special_and_is_reported() {
    let folder = Folder::with(&byte_level(json!({"a": 0, "Ċ": 1}), json!([])));
    let options = VocabularyOptions::new().end_tokens(["\n"]);
    let table = folder.import_with(&options).expect("imports");
    assert_eq!((table.end_tokens.as_slice(), kind(&table, 1)), (&[1][..], Special));
    assert!(finding(&table, "vocabulary::text-end-token").contains("`\\n` (id 1)"));
    let table = folder.import_with(&options.text_ids([1])).expect("imports");
    assert_eq!((table.end_tokens.as_slice(), kind(&table, 1)), (&[1][..], Text));
}

#[test]
fn an_end_token_that_only_a_file_knows_is_left_out() {
    let folder = Folder::with(&byte_level(json!({"a": 0}), json!([added(1, "<|end|>", true)])))
        .file("generation_config.json", r#"{"eos_token_id": [1, 99]}"#)
        .file("tokenizer_config.json", r#"{"eos_token": "</s>"}"#);
    let table = folder.import();
    assert_eq!(table.end_tokens, [1]);
    let unknown =
        table.findings.iter().filter(|finding| finding.code == "vocabulary::unknown-end-token");
    let messages: Vec<_> = unknown.map(|finding| finding.message.as_str()).collect();
    assert!(
        messages.len() == 2 && messages[0].contains("`</s>`") && messages[1].contains("99"),
        "{messages:?}"
    );
}

#[test]
fn the_logit_row_may_be_wider_than_the_tokenizer() {
    let file = byte_level(json!({"a": 0, "b": 1}), json!([]));
    assert_eq!(Folder::with(&file).import().logit_width, 2);
    let folder = Folder::with(&file)
        .file("config.json", r#"{"vocab_size": 9, "text_config": {"vocab_size": 64}}"#);
    let table = folder.import();
    assert_eq!((table.logit_width, table.tokens.len()), (64, 2));
    let table = folder.import_with(&VocabularyOptions::new().logit_width(128)).expect("imports");
    assert_eq!(table.logit_width, 128);
}

#[test]
fn a_narrower_logit_row_may_drop_markers_but_no_text() {
    let file = byte_level(
        json!({"a": 0, "b": 1}),
        json!([added(2, "<|end|>", true), added(3, "<image>", false)]),
    );
    let folder = Folder::with(&file).file("generation_config.json", r#"{"eos_token_id": 2}"#);
    let width = |width| folder.import_with(&VocabularyOptions::new().logit_width(width));
    let table = width(3).expect("imports");
    assert_eq!((table.tokens.len(), table.logit_width), (3, 3));
    assert!(finding(&table, "vocabulary::beyond-width").contains("`<image>` (3)"));
    assert!(matches!(
        width(2),
        Err(VocabularyError::WidthTooSmall { width: 2, what: "end token", id: 2, .. })
    ));
    assert!(matches!(
        width(1),
        Err(VocabularyError::WidthTooSmall { width: 1, what: "text token", id: 1, .. })
    ));
    assert!(matches!(width(0), Err(VocabularyError::WidthTooSmall { .. })));
}

#[test]
fn padding_rows_are_unused() {
    let list = json!([
        added(1, "[PAD151646]", false),
        added(2, "[PAD151647]", true),
        added(3, "[PAD]", true)
    ]);
    let table = Folder::with(&byte_level(json!({"a": 0, "[PAD9]": 4}), list)).import();
    assert_eq!(kinds(&table), [Text, Unused, Unused, Special, Unused]);
    assert!(finding(&table, "vocabulary::padding").contains("`[PAD#]` (1-2, 4)"));
}

#[test]
fn holes_and_empty_tokens_are_unused() {
    let table = Folder::with(&byte_level(json!({"a": 0, "": 1, "b": 5}), json!([]))).import();
    assert_eq!(kinds(&table), [Text, Unused, Unused, Unused, Unused, Text]);
    assert!(finding(&table, "vocabulary::holes").ends_with("2-4"));
    assert!(finding(&table, "vocabulary::empty-tokens").ends_with(": 1"));
    let folder = Folder::with(&byte_level(json!({"a": 0, "b": 2}), json!([])));
    let text_hole =
        folder.import_with(&VocabularyOptions::new().text_ids([1])).expect_err("nothing to spell");
    assert!(matches!(text_hole, VocabularyError::Kind { id: 1, .. }));
}

#[test]
fn the_ids_of_added_tokens_are_the_files_even_behind_a_hole() {
    let list = json!([added(3, "<|endoftext|>", true), added(7, "<|endofprompt|>", true)]);
    let table = Folder::with(&byte_level(json!({"a": 0, "b": 1}), list)).import();
    assert_eq!(
        (table.tokens.len(), bytes(&table, 3), bytes(&table, 7)),
        (8, &b"<|endoftext|>"[..], &b"<|endofprompt|>"[..])
    );
}

#[test]
fn an_id_given_twice_belongs_to_the_added_token() {
    let list = json!([added(0, "a", false), added(1, "<x>", true)]);
    let table = Folder::with(&byte_level(json!({"a": 0, "b": 1, "c": 1}), list)).import();
    assert_eq!((bytes(&table, 1), kind(&table, 1)), (&b"<x>"[..], Special));
    assert_eq!(kind(&table, 0), Text);
    let twice: Vec<_> =
        table.findings.iter().filter(|finding| finding.code == "vocabulary::id-twice").collect();
    assert_eq!(twice.len(), 2, "{twice:?}");
    assert!(twice[0].message.contains("it is `b`, and `c` has no id"), "{}", twice[0].message);
    assert!(twice[1].message.contains("it is `<x>`, and `b` has no id"), "{}", twice[1].message);
}

#[test]
fn tokens_need_not_be_utf_8() {
    let table = Folder::with(&byte_level(json!({"âĢ": 0, "¼": 1, "ÿ": 2}), json!([]))).import();
    assert_eq!(
        (bytes(&table, 0), bytes(&table, 1), bytes(&table, 2)),
        (&[0xE2, 0x80][..], &[0xBC][..], &[0xFF][..])
    );
    assert!(kinds(&table).iter().all(|&kind| kind == Text));
}

#[test]
fn missing_single_bytes_are_named() {
    let all: Vec<u8> = (0..=255).collect();
    let ranks = |without: &[u8]| {
        use base64::Engine as _;
        let encode = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
        let kept = all.iter().filter(|byte| !without.contains(byte)).enumerate();
        kept.map(|(rank, &byte)| format!("{} {rank}\n", encode(&[byte]))).collect::<String>()
    };
    let import = |without| Folder::new().file("x.tiktoken", ranks(without)).import();
    assert!(!has_finding(&import(&[]), "vocabulary::missing-bytes"));
    let severity = |table: &TokenTable| {
        table
            .findings
            .iter()
            .find(|finding| finding.code == "vocabulary::missing-bytes")
            .map(|finding| finding.severity)
    };
    let table = import(&[0x04, 0xF1]);
    assert!(finding(&table, "vocabulary::missing-bytes").contains("0x04, 0xF1;"));
    assert_eq!(severity(&table), Some(grammarc_grammar::diagnostics::Severity::Warning));
    assert_eq!(
        severity(&import(&[0xC0, 0xFF])),
        Some(grammarc_grammar::diagnostics::Severity::Note),
        "never in UTF-8"
    );
}

#[test]
fn long_tokens_are_whole() {
    let table = Folder::with(&byte_level(
        json!({"Ġ".repeat(1024): 0}),
        json!([added(1, &"\n".repeat(31), false)]),
    ))
    .import();
    assert_eq!(bytes(&table, 0), b" ".repeat(1024));
    assert_eq!((bytes(&table, 1), kind(&table, 1)), (&b"\n".repeat(31)[..], Text));
}

#[test]
fn a_normaliser_is_ignored_and_noted() {
    let mut file = byte_level(json!({"e": 0, "Ì": 1}), json!([]));
    let plain = Folder::with(&file).import();
    file["normalizer"] = json!({"type": "NFC"});
    let table = Folder::with(&file).import();
    assert_eq!(table.tokens, plain.tokens);
    assert!(finding(&table, "vocabulary::normalizer").contains("(NFC)"));
    let spaces = Folder::with(&sentence_piece(json!({"a": 0}), json!([]))).import();
    assert!(
        !has_finding(&spaces, "vocabulary::normalizer"),
        "writing the space as ▁ changes nothing"
    );
}

#[test]
fn an_import_is_repeatable() {
    let list = json!([added(3, "<think>", false), added(9, "<b>", false)]);
    let folder = Folder::with(&byte_level(json!({"a": 0, "b": 1, "": 2}), list))
        .file("tokenizer_config.json", r#"{"eos_token": "<think>"}"#);
    assert_eq!(folder.import(), folder.import());
}
