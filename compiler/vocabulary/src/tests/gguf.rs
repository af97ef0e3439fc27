//! Tests GGUF models: the bytes of each type of token, refused files, and damaged files.

use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text, Unused};
use proptest::prelude::*;

use super::made::Gguf;
use super::*;
use crate::{TokenizerFormat, import_bytes};

fn import_gguf(model: &Gguf) -> TokenTable {
    import_bytes(None, &model.bytes(), &VocabularyOptions::new()).expect("imports")
}

fn refusal(bytes: &[u8]) -> VocabularyError {
    import_bytes(TokenizerFormat::Gguf, bytes, &VocabularyOptions::new()).expect_err("is refused")
}

#[test]
fn byte_level_tokens_by_type() {
    let model = Gguf::new("gpt2")
        .tokens(&[
            ("Ġthe", 1),
            ("âĢ¼", 1),
            ("‼", 1),
            ("õ", 4),
            ("<s>", 1),
            ("<|end|>", 3),
            ("<|think|>", 4),
            ("<unk>", 2),
            ("[PAD8]", 4),
            ("spare", 5),
            ("none", 0),
            ("", 1),
            ("<0x0A>", 6),
            ("<b>", 4),
        ])
        .text("general.name", "Small")
        .text("general.architecture", "llama")
        .number("llama.vocab_size", 20)
        .number("tokenizer.ggml.eos_token_id", 5)
        .number("tokenizer.ggml.eot_token_id", 6)
        .number("tokenizer.ggml.eom_token_id", u32::MAX);
    let table = import_gguf(&model);
    assert_eq!(
        kinds(&table),
        [
            Text, Text, Text, Text, Text, Special, Special, Special, Unused, Unused, Unused,
            Unused, Text, Text
        ]
    );
    let spelled: [(usize, &[u8]); 6] = [
        (0, b" the"),
        (1, "‼".as_bytes()),
        (2, "‼".as_bytes()),
        (3, "õ".as_bytes()),
        (5, b"<|end|>"),
        (12, b"\n"),
    ];
    for (id, expected) in spelled {
        assert_eq!(bytes(&table, id), expected, "id {id}");
    }
    assert_eq!((table.name.as_str(), table.logit_width), ("Small", 20));
    assert_eq!(table.end_tokens, [5, 6]);
    assert!(finding(&table, "vocabulary::unknown-end-token").contains("eom_token_id"));
    assert!(finding(&table, "vocabulary::unused-rows").contains("`spare` (9), `none` (10)"));
    assert!(finding(&table, "vocabulary::padding").contains("(8)"));
    assert!(!has_finding(&table, "vocabulary::dummy-prefix"));
}

#[test]
fn sentence_piece_tokens_by_type() {
    let tokens = [
        ("<unk>", 2),
        ("<s>", 3),
        ("</s>", 1),
        ("<0x0A>", 6),
        ("\n", 1),
        ("▁a▁b", 1),
        ("▁▁", 4),
        ("  ", 4),
        ("<0x41>", 1),
    ];
    let table = import_gguf(&Gguf::new("llama").tokens(&tokens));
    let kinds_expected = [Special, Special, Special, Text, Text, Text, Text, Text, Text];
    assert_eq!(kinds(&table), kinds_expected);
    assert_eq!((bytes(&table, 3), bytes(&table, 4)), (&b"\n"[..], &b"\n"[..]));
    assert_eq!(bytes(&table, 5), b" a b");
    assert_eq!(bytes(&table, 6), "▁▁".as_bytes(), "llama.cpp prints these as they stand");
    assert_eq!((bytes(&table, 7), bytes(&table, 8)), (&b"  "[..], &b"<0x41>"[..]));
    assert!(has_finding(&table, "vocabulary::dummy-prefix"));
    assert_eq!((table.name.as_str(), table.logit_width), ("vocabulary", 9));
    let plain = import_gguf(
        &Gguf::new("llama").tokens(&tokens).flag("tokenizer.ggml.add_space_prefix", false),
    );
    assert!(!has_finding(&plain, "vocabulary::dummy-prefix"));
    assert_eq!(plain.tokens, table.tokens);
}

#[test]
fn the_spelling_is_that_of_model_and_pre_tokenizer() {
    let spelled = |model: Gguf| bytes(&import_gguf(&model.tokens(&[("▁Ġ", 1)])), 0).to_vec();
    assert_eq!(spelled(Gguf::new("gpt2")), "▁Ġ".as_bytes());
    assert_eq!(spelled(Gguf::new("gpt2").text("tokenizer.ggml.pre", "llama-bpe")), "▁Ġ".as_bytes());
    for model in [
        Gguf::new("llama"),
        Gguf::new("gemma4"),
        Gguf::new("gpt2").text("tokenizer.ggml.pre", "sarvam-moe"),
    ] {
        assert_eq!(spelled(model), " Ġ".as_bytes());
    }
}

#[test]
fn tokens_without_types_are_normal() {
    let table = import_gguf(&Gguf::new("gpt2").texts("tokenizer.ggml.tokens", &["Ġ", "a"]));
    assert_eq!((kinds(&table), bytes(&table, 0)), (vec![Text, Text], &b" "[..]));
}

#[test]
fn tokens_that_end_a_generation_by_name_are_no_text() {
    let tokens = [
        ("a", 1),
        ("</s>", 1),
        ("<|im_end|>", 3),
        ("<|eot_id|>", 4),
        ("<|end|>", 3),
        ("<|im_start|>", 3),
    ];
    let table = import_gguf(&Gguf::new("gpt2").tokens(&tokens));
    assert_eq!(kinds(&table), [Text, Special, Special, Special, Special, Special]);
    assert_eq!(table.end_tokens, [2, 4], "those of the type of control tokens");
    let turns = [&tokens[..], &[("<|return|>", 3), ("<|call|>", 3)]].concat();
    let table = import_gguf(&Gguf::new("gpt2").tokens(&turns));
    assert_eq!(table.end_tokens, [2, 6, 7], "a message is no turn");
}

#[test]
fn numbers_of_every_width_name_end_tokens() {
    let model = || Gguf::new("gpt2").tokens(&[("a", 1), ("<|e|>", 3), ("<|f|>", 3)]);
    for (kind, width) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 4), (5, 4), (10, 8), (11, 8)] {
        let value = &2u64.to_le_bytes()[..width];
        let table = import_gguf(&model().value("tokenizer.ggml.eos_token_id", kind, value));
        assert_eq!(table.end_tokens, [2], "type {kind}");
    }
    for (kind, value) in [(5, &(-1i32).to_le_bytes()[..]), (6, &2f32.to_le_bytes()), (7, &[1])] {
        let table = import_gguf(&model().value("tokenizer.ggml.eos_token_id", kind, value));
        assert!(table.end_tokens.is_empty(), "type {kind}");
    }
    let table = import_gguf(&model().numbers("tokenizer.ggml.eos_token_ids", &[2, 1]));
    assert_eq!(table.end_tokens, [1, 2]);
}

#[test]
fn companions_that_are_given_are_read_with_it() {
    let options = VocabularyOptions::new()
        .companion(Companion::GenerationConfig, r#"{"eos_token_id": [1]}"#)
        .companion(
            Companion::TokenizerConfig,
            r#"{"added_tokens_decoder": {"2": {"content": "▁x"}}}"#,
        )
        .companion(Companion::Config, r#"{"vocab_size": 8}"#);
    let import = |model: &str| {
        let bytes = Gguf::new(model).tokens(&[("a", 1), ("<|e|>", 3)]).bytes();
        import_bytes(None, &bytes, &options).expect("imports")
    };
    let table = import("llama");
    assert_eq!((table.end_tokens.as_slice(), table.logit_width), (&[1][..], 8));
    assert_eq!(bytes(&table, 2), b" x");
    assert_eq!(bytes(&import("gpt2"), 2), "▁x".as_bytes());
}

#[test]
fn models_that_are_not_imported_are_refused_with_what_to_do() {
    for (model, says) in [
        ("bert", "fixed bytes"),
        ("t5", "list the tokens"),
        ("rwkv", "list the tokens"),
        ("plamo2", "list the tokens"),
        ("no_vocab", "list the tokens"),
    ] {
        let error = refusal(&Gguf::new(model).tokens(&[("a", 1)]).bytes());
        assert!(matches!(error, VocabularyError::Format { .. }), "{model}");
        let text = error.to_string();
        assert!(text.contains(model) && text.contains(says), "{text}");
    }
    let error = refusal(&Gguf::empty().bytes()).to_string();
    assert!(error.contains("without a vocabulary"), "{error}");
}

#[test]
fn damage_is_named() {
    let list = |kind: u32, count: u64| [&kind.to_le_bytes()[..], &count.to_le_bytes()].concat();
    let model = || Gguf::new("gpt2").tokens(&[("a", 1)]);
    let cases = [
        (b"GGUF".to_vec(), "ends within"),
        (b"GGML\x03\0\0\0".to_vec(), "begin with GGUF"),
        (model().version(1).bytes(), "version is 1"),
        (model().version(4).bytes(), "version is 4"),
        (model().version(0x0300_0000).bytes(), "big-endian"),
        (
            model().text("k", "v").value("x", 13, &[]).bytes(),
            "x has a value of the unknown type 13",
        ),
        (model().value("x", 9, &list(9, 1)).bytes(), "x has a value of the unknown type 9"),
        (model().value("x", 9, &list(4, u64::MAX)).bytes(), "ends within"),
        (model().value("x", 9, &list(8, u64::MAX)).bytes(), "ends within"),
        (model().value("x", 8, &u64::MAX.to_le_bytes()).bytes(), "ends within"),
        (
            Gguf::new("gpt2").value("tokenizer.ggml.tokens", 9, &list(8, 1 << 40)).bytes(),
            "are allowed",
        ),
        (
            model().text("tokenizer.ggml.model", "gpt2").bytes(),
            "tokenizer.ggml.model stands there twice",
        ),
        (
            (0..40).fold(model(), |model, at| model.number(&format!("{at}.vocab_size"), 9)).bytes(),
            "vocab_size is one entry too many",
        ),
        (Gguf::new("gpt2").bytes(), "is no list of strings"),
        (Gguf::new("gpt2").number("tokenizer.ggml.tokens", 1).bytes(), "is no list of strings"),
        (Gguf::new("gpt2").tokens(&[("a", 9)]).bytes(), "token 0 has the unknown type 9"),
        (Gguf::new("llama").tokens(&[("<0x0>", 6)]).bytes(), "`<0x0>` names none"),
        (
            Gguf::new("gpt2")
                .texts("tokenizer.ggml.tokens", &["a", "b"])
                .numbers("tokenizer.ggml.token_type", &[1])
                .bytes(),
            "for each of 2 tokens",
        ),
    ];
    for (bytes, says) in cases {
        let error = refusal(&bytes);
        assert!(matches!(error, VocabularyError::Damaged { .. }), "{error:?}");
        assert!(error.to_string().contains(says), "{error} / {says}");
    }
    let wide = model().text("general.architecture", "x").number("x.vocab_size", u32::MAX).bytes();
    assert!(matches!(refusal(&wide), VocabularyError::WidthTooLarge { .. }));
}

#[test]
fn a_model_of_many_gigabytes_is_imported_from_its_head() {
    let folder = Folder::new().file("m.gguf", Gguf::new("gpt2").tokens(&[("a", 1)]).bytes());
    let file = std::fs::OpenOptions::new().write(true).open(folder.path("m.gguf")).expect("opens");
    file.set_len(64 << 30).expect("a file with a hole");
    let table = folder.import();
    assert_eq!((table.name.as_str(), table.tokens.len()), ("m", 1));
}

/// Writes bytes in the byte alphabet of GPT-2, by the algorithm of its inventor: printable bytes are themselves, the
/// others follow U+0100.
fn in_alphabet(bytes: &[u8]) -> String {
    let printable =
        |byte: u8| (33..=126).contains(&byte) || (161..=172).contains(&byte) || byte >= 174;
    let shifted: Vec<u8> = (0..=255).filter(|&byte| !printable(byte)).collect();
    let letter = |&byte: &u8| match shifted.iter().position(|&other| other == byte) {
        Some(at) => char::from_u32(256 + at as u32).expect("a character"),
        None => char::from(byte),
    };
    bytes.iter().map(letter).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn bytes_survive_either_spelling(tokens in prop::collection::vec("[a-z\\x00-\\x7f é▂😀]{1,6}", 1..20)) {
        let import = |model, spell: &dyn Fn(&str) -> String| {
            let spelled: Vec<String> = tokens.iter().map(|token| spell(token)).collect();
            let typed: Vec<_> = spelled.iter().map(|token| (token.as_str(), 1)).collect();
            import_gguf(&Gguf::new(model).tokens(&typed))
        };
        let byte_level = import("gpt2", &|token| in_alphabet(token.as_bytes()));
        let spaced = import("llama", &|token| token.replace(' ', "▁"));
        for (id, token) in tokens.iter().enumerate() {
            prop_assert_eq!(bytes(&byte_level, id), token.as_bytes());
            prop_assert_eq!(bytes(&spaced, id), token.as_bytes());
        }
    }

    #[test]
    fn damaged_models_are_imported_or_refused(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let model = Gguf::new("llama")
            .tokens(&[("<unk>", 2), ("<0x0A>", 6), ("▁a", 1), ("</s>", 3)])
            .number("tokenizer.ggml.eos_token_id", 3)
            .flag("tokenizer.ggml.add_space_prefix", true);
        let mut bytes = model.bytes();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(table) = import_bytes(TokenizerFormat::Gguf, &bytes, &VocabularyOptions::new()) {
            super::sources::assert_table(&table);
        }
    }
}
