//! Companions: files beside a tokenizer that say which tokens are control tokens and end tokens, and how wide the
//! model's logit row is.
//!
//! | file | read from it |
//! | --- | --- |
//! | `added_tokens.json` | ids of added tokens by their texts |
//! | `tokenizer_config.json` | `eos_token` and the other named tokens, `added_tokens_decoder` |
//! | `generation_config.json` | `eos_token_id`, one or several |
//! | `config.json` | `eos_token_id`, `vocab_size`, and both within `text_config` |
//!
//! A host with these files in memory gives their content in the options, which replaces the files. The end tokens are
//! the union of all that the files name: a chat model may end with its end of turn or its end of text. A missing file
//! is no error; a file that is not JSON is one.

use std::path::Path;

use serde_json::Value;

use crate::draft::{Draft, Role};
use crate::error::VocabularyError;
use crate::findings::readable;
use crate::names::is_marker;
use crate::options::{Companion, EndToken, VocabularyOptions};
use grammarc_grammar::diagnostics::Diagnostic;

use super::files::read_file;

/// The keys of `tokenizer_config.json` that name a control token.
const NAMED_TOKENS: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token"];

/// The companion files of a tokenizer: each with its parsed JSON, in the order in which they are read.
pub(super) struct Companions(Vec<(Companion, Value)>);

impl Companions {
    /// Returns the companion files whose content the options give.
    pub(super) fn given(options: &VocabularyOptions) -> Result<Self, VocabularyError> {
        Self::gather(|companion| given(options, companion))
    }

    /// Returns the companions of a tokenizer file. If the options do not give the content of one, the file beside the
    /// tokenizer is read if it exists.
    pub(super) fn beside(
        tokenizer: &Path,
        options: &VocabularyOptions,
    ) -> Result<Self, VocabularyError> {
        Self::gather(|companion| match given(options, companion)? {
            Some(value) => Ok(Some(value)),
            None => json_beside(tokenizer, companion),
        })
    }

    fn gather(
        find: impl Fn(Companion) -> Result<Option<Value>, VocabularyError>,
    ) -> Result<Self, VocabularyError> {
        let mut found = Vec::new();
        for companion in Companion::ALL {
            found.extend(find(companion)?.map(|value| (companion, value)));
        }
        Ok(Self(found))
    }

    /// Adds what the companion files say about tokens to the draft. `added` returns the bytes of an added token, or
    /// `None` if the tokenizer's format has no added tokens.
    pub(super) fn read(
        &self,
        draft: &mut Draft,
        added: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<(), VocabularyError> {
        for (companion, value) in &self.0 {
            let file = companion.file_name();
            match companion {
                Companion::TokenizerConfig => {
                    added_tokens(draft, value, &added)?;
                    named_tokens(draft, value);
                }
                Companion::AddedTokens => {
                    for (content, id) in value.as_object().into_iter().flatten() {
                        if let (Some(id), Some(bytes)) = (id_of(id), added(content)) {
                            claim(draft, id, bytes, Role::Added, file)?;
                        }
                    }
                }
                Companion::GenerationConfig => end_ids(draft, value, file),
                Companion::Config => config(draft, value, file),
            }
        }
        Ok(())
    }
}

/// Adds the end tokens and the logit width of `config.json` to the draft.
fn config(draft: &mut Draft, config: &Value, file: &str) {
    // A multimodal model has the values of its language model in `text_config`.
    for part in [config.get("text_config"), Some(config)].into_iter().flatten() {
        end_ids(draft, part, file);
        if draft.logit_width.is_none()
            && let Some(width) = part.get("vocab_size").and_then(id_of)
        {
            draft.logit_width = Some((width, file.to_owned()));
        }
    }
}

/// Adds the tokens of `added_tokens_decoder` that the tokenizer lacks: hosts that load the folder have them.
fn added_tokens(
    draft: &mut Draft,
    config: &Value,
    added: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<(), VocabularyError> {
    let tokens = config.get("added_tokens_decoder").and_then(Value::as_object);
    for (id, token) in tokens.into_iter().flatten() {
        let content = token.get("content").and_then(Value::as_str);
        if let (Ok(id), Some(bytes)) = (id.parse::<u32>(), content.and_then(&added)) {
            let special = token.get("special").and_then(Value::as_bool) == Some(true);
            let role = if special { Role::Control } else { Role::Added };
            claim(draft, id, bytes, role, Companion::TokenizerConfig.file_name())?;
        }
    }
    Ok(())
}

/// Gives an id to an added token of a companion file. If the tokenizer has other bytes for the id, they stay, with a
/// warning.
fn claim(
    draft: &mut Draft,
    id: u32,
    bytes: Vec<u8>,
    role: Role,
    file: &str,
) -> Result<(), VocabularyError> {
    match draft.slots.get(id as usize) {
        Some(slot) if slot.role != Role::Hole && slot.bytes != bytes => {
            draft.findings.push(Diagnostic::warning(
                "vocabulary::files-disagree",
                format!(
                    "id {id} is {} in the tokenizer and {} in {file}; the tokenizer is followed",
                    readable(&slot.bytes),
                    readable(&bytes),
                ),
            ));
            Ok(())
        }
        _ => draft.claim(id, bytes, role),
    }
}

/// Makes named tokens control tokens, and adds the end token of `tokenizer_config.json`.
///
/// Only a token that looks like a marker becomes a control token: some models use `!` for padding, and `!` stays text.
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
        let file = Companion::TokenizerConfig.file_name().to_owned();
        draft.end_tokens.push((EndToken::from(text), file));
    }
}

/// Returns the text of a token, which is a string, or an object with `content`. `None` for other values.
fn text_of(token: &Value) -> Option<&str> {
    token.as_str().or_else(|| token.get("content").and_then(Value::as_str))
}

/// Adds the end tokens of the key `eos_token_id`, which has one id or an array of ids.
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

fn given(
    options: &VocabularyOptions,
    companion: Companion,
) -> Result<Option<Value>, VocabularyError> {
    let found = options.companions.iter().find(|(given, _)| *given == companion);
    found.map(|(_, text)| parse(companion, companion.file_name().to_owned(), text)).transpose()
}

fn json_beside(tokenizer: &Path, companion: Companion) -> Result<Option<Value>, VocabularyError> {
    let path = tokenizer.with_file_name(companion.file_name());
    if !path.is_file() {
        return Ok(None);
    }
    let text = read_file(&path)?;
    parse(companion, path.display().to_string(), &text).map(Some)
}

fn parse(companion: Companion, file: String, text: &[u8]) -> Result<Value, VocabularyError> {
    serde_json::from_slice(text).map_err(|source| VocabularyError::Json {
        file,
        expected: companion.file_name(),
        source,
    })
}
