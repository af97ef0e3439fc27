//! Vocabularies of tokenizers, and of tokens that a host lists.

use std::ffi::c_char;

use grammarc_bindings::vocabulary;
use grammarc_compiler::vocabulary::{Companion, Listed, TokenizerFormat, VocabularyOptions};

use crate::args::{self, array};
use crate::error::{Fault, grammarc_error, grammarc_status, make};
use crate::options::{self, Growing};
use crate::vocabulary::grammarc_vocabulary;

/// Formats of tokenizers.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_tokenizer_format {
    /// Told by the first bytes.
    GRAMMARC_FORMAT_DETECT = 0,
    /// `tokenizer.json` of Hugging Face's tokenizers.
    GRAMMARC_FORMAT_TOKENIZER_JSON = 1,
    /// Ranks of tiktoken: lines of base64 and rank. The special tokens are those of the options.
    GRAMMARC_FORMAT_TIKTOKEN = 2,
    /// A GGUF model, of which everything before the tensors is enough.
    GRAMMARC_FORMAT_GGUF = 3,
    /// A SentencePiece model, `tokenizer.model`.
    GRAMMARC_FORMAT_SENTENCEPIECE = 4,
    /// `tekken.json` of mistral-common.
    GRAMMARC_FORMAT_TEKKEN = 5,
}

/// Files that stand beside a tokenizer in a model's folder.
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

/// A text by pointer and length. It needs no NUL at its end and may have some in it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_text {
    /// Its first byte. May be NULL where the length is 0.
    pub data: *const c_char,
    /// Its bytes.
    pub length: usize,
}

/// The content of a file beside a tokenizer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_companion_text {
    /// Which: one of `grammarc_companion`.
    pub companion: u32,
    /// Its JSON.
    pub json: grammarc_text,
}

/// A special token by name and id.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_special_token {
    /// Its name.
    pub name: grammarc_text,
    /// Its id.
    pub id: u32,
}

/// Facts that a host knows of a vocabulary beyond its files. Zero is the default of every field: set all bytes to zero
/// and then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_vocabulary_options {
    /// `sizeof(grammarc_vocabulary_options)`.
    pub struct_size: usize,
    /// Length of the model's logit row. Default: what the files say, else the number of tokens.
    pub logit_width: u32,
    /// Zero.
    pub reserved: u32,
    /// The name by which people know it. Default: that of the file.
    pub name: grammarc_text,
    /// Ids that end a sequence, in place of those that the files name. Matchers can be given others. NULL: those of the files.
    pub end_tokens: *const u32,
    /// Number of these.
    pub end_token_count: usize,
    /// Ids that are text although they look special.
    pub text_ids: *const u32,
    /// Number of these.
    pub text_id_count: usize,
    /// Ids that are special although they look like text.
    pub special_ids: *const u32,
    /// Number of these.
    pub special_id_count: usize,
    /// Ids that no mask may allow.
    pub unused_ids: *const u32,
    /// Number of these.
    pub unused_id_count: usize,
    /// More special tokens, where the tokenizer's file lists none.
    pub special_tokens: *const grammarc_special_token,
    /// Number of these.
    pub special_token_count: usize,
    /// The texts of files that stand beside the tokenizer.
    pub companions: *const grammarc_companion_text,
    /// Number of these.
    pub companion_count: usize,
}

// SAFETY: integers and raw pointers alone, the size first.
unsafe impl Growing for grammarc_vocabulary_options {
    const NAME: &'static str = "grammarc_vocabulary_options";
}

/// The options of the caller as the compiler has them.
///
/// # Safety
///
/// NULL, or a struct whose arrays are there.
unsafe fn read(given: *const grammarc_vocabulary_options) -> Result<VocabularyOptions, Fault> {
    // SAFETY: the caller's promise, of the struct and of each array in it.
    unsafe {
        let given = options::read(given)?;
        let mut options = VocabularyOptions::new();
        if given.name.length > 0 {
            options = options.name(args::text("the name", given.name.data, given.name.length)?);
        }
        if given.logit_width > 0 {
            options = options.logit_width(given.logit_width);
        }
        if !given.end_tokens.is_null() {
            let ends = array("end_tokens", given.end_tokens, given.end_token_count)?;
            options = options.end_tokens(ends.iter().copied());
        }
        let ids = |what, data, count| array::<u32>(what, data, count).map(|ids| ids.to_vec());
        options = options
            .text_ids(ids("text_ids", given.text_ids, given.text_id_count)?)
            .special_ids(ids("special_ids", given.special_ids, given.special_id_count)?)
            .unused_ids(ids("unused_ids", given.unused_ids, given.unused_id_count)?);
        let special = array("special_tokens", given.special_tokens, given.special_token_count)?;
        for one in special {
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
}

/// Makes a vocabulary of a tokenizer in memory. `format` is one of `grammarc_tokenizer_format`; `options` may be NULL. A second
/// for a large tokenizer: keep the result with grammarc_vocabulary_write().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_import(
    format: u32,
    bytes: *const u8,
    length: usize,
    options: *const grammarc_vocabulary_options,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let format = match format {
                0 => None,
                1 => Some(TokenizerFormat::TokenizerJson),
                2 => Some(TokenizerFormat::Ranks),
                3 => Some(TokenizerFormat::Gguf),
                4 => Some(TokenizerFormat::SentencePiece),
                5 => Some(TokenizerFormat::Tekken),
                _ => {
                    return Err(Fault::argument(format!("there is no tokenizer format {format}")));
                }
            };
            let bytes = array("the tokenizer", bytes, length)?;
            let imported = vocabulary::import_bytes(format, bytes, &read(options)?, None)?;
            Ok(grammarc_vocabulary::imported(imported))
        })
    }
}

/// Makes a vocabulary of a tokenizer's file or of a model's folder. Files beside the tokenizer that name end tokens and the
/// logit width are read as well. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_import_file(
    path: *const c_char,
    length: usize,
    options: *const grammarc_vocabulary_options,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let path = args::text("the path", path, length)?;
            Ok(grammarc_vocabulary::imported(vocabulary::import(path, &read(options)?, None)?))
        })
    }
}

/// Makes a vocabulary of tokens. Those of id `i` are the bytes of `data` from `offsets[i]` up to `offsets[i + 1]`: `offsets` has
/// `count + 1` numbers, none less than the one before. `kinds` has one of `grammarc_token_kind` for each id, or is NULL: then
/// every token is text. A token without bytes is an unused id. `options` may be NULL; name the end tokens there.
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
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let ends = count.checked_add(1);
            let ends = ends.ok_or_else(|| Fault::argument("as many tokens as numbers"))?;
            let offsets = array("the offsets", offsets, ends)?;
            if let Some(at) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
                let text = format!("token {at} ends before it begins: the offsets go down");
                return Err(Fault::argument(text));
            }
            let length = usize::try_from(offsets[count]).unwrap_or(usize::MAX);
            let data = array("the data", data, length)?;
            let kinds = match kinds.is_null() {
                true => None,
                false => Some(array("the kinds", kinds, count)?),
            };
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
            let tokens: Vec<(&[u8], Listed)> =
                (0..count).map(token).collect::<Result<_, Fault>>()?;
            let imported = vocabulary::from_tokens(tokens, &read(options)?, None)?;
            Ok(grammarc_vocabulary::imported(imported))
        })
    }
}
