//! Tests that the bytes of the tokens into which a real tokenizer encodes a text concatenate to the text.
//!
//! The oracle is the tokenizer's own library, which shares no code with the importer. Texts are encoded by the library
//! and spelled by the import. Each id is decoded by the library and compared with the bytes of the import.
//! `GRAMMARC_FULL=1` encodes 1,000 texts for each tokenizer instead of 200.

use std::time::Instant;

use grammarc_artifacts::sections::vocabulary::TokenKind::{Text, Unused};
use tokenizers::{NormalizedString, Normalizer as _, Tokenizer};

use super::*;

/// The changes that a tokenizer makes to a text before it encodes it, as far as they affect bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// Unicode normalisation: the tokens spell the normalised text.
    Normalises,
    /// The tokens spell the text with a space before it.
    PrependsSpace,
}

fn number_of_texts() -> u64 {
    if std::env::var_os("GRAMMARC_FULL").is_some_and(|value| value == "1") { 1000 } else { 200 }
}

pub(super) fn say(line: std::fmt::Arguments<'_>) {
    std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{line}\n")).expect("stderr");
}

fn spell(table: &TokenTable, ids: &[u32]) -> Vec<u8> {
    ids.iter().flat_map(|&id| bytes(table, id as usize)).copied().collect()
}

/// Imports a tokenizer, then encodes and spells the texts. Prints how long it took.
pub(super) fn check_texts(
    spec: &str,
    expected: impl Fn(&str) -> String,
    encode: impl Fn(&str) -> Vec<u32>,
) -> TokenTable {
    let start = Instant::now();
    let table = import(spec, &VocabularyOptions::new()).expect(spec);
    let import_time = start.elapsed();
    let (mut tokens, mut length) = (0, 0);
    for number in 0..number_of_texts() {
        let text = texts::text(number);
        let ids = encode(&text);
        assert_eq!(
            String::from_utf8_lossy(&spell(&table, &ids)),
            expected(&text),
            "{spec}, text {number}: tokens {ids:?}"
        );
        assert_eq!(spell(&table, &ids), expected(&text).into_bytes(), "{spec}, text {number}");
        assert!(ids.iter().all(|&id| kind(&table, id as usize) != Unused), "{spec}, text {number}");
        tokens += ids.len();
        length += text.len();
    }
    say(format_args!(
        "{}: {} ids imported in {import_time:.0?}; {} texts, {length} bytes, {tokens} tokens: all equal",
        table.name,
        table.tokens.len(),
        number_of_texts(),
    ));
    table
}

fn check_real(name: &str, before: Before) {
    let Some(folder) = real(name) else { return };
    let oracle = Tokenizer::from_file(folder.join("tokenizer.json")).expect("loads");
    let expected = |text: &str| match before {
        Before::Nothing => text.to_owned(),
        Before::PrependsSpace => format!(" {text}"),
        Before::Normalises => {
            let mut normalised = NormalizedString::from(text);
            oracle
                .get_normalizer()
                .expect("has one")
                .normalize(&mut normalised)
                .expect("normalises");
            normalised.get().to_owned()
        }
    };
    let encode = |text: &str| oracle.encode_fast(text, false).expect("encodes").get_ids().to_vec();
    let table = check_texts(folder.to_str().expect("UTF-8"), expected, encode);
    assert_eq!(has_finding(&table, "vocabulary::dummy-prefix"), before == Before::PrependsSpace);
    assert_eq!(has_finding(&table, "vocabulary::normalizer"), before == Before::Normalises);
    check_ids(&oracle, &table);
}

/// Decodes each id after a letter, so that steps at the start of a text do not affect it.
fn check_ids(oracle: &Tokenizer, table: &TokenTable) {
    let letter = oracle.token_to_id("a").expect("every vocabulary has the letter");
    for (id, token) in (0..).zip(&table.tokens) {
        let decoded = oracle.decode(&[letter, id], false).expect("decodes");
        let shown = String::from_utf8_lossy(&token.bytes);
        assert_eq!(decoded, format!("a{shown}"), "{} id {id}", table.name);
    }
    assert_eq!(oracle.get_vocab_size(true), table.tokens.len());
}

#[test]
fn llama_2() {
    check_real("llama2", Before::PrependsSpace);
}

#[test]
fn llama_3_1() {
    check_real("llama3_1", Before::Nothing);
}

#[test]
fn qwen_3() {
    check_real("qwen3", Before::Normalises);
}

#[test]
fn gpt_oss() {
    check_real("gptoss", Before::Nothing);
}

#[test]
fn gemma_3() {
    check_real("gemma3", Before::Nothing);
}

#[test]
fn gemma_3_keeps_white_space_as_text_and_markers_out() {
    let Some(folder) = real("gemma3") else { return };
    let options = VocabularyOptions::new().logit_width(262_144);
    let table = import(folder.to_str().expect("UTF-8"), &options).expect("imports");
    assert_eq!((table.tokens.len(), table.logit_width), (262_144, 262_144));
    assert!(finding(&table, "vocabulary::beyond-width").contains("`<image_soft_token>` (262144)"));
    let id_of = |text: &str| {
        table.tokens.iter().position(|token| token.bytes == text.as_bytes()).expect(text)
    };
    for text in ["\n\n", "  ", "\t\t", " the", "<table>", "</code>", "</footer>"] {
        assert_eq!(kind(&table, id_of(text)), Text, "{text:?}");
    }
    let markers = finding(&table, "vocabulary::control-markers");
    for text in ["<mask>", "<s>", "<img>", "[multimodal]"] {
        assert_ne!(kind(&table, id_of(text)), Text, "{text}");
        assert!(markers.contains(&format!("`{text}`")), "{text}");
    }
}
