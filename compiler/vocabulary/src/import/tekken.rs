//! Reads `tekken.json` of mistral-common: ranks as in tiktoken, after a block of special tokens.
//!
//! Ids below `default_num_special_tokens` are special: those that the file lists, and `<SPECIAL_n>` for the others. The
//! id of an ordinary token is its rank plus that number. The file has more ranks than the model has rows; ids from
//! `default_vocab_size` on do not exist. Files of the first versions list no special tokens, because the library knew
//! them; a table here has their names.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::draft::{Draft, MAX_ID, Role};
use crate::error::VocabularyError;
use crate::options::EndToken;

use super::companions::Companions;
use super::format::TokenizerFormat;
use super::origin::Origin;

#[derive(Deserialize)]
struct Tekken {
    config: Config,
    vocab: Vec<Token>,
    special_tokens: Option<Vec<Special>>,
}

#[derive(Deserialize)]
struct Config {
    default_vocab_size: u32,
    default_num_special_tokens: u32,
    version: Option<String>,
}

#[derive(Deserialize)]
struct Token {
    rank: u32,
    token_bytes: String,
}

#[derive(Deserialize)]
struct Special {
    rank: u32,
    token_str: String,
}

/// The versions of `tekken.json` whose files list no special tokens.
const UNLISTED: [&str; 4] = ["v1", "v2", "v3", "v7"];

/// The special tokens of the versions in [`UNLISTED`], indexed by id.
const SPECIAL: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// The end token of all versions of `tekken.json`.
const END: &str = "</s>";

/// Reads a `tekken.json`, and the companion files beside it. Fails if the file is not JSON or contradicts itself.
pub(super) fn read(
    text: &[u8],
    origin: Origin,
    companions: &Companions,
) -> Result<Draft, VocabularyError> {
    let expected = TokenizerFormat::Tekken.usual_name();
    let damaged =
        |problem: String| VocabularyError::Damaged { file: origin.file.clone(), expected, problem };
    let file: Tekken = serde_json::from_slice(text).map_err(|source| VocabularyError::Json {
        file: origin.file.clone(),
        expected,
        source,
    })?;
    let Config { default_vocab_size: ids, default_num_special_tokens: special, version } =
        file.config;
    let ordinary = ids.checked_sub(special).ok_or_else(|| {
        damaged(format!(
            "{special} of {ids} tokens are special (at /config/default_num_special_tokens)"
        ))
    })?;
    if ids > MAX_ID + 1 {
        return Err(damaged(format!(
            "{ids} tokens are more than {} (at /config/default_vocab_size)",
            MAX_ID + 1
        )));
    }
    if file.vocab.len() < ordinary as usize {
        let ranks = file.vocab.len();
        return Err(damaged(format!("/vocab has {ranks} tokens of {ordinary}")));
    }

    let mut draft = origin.draft(None);
    let tokens = match file.special_tokens {
        Some(tokens) => tokens,
        None if version.as_deref().is_some_and(|version| UNLISTED.contains(&version)) => {
            let names = (0..).zip(SPECIAL);
            names.map(|(rank, name)| Special { rank, token_str: name.to_owned() }).collect()
        }
        None => return Err(damaged("it lists no special_tokens".to_owned())),
    };
    for (at, token) in tokens.iter().enumerate() {
        if token.rank >= special {
            let rank = token.rank;
            return Err(damaged(format!(
                "rank {rank} is not below {special} (at /special_tokens/{at}/rank)"
            )));
        }
        draft.claim(token.rank, token.token_str.clone().into_bytes(), Role::Control)?;
    }
    for id in 0..special {
        if draft.slots.get(id as usize).is_none_or(|slot| slot.role == Role::Hole) {
            draft.claim(id, format!("<SPECIAL_{id}>").into_bytes(), Role::Control)?;
        }
    }
    for (at, token) in file.vocab.iter().take(ordinary as usize).enumerate() {
        if token.rank as usize != at {
            return Err(damaged(format!(
                "rank {} is out of order (at /vocab/{at}/rank)",
                token.rank
            )));
        }
        let bytes = STANDARD.decode(&token.token_bytes).map_err(|error| {
            damaged(format!("the token is not base64: {error} (at /vocab/{at}/token_bytes)"))
        })?;
        draft.claim(special + token.rank, bytes, Role::Learned)?;
    }
    if let Some(id) = draft.find(END.as_bytes()).filter(|&id| id < special) {
        draft.end_tokens.push((EndToken::Id(id), origin.file.clone()));
    }
    companions.read(&mut draft, |_| None)?;
    Ok(draft)
}
