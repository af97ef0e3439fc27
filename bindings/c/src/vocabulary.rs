//! Vocabularies: opened, asked and written.

use std::ffi::c_char;
use std::ptr;

use grammarc_artifacts::sections::vocabulary::TokenKind;
use grammarc_artifacts::{Buffer, VocabularyArtifact, write};
use grammarc_bindings::report;
use grammarc_bindings::vocabulary::Imported;
use grammarc_compiler::diagnostics::Source;
use grammarc_runtime::Vocabulary;

use crate::args::{self, array, ask, counted, object};
use crate::error::{Fault, grammarc_error, grammarc_status, make, report as reporting};
use crate::out_params::{Text, write_out};

/// The tokens of one tokenizer, and the masks that all its grammars share.
///
/// Immutable: any number of threads may use it at once. Counted: who gets one from a function that makes it, or from
/// grammarc_vocabulary_retain(), calls grammarc_vocabulary_free() once. Compilers and grammars hold their own.
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

/// Read a file into memory instead of mapping it. A file that is cut short while it is mapped ends the process; so use this
/// for files that others may write in place, on network shares for example.
pub const GRAMMARC_NO_MMAP: u32 = 1;

/// The kind of a token.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_token_kind {
    /// Text: its bytes are what it adds to the output.
    GRAMMARC_TOKEN_TEXT = 0,
    /// A control token: its bytes are its name, and it is allowed by its id alone.
    GRAMMARC_TOKEN_SPECIAL = 1,
    /// An id that no mask allows.
    GRAMMARC_TOKEN_UNUSED = 2,
    /// In lists of tokens: a token that was added to the tokenizer and is not flagged special. It is text, unless its name is
    /// that of a control marker, such as `<think>` or `[INST]`.
    GRAMMARC_TOKEN_ADDED = 3,
}

/// Opens a `.gvocab` file. `flags`: 0 or GRAMMARC_NO_MMAP. Some milliseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_open(
    path: *const c_char,
    length: usize,
    flags: u32,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
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
}

pub(crate) fn unknown_flags(flags: u32) -> Fault {
    Fault::argument(format!("the flags {flags:#x} have a bit that means nothing here"))
}

/// A vocabulary from the bytes of a `.gvocab` file, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_from_bytes(
    bytes: *const u8,
    length: usize,
    out: *mut *mut grammarc_vocabulary,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let buffer = Buffer::from_bytes(array("the bytes", bytes, length)?);
            let artifact = VocabularyArtifact::from_buffer(buffer)?;
            Ok(counted(grammarc_vocabulary::new(Vocabulary::from(artifact))))
        })
    }
}

/// Writes the `.gvocab` file, whole or not at all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_write(
    vocabulary: *const grammarc_vocabulary,
    path: *const c_char,
    length: usize,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        reporting(error, || {
            let vocabulary = object("the vocabulary", vocabulary)?;
            let path = args::path(path, length)?;
            Ok(write::replace(&path, vocabulary.inner.artifact().container().buffer())?)
        })
    }
}

/// The bytes of the `.gvocab` file. Live as long as the vocabulary. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_bytes(
    vocabulary: *const grammarc_vocabulary,
    length: *mut usize,
) -> *const u8 {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(vocabulary, ptr::null(), |vocabulary| {
            let buffer = vocabulary.inner.artifact().container().buffer();
            write_out(length, buffer.len());
            buffer.as_ptr()
        })
    }
}

/// One more holder. Returns the vocabulary.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_retain(
    vocabulary: *const grammarc_vocabulary,
) -> *mut grammarc_vocabulary {
    // SAFETY: the caller keeps the header's rules.
    unsafe { args::retain(vocabulary) }
}

/// One holder less; the last one frees it. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_free(vocabulary: *mut grammarc_vocabulary) {
    // SAFETY: the caller keeps the header's rules.
    unsafe { args::release(vocabulary) }
}

/// Length of the model's logit row. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_logit_width(
    vocabulary: *const grammarc_vocabulary,
) -> u32 {
    // SAFETY: the caller keeps the header's rules.
    unsafe { ask(vocabulary, 0, |vocabulary| vocabulary.inner.logit_width()) }
}

/// Number of ids, from 0 on. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_token_count(
    vocabulary: *const grammarc_vocabulary,
) -> u32 {
    // SAFETY: the caller keeps the header's rules.
    unsafe { ask(vocabulary, 0, |vocabulary| vocabulary.inner.artifact().token_count()) }
}

/// The name by which people know it: UTF-8 with a NUL after it. Lives as long as the vocabulary. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_name(
    vocabulary: *const grammarc_vocabulary,
    length: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the header's rules.
    unsafe { ask(vocabulary, ptr::null(), |vocabulary| vocabulary.name.lend(length)) }
}

/// The ids that end a sequence unless a matcher is given others, ascending. Live as long as the vocabulary.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_end_tokens(
    vocabulary: *const grammarc_vocabulary,
    count: *mut usize,
) -> *const u32 {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(vocabulary, ptr::null(), |vocabulary| {
            let ends = vocabulary.inner.end_tokens();
            write_out(count, ends.len());
            ends.as_ptr()
        })
    }
}

/// The bytes of a token; for a special token, its name. Live as long as the vocabulary. NULL for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_token(
    vocabulary: *const grammarc_vocabulary,
    id: u32,
    length: *mut usize,
) -> *const u8 {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(vocabulary, ptr::null(), |vocabulary| {
            if id >= vocabulary.inner.artifact().token_count() {
                return ptr::null();
            }
            let bytes = vocabulary.inner.token_bytes(id);
            write_out(length, bytes.len());
            bytes.as_ptr()
        })
    }
}

/// The kind of a token. GRAMMARC_TOKEN_UNUSED for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_token_kind(
    vocabulary: *const grammarc_vocabulary,
    id: u32,
) -> grammarc_token_kind {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(vocabulary, grammarc_token_kind::GRAMMARC_TOKEN_UNUSED, |vocabulary| {
            let artifact = vocabulary.inner.artifact();
            match (id < artifact.token_count()).then(|| artifact.token_kind(id)) {
                Some(TokenKind::Text) => grammarc_token_kind::GRAMMARC_TOKEN_TEXT,
                Some(TokenKind::Special) => grammarc_token_kind::GRAMMARC_TOKEN_SPECIAL,
                _ => grammarc_token_kind::GRAMMARC_TOKEN_UNUSED,
            }
        })
    }
}

/// Identity of the vocabulary, 32 bytes: token bytes and kinds by id, end tokens, logit width. Artifacts of one fingerprint
/// fit each other. Does nothing for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_fingerprint(
    vocabulary: *const grammarc_vocabulary,
    fingerprint: *mut u8,
) {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(vocabulary, (), |vocabulary| {
            let place: *mut [u8; 32] = fingerprint.cast();
            write_out(place, vocabulary.inner.artifact().fingerprint());
        });
    }
}

/// The decisions and warnings of the tokenizer's import, as grammarc_error_json() has them. Lives as long as the
/// vocabulary. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_vocabulary_findings_json(
    vocabulary: *const grammarc_vocabulary,
    length: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the header's rules.
    unsafe { ask(vocabulary, ptr::null(), |vocabulary| vocabulary.findings.lend(length)) }
}
