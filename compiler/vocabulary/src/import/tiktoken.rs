//! Reads rank files of tiktoken: one line `base64 rank` for each token. The rank is the id.
//!
//! A rank file contains no special tokens: the programs that use it define them, so the options give them. The tokens
//! are bytes encoded as base64, and need no other decoding.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::draft::{Draft, Role};
use crate::error::VocabularyError;
use crate::options::{EndToken, VocabularyOptions};

use super::companions::Companions;
use super::origin::Origin;

/// The end token of every published rank file. It is used if the options list it among the special tokens and no
/// companion names an end token.
const END_OF_TEXT: &str = "<|endoftext|>";

/// Reads a rank file, and the companion files beside it. Fails at the first malformed line.
pub(super) fn read(
    text: &[u8],
    origin: Origin,
    companions: &Companions,
    options: &VocabularyOptions,
) -> Result<Draft, VocabularyError> {
    let mut draft = origin.draft(None);
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let (bytes, rank) = parse(line).map_err(|problem| VocabularyError::RankFile {
            file: origin.file.clone(),
            line: number,
            problem,
        })?;
        draft.claim(rank, bytes, Role::Learned)?;
    }
    companions.read(&mut draft, |_| None)?;
    if draft.end_tokens.is_empty()
        && let Some((text, id)) =
            options.special_tokens.iter().find(|(text, _)| text == END_OF_TEXT)
    {
        draft.end_tokens.push((EndToken::Id(*id), format!("the special token {text}")));
    }
    Ok(draft)
}

fn parse(line: &[u8]) -> Result<(Vec<u8>, u32), String> {
    let mut fields = line.split(|&byte| byte == b' ');
    let (Some(token), Some(rank), None) = (fields.next(), fields.next(), fields.next()) else {
        return Err("it has not two fields".to_owned());
    };
    let bytes =
        STANDARD.decode(token).map_err(|error| format!("the token is not base64: {error}"))?;
    let rank = str::from_utf8(rank).ok().and_then(|rank| rank.parse().ok());
    Ok((bytes, rank.ok_or("the rank is not a whole number of 32 bits")?))
}
