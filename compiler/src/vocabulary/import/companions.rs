//! The files beside a tokenizer that say more about it: which tokens are control tokens and end a sequence, and how
//! wide the model's logit row is.
//!
//! | file | read from it |
//! | --- | --- |
//! | `tokenizer_config.json` | `eos_token` and the other named tokens, `added_tokens_decoder` |
//! | `generation_config.json` | `eos_token_id`, one or several |
//! | `config.json` | `eos_token_id`, `vocab_size`, and both within `text_config` |
//!
//! End tokens are the union of all that these name: a chat model may end with its end of turn or with its end of text.
//! A file that is not there is no error; one that is there and is not JSON is.

use std::path::Path;

use serde_json::Value;

use crate::diagnostics::Diagnostic;
use crate::vocabulary::draft::{Draft, Role};
use crate::vocabulary::error::VocabularyError;
use crate::vocabulary::findings::readable;
use crate::vocabulary::names::is_marker;
use crate::vocabulary::options::EndToken;

use super::read_file;

/// Keys of `tokenizer_config.json` that name a control token.
const NAMED_TOKENS: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token"];

/// Reads the files beside `tokenizer` into the draft. `added` gives the bytes of an added token, or `None` where the
/// tokenizer's format knows no added tokens.
pub(super) fn read(
    draft: &mut Draft,
    tokenizer: &Path,
    added: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<(), VocabularyError> {
    if let Some(config) = json_beside(tokenizer, "tokenizer_config.json")? {
        added_tokens(draft, &config, &added)?;
        named_tokens(draft, &config);
    }
    if let Some(config) = json_beside(tokenizer, "generation_config.json")? {
        end_ids(draft, &config, "generation_config.json");
    }
    if let Some(config) = json_beside(tokenizer, "config.json")? {
        // A model of several modalities states its language model's figures one level down.
        for part in [config.get("text_config"), Some(&config)].into_iter().flatten() {
            end_ids(draft, part, "config.json");
            if draft.logit_width.is_none()
                && let Some(width) = part.get("vocab_size").and_then(id_of)
            {
                draft.logit_width = Some((width, "config.json".to_owned()));
            }
        }
    }
    Ok(())
}

/// Adds what `added_tokens_decoder` knows and the tokenizer does not: hosts that load the folder see these tokens.
fn added_tokens(
    draft: &mut Draft,
    config: &Value,
    added: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<(), VocabularyError> {
    let Some(tokens) = config.get("added_tokens_decoder").and_then(Value::as_object) else {
        return Ok(());
    };
    for (id, token) in tokens {
        let content = token.get("content").and_then(Value::as_str);
        let (Ok(id), Some(content)) = (id.parse::<u32>(), content) else {
            continue;
        };
        let Some(bytes) = added(content) else {
            continue;
        };
        let special = token.get("special").and_then(Value::as_bool) == Some(true);
        let role = if special { Role::Control } else { Role::Added };
        match draft.slots.get(id as usize) {
            Some(slot) if slot.role != Role::Hole && slot.bytes != bytes => {
                draft.findings.push(Diagnostic::warning(
                    "vocabulary::files-disagree",
                    format!(
                        "id {id} is {} in the tokenizer and {} in tokenizer_config.json; the tokenizer is followed",
                        readable(&slot.bytes),
                        readable(&bytes),
                    ),
                ));
            }
            _ => draft.claim(id, bytes, role)?,
        }
    }
    Ok(())
}

/// Raises named tokens to control tokens, and notes the end token.
///
/// Only a name that looks like a marker is raised: people make do with `!` for padding, and `!` stays text.
fn named_tokens(draft: &mut Draft, config: &Value) {
    let lists = ["additional_special_tokens", "extra_special_tokens"].map(|key| config.get(key));
    let listed = lists.into_iter().flatten().filter_map(Value::as_array).flatten();
    let named = NAMED_TOKENS.iter().filter_map(|key| config.get(key));
    let texts: Vec<&str> =
        named.chain(listed).filter_map(text_of).filter(|text| is_marker(text)).collect();
    for text in texts {
        if let Some(id) = draft.find(text.as_bytes()) {
            draft.raise(id, Role::Control);
        }
    }
    if let Some(text) = config.get("eos_token").and_then(text_of) {
        draft.end_tokens.push((EndToken::from(text), "tokenizer_config.json".to_owned()));
    }
}

/// A token's text: a string, or an object with its `content`.
fn text_of(token: &Value) -> Option<&str> {
    token.as_str().or_else(|| token.get("content").and_then(Value::as_str))
}

/// Notes the end tokens that `eos_token_id` names, one id or a list.
fn end_ids(draft: &mut Draft, config: &Value, file: &str) {
    let ids = match config.get("eos_token_id") {
        Some(Value::Array(ids)) => ids.iter().filter_map(id_of).collect(),
        Some(id) => Vec::from_iter(id_of(id)),
        None => Vec::new(),
    };
    draft.end_tokens.extend(ids.into_iter().map(|id| (EndToken::Id(id), file.to_owned())));
}

fn id_of(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|id| u32::try_from(id).ok())
}

fn json_beside(tokenizer: &Path, name: &'static str) -> Result<Option<Value>, VocabularyError> {
    let path = tokenizer.with_file_name(name);
    if !path.is_file() {
        return Ok(None);
    }
    let text = read_file(&path)?;
    serde_json::from_slice(&text).map(Some).map_err(|source| VocabularyError::Json {
        path,
        expected: name,
        source,
    })
}
