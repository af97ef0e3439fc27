//! Vocabularies.

use std::ptr;

use grammarc_artifacts::{AlignedBytes, Buffer, TokenKind, VocabularyArtifact};
use grammarc_runtime::Vocabulary;

use crate::failure;
use crate::memory::{room, with};

/// Opens a vocabulary artifact. The buffer is taken over, also by a call that fails.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_vocabulary_open(bytes: *mut AlignedBytes) -> *mut Vocabulary {
    let buffer = Buffer::from(*Box::from_raw(bytes));
    match VocabularyArtifact::from_buffer(buffer) {
        Ok(artifact) => Box::into_raw(Box::new(Vocabulary::from(artifact))),
        Err(error) => {
            failure::artifact(&error);
            ptr::null_mut()
        }
    }
}

/// Frees a handle. Grammars and matchers keep the vocabulary.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_vocabulary_free(vocabulary: *mut Vocabulary) {
    drop(Box::from_raw(vocabulary));
}

/// Leaves the name as text, the end tokens as words, the fingerprint as bytes, and the number of tokens as number. Returns
/// the logit width.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_vocabulary_facts(vocabulary: *const Vocabulary) -> u32 {
    let vocabulary = &*vocabulary;
    with(|memory| {
        vocabulary.name().clone_into(&mut memory.text);
        vocabulary.end_tokens().clone_into(&mut memory.words);
        memory.bytes.clear();
        memory.bytes.extend(vocabulary.artifact().fingerprint());
        memory.number = f64::from(vocabulary.artifact().token_count());
    });
    vocabulary.logit_width()
}

/// Leaves the bytes of a token, or the name of a special one. Returns its kind: 0 text, 1 special, 2 unused.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_vocabulary_token(vocabulary: *const Vocabulary, token: u32) -> i32 {
    let vocabulary = &*vocabulary;
    with(|memory| vocabulary.token_bytes(token).clone_into(&mut memory.bytes));
    match vocabulary.artifact().token_kind(token) {
        TokenKind::Text => 0,
        TokenKind::Special => 1,
        TokenKind::Unused => 2,
    }
}

/// Leaves the text tokens that have the bytes in the room, ascending, or else the special token of that name.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_vocabulary_lookup(vocabulary: *const Vocabulary, length: usize) {
    let artifact = (*vocabulary).artifact();
    let bytes = room::<u8>(length);
    with(|memory| {
        artifact.lookup(bytes).clone_into(&mut memory.words);
        if memory.words.is_empty() {
            memory.words.extend(artifact.special_token(bytes));
        }
    });
}

/// Returns the address of the artifact's bytes, and leaves their number. They live as long as the handle.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_vocabulary_bytes(vocabulary: *const Vocabulary) -> *const u8 {
    let buffer = (*vocabulary).artifact().container().buffer();
    with(|memory| memory.number = buffer.len() as f64);
    buffer.as_ptr()
}
