//! Grammars.

use std::ptr;

use grammarc_artifacts::{AlignedBytes, Buffer, GrammarArtifact, ReportEntry, WorkBound};
use grammarc_runtime::{ByteMatcher, Grammar, Vocabulary};

use crate::failure::{self, OK};
use crate::json;
use crate::memory::{room, with};

/// Opens a grammar artifact, with the vocabulary that it was compiled for or, if that is null, with the one in it. The
/// buffer is taken over, also by a call that fails.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_grammar_open(
    bytes: *mut AlignedBytes,
    vocabulary: *const Vocabulary,
) -> *mut Grammar {
    let buffer = Buffer::from(*Box::from_raw(bytes));
    let artifact = match vocabulary.as_ref() {
        Some(vocabulary) => GrammarArtifact::from_buffer(buffer, vocabulary.artifact()),
        None => GrammarArtifact::from_standalone(buffer),
    };
    match artifact {
        Ok(artifact) => Box::into_raw(Box::new(Grammar::from_artifact(artifact))),
        Err(error) => {
            failure::artifact(&error);
            ptr::null_mut()
        }
    }
}

/// Frees a handle. Matchers and splitters keep the grammar.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_grammar_free(grammar: *mut Grammar) {
    drop(Box::from_raw(grammar));
}

/// Returns a handle of the grammar's vocabulary.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_grammar_vocabulary(grammar: *const Grammar) -> *mut Vocabulary {
    Box::into_raw(Box::new((*grammar).vocabulary().clone()))
}

/// Leaves the digest of the artifact as bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_grammar_digest(grammar: *const Grammar) {
    let digest = (*grammar).artifact().checksum();
    with(|memory| digest.as_slice().clone_into(&mut memory.bytes));
}

/// Leaves as text an object with `language`, `keywords` and `bound`, in which `null` is unbounded.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_grammar_report(grammar: *const Grammar) {
    let meta = (*grammar).artifact().meta();
    let mut out = String::from("{\"language\":");
    json::string(&mut out, &meta.source_kind);
    out.push_str(",\"keywords\":");
    json::list(&mut out, meta.report.entries(), |out, entry| {
        let ReportEntry { pointer, keyword, verdict, reason } = entry;
        json::list(out, [pointer, keyword, verdict.name(), reason], json::string);
    });
    let number = |number: u32| (number != WorkBound::UNBOUNDED).then_some(number);
    let WorkBound { longest_chain, most_configurations, state_bytes, .. } = meta.work;
    out.push_str(",\"bound\":{\"longestChain\":");
    json::number(&mut out, number(longest_chain));
    out.push_str(",\"mostConfigurations\":");
    json::number(&mut out, number(most_configurations));
    out.push_str(",\"stateBytes\":");
    json::number(&mut out, Some(state_bytes));
    out.push_str("}}");
    with(|memory| memory.text = out);
}

/// Checks the text in the room against the grammar.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_grammar_check(grammar: *const Grammar, length: usize) -> i32 {
    let mut matcher = ByteMatcher::new(&*grammar);
    match matcher.accept(room::<u8>(length)) {
        Ok(()) if matcher.is_accepting() => OK,
        Ok(()) => failure::fail("refused", length, &"the text ends where more has to follow"),
        Err(error) => failure::bytes(error),
    }
}

/// Returns the address of the artifact's bytes, and leaves their number. They live as long as the handle.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_grammar_bytes(grammar: *const Grammar) -> *const u8 {
    let buffer = (*grammar).artifact().container().buffer();
    with(|memory| memory.number = buffer.len() as f64);
    buffer.as_ptr()
}
