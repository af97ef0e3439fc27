//! Vocabularies from tokenizers, and from lists of tokens.

use std::ffi::c_char;

use grammarc_bindings::vocabulary;
use grammarc_compiler::vocabulary::{Companion, Listed, TokenizerFormat, VocabularyOptions};

use crate::args::{self, array, optional};
use crate::error::{Fault, grammarc_error, grammarc_status, make};
use crate::options::{self, growing};
use crate::vocabulary::grammarc_vocabulary;

/// The format of a tokenizer.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_tokenizer_format {
    /// Detected from the first bytes.
    GRAMMARC_FORMAT_DETECT = 0,
    /// `tokenizer.json` of Hugging Face's tokenizers.
    GRAMMARC_FORMAT_TOKENIZER_JSON = 1,
    /// Ranks of tiktoken: lines of base64 and rank. Special tokens are given in the options.
    GRAMMARC_FORMAT_TIKTOKEN = 2,
    /// A GGUF model. The bytes before the tensors are enough.
    GRAMMARC_FORMAT_GGUF = 3,
    /// A SentencePiece model, `tokenizer.model`.
    GRAMMARC_FORMAT_SENTENCEPIECE = 4,
    /// `tekken.json` of mistral-common.
    GRAMMARC_FORMAT_TEKKEN = 5,
}

/// A file beside the tokenizer in a model's folder.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_companion {
    /// `tokenizer_config.json`.
    GRAMMARC_TOKENIZER_CONFIG = 0,
    /// `added_tokens.json`.
    GRAMMARC_ADDED_TOKENS = 1,
    /// `generation_config.json`.
    GRAMMARC_GENERATION_CONFIG = 2,
    /// `config.json`.
    GRAMMARC_MODEL_CONFIG = 3,
}

/// A text by pointer and length. NUL is an ordinary byte, and no final NUL is needed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_text {
    /// First byte. May be NULL if the length is 0.
    pub data: *const c_char,
    /// Length in bytes.
    pub length: usize,
}

/// The content of a file beside a tokenizer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_companion_text {
    /// The file, one of `grammarc_companion`.
    pub companion: u32,
    /// The content of the file, JSON.
    pub json: grammarc_text,
}

/// A special token by name and id.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_special_token {
    /// Name.
    pub name: grammarc_text,
    /// Id.
    pub id: u32,
}

/// Facts about a vocabulary that its files do not contain. Set all bytes to zero, the default of every field, and then
/// `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_vocabulary_options {
    /// `sizeof(grammarc_vocabulary_options)`.
    pub struct_size: usize,
    /// Length of the model's logit row, in tokens. Default: the length in the files, else the number of tokens.
    pub logit_width: u32,
    /// Must be zero.
    pub reserved: u32,
    /// Name for people. Default: the name of the file.
    pub name: grammarc_text,
    /// Ids that end a sequence, in place of the files' own. A matcher may have others. NULL: the ids in the files.
    pub end_tokens: *const u32,
    /// Length of `end_tokens`.
    pub end_token_count: usize,
    /// Ids that are text although they look special.
    pub text_ids: *const u32,
    /// Length of `text_ids`.
    pub text_id_count: usize,
    /// Ids that are special although they look like text.
    pub special_ids: *const u32,
    /// Length of `special_ids`.
    pub special_id_count: usize,
    /// Ids that no mask may allow.
    pub unused_ids: *const u32,
    /// Length of `unused_ids`.
    pub unused_id_count: usize,
    /// Additional special tokens, for tokenizer files without a list of them.
    pub special_tokens: *const grammarc_special_token,
    /// Length of `special_tokens`.
    pub special_token_count: usize,
    /// The files beside the tokenizer.
    pub companions: *const grammarc_companion_text,
    /// Length of `companions`.
    pub companion_count: usize,
}

growing!(grammarc_vocabulary_options);

/// Converts the options of a caller.
///
/// # Safety
///
/// `given` is NULL or a struct with valid arrays.
unsafe fn read(given: *const grammarc_vocabulary_options) -> Result<VocabularyOptions, Fault> {
    let given = options::read(given)?;
    let mut options = VocabularyOptions::new();
    options = options::set(options, given.logit_width, VocabularyOptions::logit_width);
    if given.name.length > 0 {
        options = options.name(args::text("the name", given.name.data, given.name.length)?);
    }
    if let Some(ends) = optional("end_tokens", given.end_tokens, given.end_token_count)? {
        options = options.end_tokens(ends.iter().copied());
    }
    let ids = |what, data, count| array::<u32>(what, data, count).map(|ids| ids.to_vec());
    options = options
        .text_ids(ids("text_ids", given.text_ids, given.text_id_count)?)
        .special_ids(ids("special_ids", given.special_ids, given.special_id_count)?)
        .unused_ids(ids("unused_ids", given.unused_ids, given.unused_id_count)?);
    for one in array("special_tokens", given.special_tokens, given.special_token_count)? {
        let name = args::text("a special token", one.name.data, one.name.length)?;
        options = options.special_token(name, one.id);
    }
    for one in array("companions", given.companions, given.companion_count)? {
        let companion = match one.companion {
            0 => Companion::TokenizerConfig,
            1 => Companion::AddedTokens,
            2 => Companion::GenerationConfig,
            3 => Companion::Config,
            other => return Err(Fault::argument(format!("there is no companion {other}"))),
        };
        let json = array("a companion", one.json.data.cast::<u8>(), one.json.length)?;
        options = options.companion(companion, json);
    }
    Ok(options)
}

/// Builds a vocabulary from the content of a tokenizer's file. `format` is one of `grammarc_tokenizer_format`; `options`
/// may be NULL. Takes about a second for a large tokenizer, so save the result with grammarc_vocabulary_write().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_import(
    format: u32,
    bytes: *const u8,
    length: usize,
    options: *const grammarc_vocabulary_options,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let format = match format {
            0 => None,
            1 => Some(TokenizerFormat::TokenizerJson),
            2 => Some(TokenizerFormat::Ranks),
            3 => Some(TokenizerFormat::Gguf),
            4 => Some(TokenizerFormat::SentencePiece),
            5 => Some(TokenizerFormat::Tekken),
            _ => return Err(Fault::argument(format!("there is no tokenizer format {format}"))),
        };
        let bytes = array("the tokenizer", bytes, length)?;
        let imported = vocabulary::import_bytes(format, bytes, &read(options)?, None)?;
        Ok(grammarc_vocabulary::imported(imported))
    })
}

/// Builds a vocabulary from a tokenizer's file or a model's folder, as grammarc_vocabulary_import() does. The files beside
/// the tokenizer are read as well, for end tokens and the logit width. `path` is UTF-8. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_import_file(
    path: *const c_char,
    length: usize,
    options: *const grammarc_vocabulary_options,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let path = args::text("the path", path, length)?;
        Ok(grammarc_vocabulary::imported(vocabulary::import(path, &read(options)?, None)?))
    })
}

/// Builds a vocabulary from a list of `count` tokens.
///
/// Token `i` has the bytes `data[offsets[i]]` up to, but not including, `data[offsets[i + 1]]`. `offsets` has `count + 1`
/// numbers in non-decreasing order. `kinds` has `count` numbers, each one of `grammarc_token_kind`; if it is NULL, every
/// token is text. A token without bytes is an unused id. `options` may be NULL; its `end_tokens` are the ids that end a
/// sequence.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_from_tokens(
    data: *const u8,
    offsets: *const u64,
    kinds: *const u8,
    count: usize,
    options: *const grammarc_vocabulary_options,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let length = count.checked_add(1);
        let length = length.ok_or_else(|| Fault::argument("as many tokens as numbers"))?;
        let offsets = array("the offsets", offsets, length)?;
        if let Some(at) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            let text = format!("token {at} ends before it begins: the offsets go down");
            return Err(Fault::argument(text));
        }
        let length = usize::try_from(offsets[count]).unwrap_or(usize::MAX);
        let data = array("the data", data, length)?;
        let kinds = optional("the kinds", kinds, count)?;
        let listed = |at: usize| match kinds.map_or(0, |kinds| kinds[at]) {
            0 => Ok(Listed::Text),
            1 => Ok(Listed::Special),
            2 => Ok(Listed::Unused),
            3 => Ok(Listed::Added),
            kind => Err(Fault::argument(format!("token {at} has the kind {kind}: none is"))),
        };
        let token = |at: usize| {
            let bytes = &data[offsets[at] as usize..offsets[at + 1] as usize];
            Ok((bytes, listed(at)?))
        };
        let tokens: Vec<(&[u8], Listed)> = (0..count).map(token).collect::<Result<_, Fault>>()?;
        let imported = vocabulary::from_tokens(tokens, &read(options)?, None)?;
        Ok(grammarc_vocabulary::imported(imported))
    })
}
