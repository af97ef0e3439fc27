//! Grammars: opened, asked and written.

use std::ffi::c_char;
use std::ptr;
use std::sync::OnceLock;
use std::time::Duration;

use grammarc_artifacts::{Buffer, GrammarArtifact, write};
use grammarc_bindings::failure::Failure;
use grammarc_bindings::progress::Progress;
use grammarc_bindings::report::of_grammar;
use grammarc_runtime::error::BytesError;
use grammarc_runtime::{ByteMatcher, Grammar};

use crate::args::{self, answer, array, ask, counted, object};
use crate::error::{grammarc_error, grammarc_status, make, report};
use crate::out_params::{Text, write_out};
use crate::vocabulary::{GRAMMARC_NO_MMAP, grammarc_vocabulary, unknown_flags};

/// A compiled grammar with all its token masks.
///
/// Immutable: any number of threads may use it at once. Counted: grammarc_grammar_retain() and grammarc_grammar_free().
/// Matchers hold their own, and it holds its vocabulary.
#[derive(Debug)]
pub struct grammarc_grammar {
    given: Grammar,
    /// The computation of its masks, where it is an unmasked grammar.
    progress: Option<Progress>,
    findings: Text,
    report: OnceLock<Text>,
}

impl grammarc_grammar {
    pub(crate) fn new(given: Grammar, findings: Text) -> Self {
        Self { given, progress: None, findings, report: OnceLock::new() }
    }

    /// The same, of which the masks are still computed.
    pub(crate) fn begun(given: Grammar, findings: Text, progress: Option<Progress>) -> Self {
        Self { progress, ..Self::new(given, findings) }
    }

    /// The grammar: complete as soon as its masks are there.
    pub(crate) fn inner(&self) -> &Grammar {
        self.given.completed().unwrap_or(&self.given)
    }

    /// The artifact with all masks, for which it waits.
    fn complete(&self) -> Result<&GrammarArtifact, Failure> {
        if let Some(progress) = &self.progress {
            progress.wait(None)?;
        }
        Ok(self.inner().artifact())
    }

    fn opened(artifact: GrammarArtifact) -> *mut Self {
        counted(Self::new(Grammar::from_artifact(artifact), Text::new("[]")))
    }
}

/// Write the vocabulary into the file, so that it can be opened without one.
pub const GRAMMARC_STANDALONE: u32 = 1;

/// Opens a `.gmask` file: with the vocabulary that it was compiled for, or with NULL where it has one in it. `flags`: 0 or
/// GRAMMARC_NO_MMAP. GRAMMARC_MISMATCH for another vocabulary's. Milliseconds at most, the file being checked as a whole.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_open(
    path: *const c_char,
    length: usize,
    vocabulary: *const grammarc_vocabulary,
    flags: u32,
    out: *mut *mut grammarc_grammar,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let path = args::path(path, length)?;
            let vocabulary = vocabulary.as_ref().map(|one| one.inner.artifact());
            let artifact = match (vocabulary, flags) {
                (Some(vocabulary), 0) => GrammarArtifact::open(&path, vocabulary),
                (Some(vocabulary), GRAMMARC_NO_MMAP) => GrammarArtifact::read(&path, vocabulary),
                (None, 0) => GrammarArtifact::open_standalone(&path),
                (None, GRAMMARC_NO_MMAP) => GrammarArtifact::read_standalone(&path),
                _ => return Err(unknown_flags(flags)),
            };
            Ok(grammarc_grammar::opened(artifact?))
        })
    }
}

/// A grammar from the bytes of a `.gmask` file, which are copied. As grammarc_grammar_open() otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_from_bytes(
    bytes: *const u8,
    length: usize,
    vocabulary: *const grammarc_vocabulary,
    out: *mut *mut grammarc_grammar,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let buffer = Buffer::from_bytes(array("the bytes", bytes, length)?);
            let artifact = match vocabulary.as_ref() {
                Some(vocabulary) => {
                    GrammarArtifact::from_buffer(buffer, vocabulary.inner.artifact())
                }
                None => GrammarArtifact::from_standalone(buffer),
            };
            Ok(grammarc_grammar::opened(artifact?))
        })
    }
}

/// Whether all masks are there. A grammar of a compiler with GRAMMARC_EARLY is used before they are. True for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_is_complete(grammar: *const grammarc_grammar) -> bool {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(grammar, true, |grammar| grammar.progress.as_ref().is_none_or(Progress::is_complete))
    }
}

/// Waits until all masks are there, for so many milliseconds at most, or as long as it takes where they are 0; `*complete`, which
/// may be NULL, says whether they are. An error says why they will not come: the grammar goes on then, with masks that take
/// longer. Any number of threads may wait at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_wait(
    grammar: *const grammarc_grammar,
    timeout_ms: u64,
    complete: *mut bool,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        report(error, || {
            let grammar = object("the grammar", grammar)?;
            let most = (timeout_ms > 0).then(|| Duration::from_millis(timeout_ms));
            let waited = grammar.progress.as_ref().map(|progress| progress.wait(most));
            write_out(complete, waited.transpose()?.unwrap_or(true));
            Ok(())
        })
    }
}

/// Writes the `.gmask` file, whole or not at all. `flags`: 0 or GRAMMARC_STANDALONE. Waits for the masks of a grammar that is not
/// complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_write(
    grammar: *const grammarc_grammar,
    path: *const c_char,
    length: usize,
    flags: u32,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        report(error, || {
            let artifact = object("the grammar", grammar)?.complete()?;
            let path = args::path(path, length)?;
            match flags {
                0 => write::replace(&path, artifact.container().buffer())?,
                GRAMMARC_STANDALONE => write::replace(&path, &artifact.to_standalone()?)?,
                _ => return Err(unknown_flags(flags)),
            }
            Ok(())
        })
    }
}

/// The bytes of the `.gmask` file, for whose masks it waits. Live as long as the grammar. NULL for NULL, and where the masks will
/// not come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_bytes(
    grammar: *const grammarc_grammar,
    length: *mut usize,
) -> *const u8 {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(grammar, ptr::null(), |grammar| {
            let Ok(artifact) = grammar.complete() else { return ptr::null() };
            let buffer = artifact.container().buffer();
            write_out(length, buffer.len());
            buffer.as_ptr()
        })
    }
}

/// One more holder. Returns the grammar.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_retain(
    grammar: *const grammarc_grammar,
) -> *mut grammarc_grammar {
    // SAFETY: the caller keeps the header's rules.
    unsafe { args::retain(grammar) }
}

/// One holder less; the last one frees it. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_free(grammar: *mut grammarc_grammar) {
    // SAFETY: the caller keeps the header's rules.
    unsafe { args::release(grammar) }
}

/// The vocabulary that it was compiled for: one more holder of it, for grammarc_vocabulary_free(). NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_vocabulary(
    grammar: *const grammarc_grammar,
) -> *mut grammarc_vocabulary {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(grammar, ptr::null_mut(), |grammar| {
            counted(grammarc_vocabulary::new(grammar.inner().vocabulary().clone()))
        })
    }
}

/// Checksum of the artifact, 32 bytes, for whose masks it waits: equal for equal grammars of one vocabulary. Does nothing for NULL,
/// and where the masks will not come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_digest(
    grammar: *const grammarc_grammar,
    digest: *mut u8,
) {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(grammar, (), |grammar| {
            let place: *mut [u8; 32] = digest.cast();
            if let Ok(artifact) = grammar.complete() {
                write_out(place, artifact.checksum());
            }
        });
    }
}

/// The verdict on each keyword of the source, and the bounds on the work of a step: a JSON object with `language`,
/// `bytes`, `keywords` (a list of `pointer`, `keyword`, `verdict`, which is `exact`, `annotation`, `approximate` or
/// `narrower`, and where there is one, `reason`) and `bound` (`longest_chain`, `most_configurations`, `state_bytes`;
/// null where it grows). Lives as long as the grammar. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_report_json(
    grammar: *const grammarc_grammar,
    length: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        ask(grammar, ptr::null(), |grammar| {
            let made = || Text::new(of_grammar(grammar.inner().artifact()));
            grammar.report.get_or_init(made).lend(length)
        })
    }
}

/// The findings of the compilation, as grammarc_error_json() has them; an empty array for a grammar that was
/// opened. Lives as long as the grammar. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_findings_json(
    grammar: *const grammarc_grammar,
    length: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the header's rules.
    unsafe { ask(grammar, ptr::null(), |grammar| grammar.findings.lend(length)) }
}

/// Whether a whole text is one of the grammar. GRAMMARC_REFUSED where it is not; `*offset`, which may be NULL, is then that of the
/// first byte that is wrong, or `length` where more has to follow. Linear in the text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_check(
    grammar: *const grammarc_grammar,
    text: *const c_char,
    length: usize,
    offset: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        answer(grammar, |grammar| {
            let bytes = match array("the text", text.cast::<u8>(), length) {
                Ok(bytes) => bytes,
                Err(fault) => return fault.status(),
            };
            let mut matcher = ByteMatcher::new(grammar.inner());
            let (status, at) = match matcher.accept(bytes) {
                Ok(()) if matcher.is_accepting() => return grammarc_status::GRAMMARC_OK,
                Ok(()) => (grammarc_status::GRAMMARC_REFUSED, length),
                Err(BytesError::Refused { at }) => (grammarc_status::GRAMMARC_REFUSED, at),
                Err(BytesError::Limit { at, .. }) => (grammarc_status::GRAMMARC_LIMIT, at),
                Err(_) => return grammarc_status::GRAMMARC_INTERNAL,
            };
            write_out(offset, at);
            status
        })
    }
}
