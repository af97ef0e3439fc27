//! Grammars: open, query and write.

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

use crate::args::{self, array, object};
use crate::error::grammarc_status::{self, *};
use crate::error::{grammarc_error, make, report, status_of};
use crate::handles::{ask, counted, release, retain};
use crate::out_params::{Text, lend, write_out};
use crate::vocabulary::{GRAMMARC_NO_MMAP, grammarc_vocabulary, unknown_flags};

/// A compiled grammar with all its token masks.
///
/// Immutable: any number of threads may use it at once. Counted: grammarc_grammar_retain() and grammarc_grammar_free().
/// Matchers keep their grammar alive, and a grammar keeps its vocabulary alive.
#[derive(Debug)]
pub struct grammarc_grammar {
    given: Grammar,
    /// The computation of the masks, for an unmasked grammar.
    progress: Option<Progress>,
    findings: Text,
    report: OnceLock<Text>,
}

impl grammarc_grammar {
    pub(crate) fn new(given: Grammar, findings: Text) -> Self {
        Self { given, progress: None, findings, report: OnceLock::new() }
    }

    /// Returns a grammar whose masks may still be computed.
    pub(crate) fn begun(given: Grammar, findings: Text, progress: Option<Progress>) -> Self {
        Self { progress, ..Self::new(given, findings) }
    }

    /// Returns the grammar, with all masks as soon as they are computed.
    pub(crate) fn inner(&self) -> &Grammar {
        self.given.completed().unwrap_or(&self.given)
    }

    /// Waits for the masks, and returns the complete artifact.
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

/// Flag: include the vocabulary in the file, so that the file can be opened alone.
pub const GRAMMARC_STANDALONE: u32 = 1;

/// Opens a `.gmask` file.
///
/// `vocabulary` is the vocabulary of the compilation, or NULL if the file includes its vocabulary. `flags` is 0 or
/// GRAMMARC_NO_MMAP. GRAMMARC_MISMATCH if the file belongs to another vocabulary. The whole file is verified, which takes
/// milliseconds at most.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_open(
    path: *const c_char,
    length: usize,
    vocabulary: *const grammarc_vocabulary,
    flags: u32,
    out: *mut *mut grammarc_grammar,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
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

/// Opens a grammar from the content of a `.gmask` file, as grammarc_grammar_open() does. The bytes are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_from_bytes(
    bytes: *const u8,
    length: usize,
    vocabulary: *const grammarc_vocabulary,
    out: *mut *mut grammarc_grammar,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let buffer = Buffer::from_bytes(array("the bytes", bytes, length)?);
        let artifact = match vocabulary.as_ref() {
            Some(vocabulary) => GrammarArtifact::from_buffer(buffer, vocabulary.inner.artifact()),
            None => GrammarArtifact::from_standalone(buffer),
        };
        Ok(grammarc_grammar::opened(artifact?))
    })
}

/// Whether all masks are computed. Only a grammar of a compiler with GRAMMARC_EARLY can be incomplete. True for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_is_complete(grammar: *const grammarc_grammar) -> bool {
    ask(grammar, true, |grammar| grammar.progress.as_ref().is_none_or(Progress::is_complete))
}

/// Waits until all masks are computed, at most `timeout_ms` milliseconds; 0 means no limit.
///
/// `*complete` is whether they are; `complete` may be NULL. If their computation has failed, the call fails with its error, and
/// the grammar stays usable with slower masks. Any number of threads may wait at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_wait(
    grammar: *const grammarc_grammar,
    timeout_ms: u64,
    complete: *mut bool,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    report(error, || {
        let grammar = object("the grammar", grammar)?;
        let most = (timeout_ms > 0).then(|| Duration::from_millis(timeout_ms));
        let waited = grammar.progress.as_ref().map(|progress| progress.wait(most));
        write_out(complete, waited.transpose()?.unwrap_or(true));
        Ok(())
    })
}

/// Writes a `.gmask` file atomically: an existing file is replaced completely, or stays as it is. `flags` is 0 or
/// GRAMMARC_STANDALONE. Waits for the masks of an incomplete grammar.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_write(
    grammar: *const grammarc_grammar,
    path: *const c_char,
    length: usize,
    flags: u32,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
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

/// Returns the content of the `.gmask` file, and waits for the masks of an incomplete grammar. The bytes live as long as the
/// grammar. NULL for NULL, and if the computation of the masks has failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_bytes(
    grammar: *const grammarc_grammar,
    length: *mut usize,
) -> *const u8 {
    ask(grammar, ptr::null(), |grammar| {
        let Ok(artifact) = grammar.complete() else { return ptr::null() };
        lend(artifact.container().buffer(), length)
    })
}

/// Adds a reference, and returns the grammar. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_retain(
    grammar: *const grammarc_grammar,
) -> *mut grammarc_grammar {
    retain(grammar)
}

/// Removes a reference; the last one frees the grammar. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_free(grammar: *mut grammarc_grammar) {
    release(grammar)
}

/// Returns the grammar's vocabulary, as a new reference: free it with grammarc_vocabulary_free(). NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_vocabulary(
    grammar: *const grammarc_grammar,
) -> *mut grammarc_vocabulary {
    ask(grammar, ptr::null_mut(), |grammar| {
        counted(grammarc_vocabulary::new(grammar.inner().vocabulary().clone()))
    })
}

/// Writes the checksum of the artifact to `digest`, which has space for 32 bytes. Equal grammars of one vocabulary have equal
/// checksums.
///
/// Waits for the masks of an incomplete grammar. Writes nothing for NULL, and if the computation of the masks has failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_digest(
    grammar: *const grammarc_grammar,
    digest: *mut u8,
) {
    ask(grammar, (), |grammar| {
        if let Ok(artifact) = grammar.complete() {
            write_out(digest.cast(), artifact.checksum());
        }
    });
}

/// Returns a report on the source and the grammar: a JSON object with `language`, `bytes`, `keywords` and `bound`.
///
/// `keywords` lists objects with `pointer`, `keyword`, `verdict` and an optional `reason`. A verdict is `exact`, `annotation`,
/// `approximate` or `narrower`. `bound` limits the work of a step: `longest_chain` and `most_configurations`, each null if it is
/// unbounded, and `state_bytes`. The text lives as long as the grammar. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_report_json(
    grammar: *const grammarc_grammar,
    length: *mut usize,
) -> *const c_char {
    ask(grammar, ptr::null(), |grammar| {
        let made = || Text::new(of_grammar(grammar.inner().artifact()));
        grammar.report.get_or_init(made).lend(length)
    })
}

/// Returns the findings of the compilation, in the format of grammarc_error_json(). An opened grammar has an empty array. The
/// text lives as long as the grammar. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_findings_json(
    grammar: *const grammarc_grammar,
    length: *mut usize,
) -> *const c_char {
    ask(grammar, ptr::null(), |grammar| grammar.findings.lend(length))
}

/// Checks whether a complete text matches the grammar.
///
/// GRAMMARC_REFUSED if it does not, and GRAMMARC_LIMIT if it exceeds the default limits of a matcher. `*offset` is then the
/// offset of the offending byte, or `length` if the text is incomplete; `offset` may be NULL. O(length).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_grammar_check(
    grammar: *const grammarc_grammar,
    text: *const c_char,
    length: usize,
    offset: *mut usize,
) -> grammarc_status {
    status_of(|| {
        let mut matcher = ByteMatcher::new(object("the grammar", grammar)?.inner());
        let (status, at) = match matcher.accept(array("the text", text.cast::<u8>(), length)?) {
            Ok(()) if matcher.is_accepting() => return Ok(GRAMMARC_OK),
            Ok(()) => (GRAMMARC_REFUSED, length),
            Err(BytesError::Refused { at }) => (GRAMMARC_REFUSED, at),
            Err(BytesError::Limit { at, .. }) => (GRAMMARC_LIMIT, at),
            Err(_) => return Ok(GRAMMARC_INTERNAL),
        };
        write_out(offset, at);
        Ok(status)
    })
}
