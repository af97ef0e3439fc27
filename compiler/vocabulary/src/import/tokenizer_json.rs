//! Reads `tokenizer.json` of Hugging Face: byte-level BPE, and BPE or Unigram in SentencePiece's spelling.
//!
//! The file is read here and not by the `tokenizers` crate, for three reasons. The crate gives added tokens new ids if
//! the file leaves a hole before them (o200k's `<|endofprompt|>`). The model was trained with the ids of the file. The
//! crate panics on some malformed sections. It builds an encoder, which is several times the work.
//!
//! The tests use the crate as their oracle. The tokens of an encoded text must concatenate to the text in the bytes of
//! this importer. The crate must decode each id to those bytes.
//!
//! The merges, by far the largest part, are skipped while parsing.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::decoder::Spelling;
use crate::draft::{Draft, Role};
use crate::error::VocabularyError;
use crate::findings::{dummy_prefix, normaliser};
use crate::names::is_control_piece;
use grammarc_grammar::diagnostics::Diagnostic;

use super::companions::Companions;
use super::format::TokenizerFormat;
use super::origin::Origin;

/// The parts of the file that determine the bytes of tokens.
#[derive(Deserialize)]
struct TokenizerFile {
    added_tokens: Option<Vec<AddedToken>>,
    normalizer: Option<Value>,
    #[serde(default)]
    decoder: Value,
    model: Model,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
    #[serde(default)]
    special: bool,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: Vocab,
    merges: Option<IgnoredAny>,
    byte_fallback: Option<bool>,
    unk_token: Option<String>,
    unk_id: Option<u32>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
}

/// The tokens with their ids, in file order. The file has an object of tokens and ids (BPE), or an array of pieces with
/// scores (Unigram).
struct Vocab(Vec<(String, u32)>);

impl<'de> Deserialize<'de> for Vocab {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tokens;

        impl<'de> Visitor<'de> for Tokens {
            type Value = Vocab;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tokens and ids, or a list of pieces and scores")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vocab, A::Error> {
                let mut tokens = Vec::new();
                while let Some(token) = map.next_entry()? {
                    tokens.push(token);
                }
                Ok(Vocab(tokens))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vocab, A::Error> {
                let mut tokens = Vec::new();
                let mut id = 0u32;
                while let Some((token, _score)) = list.next_element::<(String, IgnoredAny)>()? {
                    tokens.push((token, id));
                    id = id.saturating_add(1);
                }
                Ok(Vocab(tokens))
            }
        }

        deserializer.deserialize_any(Tokens)
    }
}

/// Reads a `tokenizer.json`, and the companion files beside it. Fails if the file is not JSON of the right form, or if
/// its tokens have no fixed bytes.
pub(super) fn read(
    text: &[u8],
    origin: Origin,
    companions: &Companions,
) -> Result<Draft, VocabularyError> {
    let mut draft = origin.draft(None);
    let file: TokenizerFile = serde_json::from_slice(text).map_err(|source| {
        let expected = TokenizerFormat::TokenizerJson.usual_name();
        VocabularyError::Json { file: origin.file.clone(), expected, source }
    })?;
    check_model(&file.model)
        .map_err(|problem| VocabularyError::Model { file: origin.file.clone(), problem })?;
    let byte_fallback = file.model.byte_fallback == Some(true);
    let spelling =
        Spelling::read(&file.decoder, byte_fallback).map_err(|found| VocabularyError::Decoder {
            file: origin.file.clone(),
            pointer: found.pointer,
            problem: found.problem,
        })?;

    let unknown = file.model.unk_token.as_deref();
    for (token, id) in &file.model.vocab.0 {
        let role = if Some(token.as_str()) == unknown || Some(*id) == file.model.unk_id {
            Role::Control
        } else if !spelling.is_byte_level() && is_control_piece(token) {
            Role::Added
        } else {
            Role::Learned
        };
        draft.claim(*id, spelling.learned(token), role)?;
    }
    for token in file.added_tokens.iter().flatten() {
        let byte = spelling.fallback_byte(&token.content).is_some();
        let role = match token.special {
            _ if byte => Role::Learned,
            true => Role::Control,
            false => Role::Added,
        };
        draft.claim(token.id, spelling.added(&token.content), role)?;
    }
    companions.read(&mut draft, |content| Some(spelling.added(content)))?;

    if spelling.strips_ends() {
        draft.findings.push(dummy_prefix());
    }
    draft.findings.extend(file.normalizer.as_ref().and_then(normalizer_note));
    Ok(draft)
}

/// Returns an error message if the tokens of a model have no fixed bytes.
fn check_model(model: &Model) -> Result<(), String> {
    match model.kind.as_deref() {
        Some("BPE" | "Unigram") => {}
        // Old files do not name the model's type; only BPE has merges.
        None if model.merges.is_some() => {}
        Some(kind) => return Err(format!("tokens of a {kind} model have no fixed bytes")),
        None => return Err("the model names no type".to_owned()),
    }
    let affixes = [
        ("continuing_subword_prefix", &model.continuing_subword_prefix),
        ("end_of_word_suffix", &model.end_of_word_suffix),
    ];
    for (key, affix) in affixes {
        if affix.as_ref().is_some_and(|affix| !affix.is_empty()) {
            return Err(format!("with a {key}, what a token spells depends on its neighbours"));
        }
    }
    Ok(())
}

/// Returns a note if a normaliser changes text before it becomes tokens.
///
/// Generated text is never normalised, so masks are not affected. `Prepend`, and `Replace` of a space, only write the
/// space as `▁`; the decoder reverses them.
fn normalizer_note(normalizer: &Value) -> Option<Diagnostic> {
    let steps = match normalizer.get("normalizers").and_then(Value::as_array) {
        Some(steps) => steps.iter().collect(),
        None => vec![normalizer],
    };
    let is_space =
        |step: &Value| step.pointer("/pattern/String").and_then(Value::as_str) == Some(" ");
    let changes: Vec<&str> = steps
        .into_iter()
        .filter_map(|step| Some((step, step.get("type")?.as_str()?)))
        .filter(|(step, kind)| *kind != "Prepend" && !(*kind == "Replace" && is_space(step)))
        .map(|(_, kind)| kind)
        .collect();
    (!changes.is_empty()).then(|| normaliser(&changes.join(", ")))
}
