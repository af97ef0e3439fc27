//! Tests `tekken.json`: special tokens that are listed, known or filled in, and the ranks after
//! them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use grammarc_artifacts::sections::vocabulary::TokenKind::{Special, Text};
use proptest::prelude::*;

use super::*;
use crate::{TokenizerFormat, import_bytes};

fn tekken(tokens: &[&[u8]], special: u32, ids: u32, listed: Option<&[(u32, &str)]>) -> Value {
    let vocab = tokens.iter().enumerate().map(|(rank, token)| {
        json!({"rank": rank, "token_bytes": STANDARD.encode(token), "token_str": null})
    });
    let listed = listed.map(|listed| {
        let token = |&(rank, name): &(u32, &str)| json!({"rank": rank, "token_str": name, "is_control": true});
        listed.iter().map(token).collect::<Vec<_>>()
    });
    json!({
        "config": {
            "pattern": "x",
            "num_vocab_tokens": tokens.len(),
            "default_vocab_size": ids,
            "default_num_special_tokens": special,
            "version": "v3",
        },
        "vocab": vocab.collect::<Vec<_>>(),
        "special_tokens": listed,
        "image": {"model": 1},
    })
}

fn import_tekken(file: &Value) -> Result<TokenTable, VocabularyError> {
    import_bytes(None, file.to_string().as_bytes(), &VocabularyOptions::new())
}

#[test]
fn special_tokens_come_first_and_ranks_behind_them() {
    let listed = [(2, "</s>"), (0, "<unk>"), (3, "[INST]")];
    let file = tekken(&[b"a", b" b", b"\xE2\x80", b"beyond"], 5, 8, Some(&listed));
    let table = import_tekken(&file).expect("imports");
    assert_eq!(kinds(&table), [Special, Special, Special, Special, Special, Text, Text, Text]);
    let spelled: [(usize, &[u8]); 6] = [
        (0, b"<unk>"),
        (1, b"<SPECIAL_1>"),
        (2, b"</s>"),
        (4, b"<SPECIAL_4>"),
        (6, b" b"),
        (7, b"\xE2\x80"),
    ];
    for (id, expected) in spelled {
        assert_eq!(bytes(&table, id), expected, "id {id}");
    }
    assert_eq!((table.end_tokens.as_slice(), table.logit_width), (&[2][..], 8));
}

#[test]
fn first_versions_have_the_special_tokens_of_the_library() {
    let table = import_tekken(&tekken(&[b"a"], 22, 23, None)).expect("imports");
    assert_eq!((bytes(&table, 3), bytes(&table, 19)), (&b"[INST]"[..], &b"[TOOL_CONTENT]"[..]));
    assert_eq!((bytes(&table, 20), bytes(&table, 22)), (&b"<SPECIAL_20>"[..], &b"a"[..]));
    let mut later = tekken(&[b"a"], 22, 23, None);
    later["config"]["version"] = json!("v11");
    let error = import_tekken(&later).expect_err("is refused").to_string();
    assert!(error.contains("special_tokens"), "{error}");
}

#[test]
fn a_folder_of_tekken_is_found() {
    let folder = Folder::new()
        .file("tekken.json", tekken(&[b"a"], 3, 4, Some(&[(2, "</s>")])).to_string())
        .file("config.json", r#"{"vocab_size": 16}"#);
    let table = folder.import();
    assert_eq!((table.tokens.len(), table.logit_width), (4, 16));
    let name = folder.0.path().canonicalize().expect("there");
    assert_eq!(Some(table.name.as_str()), name.file_name().and_then(|name| name.to_str()));
}

#[test]
fn damage_is_named() {
    let good = || tekken(&[b"a", b"b"], 3, 5, Some(&[(2, "</s>")]));
    let change = |pointer: &str, value: Value| {
        let mut file = good();
        *file.pointer_mut(pointer).expect("is there") = value;
        file
    };
    for (file, says) in [
        (change("/config/default_num_special_tokens", json!(6)), "6 of 5 tokens"),
        (change("/config/default_vocab_size", json!(6)), "2 tokens of 3"),
        (change("/config/default_vocab_size", json!(u32::MAX)), "more than 4194304"),
        (change("/special_tokens/0/rank", json!(3)), "/special_tokens/0/rank"),
        (change("/vocab/1/rank", json!(0)), "/vocab/1/rank"),
        (change("/vocab/1/token_bytes", json!("YQ=")), "/vocab/1/token_bytes"),
    ] {
        let error = import_tekken(&file).expect_err("is refused");
        assert!(matches!(error, VocabularyError::Damaged { .. }), "{error:?}");
        assert!(error.to_string().contains(says), "{error} / {says}");
    }
    for value in [json!(-1), json!("3"), json!(null)] {
        let error =
            import_tekken(&change("/config/default_vocab_size", value)).expect_err("is refused");
        assert!(
            matches!(error, VocabularyError::Json { expected: "tekken.json", .. }),
            "{error:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_files_are_imported_or_refused(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut text = tekken(&[b"a", b"b"], 3, 5, Some(&[(2, "</s>")])).to_string().into_bytes();
        for (at, byte) in damage {
            let at = at.index(text.len());
            text[at] = byte;
        }
        if let Some(cut) = cut {
            text.truncate(cut.index(text.len()));
        }
        let options = VocabularyOptions::new();
        if let Ok(table) = import_bytes(TokenizerFormat::Tekken, &text, &options) {
            super::sources::assert_table(&table);
        }
    }
}
