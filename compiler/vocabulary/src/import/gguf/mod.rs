//! Reads GGUF models of llama.cpp, whose metadata contain the vocabulary.
//!
//! The bytes of a token are those that llama.cpp prints for it. The metadata name the spelling of normal tokens and
//! give each token a type:
//!
//! | type | bytes | claim |
//! | --- | --- | --- |
//! | normal (1) | by the spelling: `gpt2` has the alphabet of `byte_level`, `llama` and `gemma4` write a space `▁` | learned |
//! | unknown (2), control (3) | the name | control |
//! | user-defined (4) | the name as it stands | added |
//! | unused (5), undefined (0) | the name | unused |
//! | byte (6) | the one of `<0xNN>` | learned |
//!
//! Tokens at which llama.cpp ends a generation by their names (`ends`) are control tokens, whatever their type. One
//! case differs from llama.cpp: a normal token of `gpt2` with characters outside the alphabet (Command R has 1,403). It
//! denotes its UTF-8, as in the tokenizer that it was converted from; llama.cpp prints a placeholder. Types are only as
//! good as the converter: rows that pad the logits have various text types, and `resolve_tokens` recognizes them by
//! their names.
//!
//! Tests: `tests/gguf.rs` of this crate.

mod ends;
mod header;

use std::io::Read;

use crate::byte_level;
use crate::decoder::{named_byte, spaced};
use crate::draft::{Draft, Role};
use crate::error::VocabularyError;
use crate::findings::{dummy_prefix, readable};
use crate::names::is_control_piece;
use crate::options::EndToken;

use super::companions::Companions;
use super::format::TokenizerFormat;
use super::origin::Origin;

use header::{Fault, Value};

const MODEL: &str = "tokenizer.ggml.model";
const PRE_TOKENIZER: &str = "tokenizer.ggml.pre";
const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const SPACE_PREFIX: &str = "tokenizer.ggml.add_space_prefix";
const NAME: &str = "general.name";
const ARCHITECTURE: &str = "general.architecture";
/// The end of the key of the logit width, which begins with the architecture.
const WIDTH: &str = ".vocab_size";

/// The keys of end tokens: the end of a text, of a turn and of a message to a tool, and a list of several.
const END_TOKENS: [&str; 4] = [
    "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.eot_token_id",
    "tokenizer.ggml.eom_token_id",
    "tokenizer.ggml.eos_token_ids",
];

/// Pre-tokenizers of `gpt2` vocabularies that nevertheless have SentencePiece's spelling.
const SPACED_PRE_TOKENIZERS: [&[u8]; 3] = [b"gemma4", b"granite-embed-multi-311m", b"sarvam-moe"];

/// The number of the type of control tokens.
const CONTROL: i64 = 3;

/// How normal tokens are converted to bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// Tokens are written in the byte alphabet of GPT-2.
    ByteLevel,
    /// Tokens are written as text, with `▁` for a space.
    Spaced,
}

/// Reads the vocabulary from the metadata of a model. Nothing after the metadata is read. Fails if the metadata are
/// damaged or have no vocabulary with fixed bytes.
pub(super) fn read(
    input: impl Read,
    origin: Origin,
    companions: &Companions,
) -> Result<Draft, VocabularyError> {
    let metadata = match header::read(input, wanted) {
        Ok(entries) => Metadata(entries),
        Err(Fault::Damage(problem)) => return Err(damaged(&origin, problem)),
        Err(Fault::Input(source)) => {
            return Err(VocabularyError::Read { path: origin.file.into(), source });
        }
    };
    let spelling = spelling(&metadata, &origin)?;
    let tokens = tokens(&metadata, &origin)?;
    let name = metadata.text(NAME).and_then(|name| str::from_utf8(name).ok());
    let mut draft = origin.draft(name.filter(|name| !name.is_empty()));
    for (at, token) in tokens.names.iter().enumerate() {
        let kind = tokens.types.map_or(1, |types| types[at]);
        let (bytes, role) = claim(spelling, token, kind)
            .map_err(|problem| damaged(&origin, format!("token {at} {problem}")))?;
        draft.claim(at as u32, bytes, role)?;
    }
    for key in END_TOKENS {
        let ids = metadata.numbers(key).iter().filter_map(|&id| u32::try_from(id).ok());
        draft.end_tokens.extend(ids.map(|id| (EndToken::Id(id), key.to_owned())));
    }
    let control = (0..).zip(tokens.names).zip(tokens.types.into_iter().flatten());
    let control = control.filter(|(_, kind)| **kind == CONTROL);
    let ends = ends::ids(control.map(|((id, name), _)| (id, name.as_slice())));
    draft.end_tokens.extend(ends.map(|id| (EndToken::Id(id), origin.file.clone())));
    companions.read(&mut draft, |content| {
        Some(match spelling {
            Spelling::ByteLevel => content.as_bytes().to_vec(),
            Spelling::Spaced => spaced(content.as_bytes()),
        })
    })?;
    if draft.logit_width.is_none() {
        draft.logit_width = metadata.width(tokens.names.len());
    }
    let prefix = metadata.flag(SPACE_PREFIX);
    if prefix.unwrap_or(metadata.text(MODEL) == Some(b"llama")) {
        draft.findings.push(dummy_prefix());
    }
    Ok(draft)
}

fn damaged(origin: &Origin, problem: String) -> VocabularyError {
    let expected = TokenizerFormat::Gguf.usual_name();
    VocabularyError::Damaged { file: origin.file.clone(), expected, problem }
}

fn wanted(key: &[u8], list: bool) -> bool {
    let named = [MODEL, PRE_TOKENIZER, TOKENS, TYPES, SPACE_PREFIX, NAME, ARCHITECTURE];
    let mut keys = named.iter().chain(&END_TOKENS);
    keys.any(|wanted| wanted.as_bytes() == key) || (!list && key.ends_with(WIDTH.as_bytes()))
}

/// Returns how the model's normal tokens are converted to bytes. Fails if the vocabulary is missing, or if its tokens
/// have no fixed bytes.
fn spelling(metadata: &Metadata, origin: &Origin) -> Result<Spelling, VocabularyError> {
    let refuse =
        |format, help| Err(VocabularyError::Format { file: origin.file.clone(), format, help });
    let Some(model) = metadata.text(MODEL) else {
        return refuse(
            "a GGUF file without a vocabulary".to_owned(),
            "a model's first file has it, and projectors, adapters and matrices have none",
        );
    };
    let spaced =
        metadata.text(PRE_TOKENIZER).is_some_and(|pre| SPACED_PRE_TOKENIZERS.contains(&pre));
    match model {
        b"gpt2" if !spaced => Ok(Spelling::ByteLevel),
        b"gpt2" | b"llama" | b"gemma4" => Ok(Spelling::Spaced),
        b"bert" => refuse(
            "a GGUF model with a `bert` vocabulary".to_owned(),
            "its tokens have no fixed bytes: what they spell depends on their neighbours",
        ),
        _ => refuse(
            format!("a GGUF model with a {} vocabulary", readable(model)),
            "`gpt2`, `llama` and `gemma4` are; take the tokenizer of the model it was made from, or list the tokens",
        ),
    }
}

/// The tokens of a model, indexed by id, and their types if the file has them.
struct Tokens<'m> {
    names: &'m [Vec<u8>],
    types: Option<&'m [i64]>,
}

/// Returns the tokens of a model and their types. Fails if the entry of the tokens is no list of strings, or if there
/// are types for some tokens only.
fn tokens<'m>(metadata: &'m Metadata, origin: &Origin) -> Result<Tokens<'m>, VocabularyError> {
    let Some(Value::Texts(names)) = metadata.get(TOKENS) else {
        return Err(damaged(origin, format!("{TOKENS} is no list of strings")));
    };
    let types = match metadata.get(TYPES) {
        None => None,
        Some(Value::Numbers(types)) if types.len() >= names.len() => Some(types.as_slice()),
        Some(_) => {
            let problem =
                format!("{TYPES} is no list of a number for each of {} tokens", names.len());
            return Err(damaged(origin, problem));
        }
    };
    Ok(Tokens { names, types })
}

/// Returns the bytes and the role of a token, by its text and type. Fails if the type is unknown, or if a byte token
/// names no byte.
fn claim(spelling: Spelling, token: &[u8], kind: i64) -> Result<(Vec<u8>, Role), String> {
    let text = || str::from_utf8(token).ok();
    Ok(match kind {
        1 | 4 if ends::ends_by_name(token) => (token.to_vec(), Role::Control),
        1 => match spelling {
            Spelling::ByteLevel => {
                (text().map_or(token.to_vec(), byte_level::bytes_of), Role::Learned)
            }
            Spelling::Spaced if text().is_some_and(is_control_piece) => {
                (token.to_vec(), Role::Added)
            }
            Spelling::Spaced => (spaced(token), Role::Learned),
        },
        2 | CONTROL => (token.to_vec(), Role::Control),
        4 => (token.to_vec(), Role::Added),
        0 | 5 => (token.to_vec(), Role::Unused),
        6 => match named_byte(token) {
            Some(byte) => (vec![byte], Role::Learned),
            None => {
                return Err(format!("has the type of bytes, and {} names none", readable(token)));
            }
        },
        _ => return Err(format!("has the unknown type {kind}")),
    })
}

/// The kept entries of the metadata, each with its key.
struct Metadata(Vec<(Vec<u8>, Value)>);

impl Metadata {
    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(found, _)| found == key.as_bytes()).map(|(_, value)| value)
    }

    fn text(&self, key: &str) -> Option<&[u8]> {
        match self.get(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key) {
            Some(&Value::Flag(flag)) => Some(flag),
            _ => None,
        }
    }

    fn numbers(&self, key: &str) -> &[i64] {
        match self.get(key) {
            Some(Value::Number(number)) => std::slice::from_ref(number),
            Some(Value::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    /// Returns the logit width, with its key, if the metadata state more logits than there are tokens. A smaller number
    /// is out of date, since tokens were added: llama.cpp has a logit for each token. `None` then.
    fn width(&self, tokens: usize) -> Option<(u32, String)> {
        let architecture = str::from_utf8(self.text(ARCHITECTURE)?).ok()?;
        let key = format!("{architecture}{WIDTH}");
        let &width = self.numbers(&key).first()?;
        let width = u32::try_from(width).ok().filter(|&width| width as usize > tokens)?;
        Some((width, key))
    }
}
