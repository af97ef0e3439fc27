//! Vocabularies: open, query and write.

use std::ffi::c_char;
use std::ptr;

use grammarc_artifacts::sections::vocabulary::TokenKind;
use grammarc_artifacts::{Buffer, VocabularyArtifact, write};
use grammarc_bindings::report;
use grammarc_bindings::vocabulary::Imported;
use grammarc_compiler::diagnostics::Source;
use grammarc_runtime::Vocabulary;

use crate::args::{self, array, object};
use crate::error::{self, Fault, grammarc_error, grammarc_status, make};
use crate::handles::{ask, counted, release, retain};
use crate::out_params::{Text, lend, write_out};

/// The tokens of one tokenizer, and the masks that all its grammars share.
///
/// Immutable: any number of threads may use it at once. Counted: free each reference that you get, or add with
/// grammarc_vocabulary_retain(), with grammarc_vocabulary_free(). Compilers and grammars keep their vocabulary alive.
#[derive(Debug)]
pub struct grammarc_vocabulary {
    pub(crate) inner: Vocabulary,
    name: Text,
    findings: Text,
}

impl grammarc_vocabulary {
    pub(crate) fn new(inner: Vocabulary) -> Self {
        Self { name: Text::new(inner.name()), inner, findings: Text::new("[]") }
    }

    pub(crate) fn imported(imported: Imported) -> *mut Self {
        let source = Source::new(imported.vocabulary.name(), "");
        let findings = Text::new(report::of_findings(&source, &imported.findings));
        counted(Self { findings, ..Self::new(imported.vocabulary) })
    }
}

/// Flag: read the file into memory instead of mapping it. Truncating a mapped file crashes the process, so set this flag for
/// files that others may overwrite in place, for example on network shares.
pub const GRAMMARC_NO_MMAP: u32 = 1;

/// The kind of a token.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_token_kind {
    /// Text: the token adds its bytes to the output.
    GRAMMARC_TOKEN_TEXT = 0,
    /// A control token. Its bytes are its name, which never matches text.
    GRAMMARC_TOKEN_SPECIAL = 1,
    /// An unused id. No mask allows it.
    GRAMMARC_TOKEN_UNUSED = 2,
    /// A token that was added to the tokenizer without the flag `special`; valid only in grammarc_vocabulary_from_tokens().
    /// The token counts as text, unless it looks like a control marker, such as `<think>` or `[INST]`.
    GRAMMARC_TOKEN_ADDED = 3,
}

use grammarc_token_kind::*;

/// Opens a `.gvocab` file. `flags` is 0 or GRAMMARC_NO_MMAP. Takes some milliseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_open(
    path: *const c_char,
    length: usize,
    flags: u32,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let path = args::path(path, length)?;
        let artifact = match flags {
            0 => VocabularyArtifact::open(&path),
            GRAMMARC_NO_MMAP => VocabularyArtifact::read(&path),
            _ => return Err(unknown_flags(flags)),
        };
        Ok(counted(grammarc_vocabulary::new(Vocabulary::from(artifact?))))
    })
}

pub(crate) fn unknown_flags(flags: u32) -> Fault {
    Fault::argument(format!("the flags {flags:#x} have a bit that means nothing here"))
}

/// Opens a vocabulary from the content of a `.gvocab` file. The bytes are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_from_bytes(
    bytes: *const u8,
    length: usize,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let buffer = Buffer::from_bytes(array("the bytes", bytes, length)?);
        let artifact = VocabularyArtifact::from_buffer(buffer)?;
        Ok(counted(grammarc_vocabulary::new(Vocabulary::from(artifact))))
    })
}

/// Writes a `.gvocab` file atomically: an existing file is replaced completely, or stays as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_write(
    vocabulary: *const grammarc_vocabulary,
    path: *const c_char,
    length: usize,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    error::report(error, || {
        let vocabulary = object("the vocabulary", vocabulary)?;
        let path = args::path(path, length)?;
        Ok(write::replace(&path, vocabulary.inner.artifact().container().buffer())?)
    })
}

/// Returns the content of the `.gvocab` file. The bytes live as long as the vocabulary. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_bytes(
    vocabulary: *const grammarc_vocabulary,
    length: *mut usize,
) -> *const u8 {
    ask(vocabulary, ptr::null(), |vocabulary| {
        lend(vocabulary.inner.artifact().container().buffer(), length)
    })
}

/// Adds a reference, and returns the vocabulary. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_retain(
    vocabulary: *const grammarc_vocabulary,
) -> *mut grammarc_vocabulary {
    retain(vocabulary)
}

/// Removes a reference; the last one frees the vocabulary. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_free(vocabulary: *mut grammarc_vocabulary) {
    release(vocabulary)
}

/// Returns the length of the model's logit row, in tokens. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_logit_width(
    vocabulary: *const grammarc_vocabulary,
) -> u32 {
    ask(vocabulary, 0, |vocabulary| vocabulary.inner.logit_width())
}

/// Returns the number of token ids, which begin at 0. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_token_count(
    vocabulary: *const grammarc_vocabulary,
) -> u32 {
    ask(vocabulary, 0, |vocabulary| vocabulary.inner.artifact().token_count())
}

/// Returns the name for people, in UTF-8 with a final NUL. The text lives as long as the vocabulary. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_name(
    vocabulary: *const grammarc_vocabulary,
    length: *mut usize,
) -> *const c_char {
    ask(vocabulary, ptr::null(), |vocabulary| vocabulary.name.lend(length))
}

/// Returns the ids that end a sequence by default, ascending. A matcher may have others. The array lives as long as the
/// vocabulary. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_end_tokens(
    vocabulary: *const grammarc_vocabulary,
    count: *mut usize,
) -> *const u32 {
    ask(vocabulary, ptr::null(), |vocabulary| lend(vocabulary.inner.end_tokens(), count))
}

/// Returns the bytes of a token; for a special token, its name. The bytes live as long as the vocabulary. NULL for an unknown
/// id, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_token(
    vocabulary: *const grammarc_vocabulary,
    id: u32,
    length: *mut usize,
) -> *const u8 {
    ask(vocabulary, ptr::null(), |vocabulary| {
        let vocabulary = &vocabulary.inner;
        let is_known = id < vocabulary.artifact().token_count();
        if is_known { lend(vocabulary.token_bytes(id), length) } else { ptr::null() }
    })
}

/// Returns the kind of a token. GRAMMARC_TOKEN_UNUSED for an unknown id, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_token_kind(
    vocabulary: *const grammarc_vocabulary,
    id: u32,
) -> grammarc_token_kind {
    ask(vocabulary, GRAMMARC_TOKEN_UNUSED, |vocabulary| {
        let artifact = vocabulary.inner.artifact();
        match (id < artifact.token_count()).then(|| artifact.token_kind(id)) {
            Some(TokenKind::Text) => GRAMMARC_TOKEN_TEXT,
            Some(TokenKind::Special) => GRAMMARC_TOKEN_SPECIAL,
            _ => GRAMMARC_TOKEN_UNUSED,
        }
    })
}

/// Writes the fingerprint of the vocabulary to `fingerprint`, which has space for 32 bytes. Writes nothing for NULL.
///
/// The fingerprint is a hash of the bytes and kinds of all tokens, the end tokens and the logit width. Grammars fit every
/// vocabulary with the fingerprint of their own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_fingerprint(
    vocabulary: *const grammarc_vocabulary,
    fingerprint: *mut u8,
) {
    ask(vocabulary, (), |vocabulary| {
        write_out(fingerprint.cast(), vocabulary.inner.artifact().fingerprint());
    });
}

/// Returns the decisions and warnings of the tokenizer's import, in the format of grammarc_error_json(). The text lives as
/// long as the vocabulary. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_findings_json(
    vocabulary: *const grammarc_vocabulary,
    length: *mut usize,
) -> *const c_char {
    ask(vocabulary, ptr::null(), |vocabulary| vocabulary.findings.lend(length))
}
