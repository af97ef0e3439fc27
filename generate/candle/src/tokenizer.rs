//! Builds the tokenizer that a GGUF file describes, with Hugging Face's library.
//!
//! The file contains the tokens and merges of a byte-level BPE tokenizer. Of the pre-tokenizer it
//! has only a name that llama.cpp defines. Unknown names, and tokenizers of other kinds, require
//! the model's `tokenizer.json`.

use grammarc_artifacts::VocabularyArtifact;
use grammarc_generate::encode::HfTokenizer;
use serde_json::{Map, Value, json};

use crate::error::OpenError;
use crate::metadata::Metadata;

/// Token type in GGUF: a control token.
const CONTROL: u64 = 3;
/// Token type in GGUF: a token that the user of the tokenizer has added.
const USER_DEFINED: u64 = 4;

/// Regular expression of Llama 3's pre-tokenizer. `DIGITS` is a placeholder for the pattern of
/// digit runs.
const WORDS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Builds the tokenizer that a file describes. Fails if the tokenizer is not byte-level BPE or the
/// pre-tokenizer is unknown.
pub(crate) fn of_file(
    metadata: &Metadata<'_>,
    vocabulary: &VocabularyArtifact,
) -> Result<HfTokenizer, OpenError> {
    let model = metadata.text("tokenizer.ggml.model")?;
    if model != "gpt2" {
        return Err(OpenError::TokenizerKind { found: model.to_owned() });
    }
    let cut = metadata.text("tokenizer.ggml.pre").unwrap_or("default");
    let (pre_tokenizer, ignore_merges) = pre_tokenizer(cut)
        .ok_or_else(|| OpenError::TokenizerKind { found: format!("{model}, {cut}") })?;
    let tokens = metadata.list("tokenizer.ggml.tokens")?;
    let tokens: Vec<&str> =
        tokens.iter().map(|token| token.to_string().map_or("", String::as_str)).collect();
    let types = metadata.list("tokenizer.ggml.token_type").unwrap_or_default();
    let merges = metadata.list("tokenizer.ggml.merges")?;
    let merges: Vec<Value> = merges
        .iter()
        .filter_map(|merge| merge.to_string().ok()?.split_once(' '))
        .map(|(left, right)| json!([left, right]))
        .collect();
    let vocab: Map<String, Value> =
        (0..).zip(&tokens).map(|(id, token): (u32, _)| ((*token).to_owned(), json!(id))).collect();
    let kinds = types.iter().map(|kind| kind.to_i32().map_or(0, |kind| kind as u64));
    let added: Vec<Value> = (0_u32..)
        .zip(&tokens)
        .zip(kinds)
        .filter(|(_, kind)| [CONTROL, USER_DEFINED].contains(kind))
        .map(|((id, token), kind)| {
            json!({"id": id, "content": token, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": kind == CONTROL})
        })
        .collect();
    let file = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": null,
        "pre_tokenizer": pre_tokenizer, "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": ignore_merges,
            "vocab": vocab, "merges": merges},
    });
    Ok(HfTokenizer::from_bytes(file.to_string().as_bytes(), vocabulary)?)
}

/// Returns the pre-tokenizer with a name of llama.cpp, and whether a word that is itself a token
/// skips the merges. `None` for an unknown name.
fn pre_tokenizer(name: &str) -> Option<(Value, bool)> {
    let bytes = |use_regex: bool| json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex});
    let sequence = |first: Value, use_regex| json!({"type": "Sequence", "pretokenizers": [first, bytes(use_regex)]});
    let words = |digits: &str| {
        let pattern = WORDS.replace("DIGITS", digits);
        sequence(
            json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false}),
            false,
        )
    };
    Some(match name {
        "default" | "gpt-2" => (bytes(true), false),
        "smollm" | "starcoder" | "refact" | "command-r" | "codeshell" | "exaone" | "minerva-7b" => {
            (sequence(json!({"type": "Digits", "individual_digits": true}), true), false)
        }
        "llama-bpe" | "llama3" | "llama-v3" => (words(r"\p{N}{1,3}"), true),
        "qwen2" => (words(r"\p{N}"), false),
        _ => return None,
    })
}
