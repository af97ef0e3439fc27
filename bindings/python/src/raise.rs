//! Converts failures to Python exceptions.
//!
//! The exceptions are classes of the Python module `grammarc._errors`, because most have two bases, such as
//! `ValueError` besides ours. A panic would become a `PanicException`, which is not an `Exception` and bypasses the
//! handlers of servers; [`guarded`] makes it an `InternalError`.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use grammarc_agents::prompts::PromptError;
use grammarc_artifacts::Error as ArtifactError;
use grammarc_bindings::failure::{Failure, Kind, chain};
use grammarc_compiler::cache::LayerError;
use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_compiler::vocabulary::VocabularyError;
use grammarc_cuda::CudaError;
use grammarc_generate::GenerateError;
use grammarc_runtime::error::{AcceptError, BatchError, BufferError, LimitError, OptionsError};
use pyo3::exceptions::{PyIndexError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

const MODULE: &str = "grammarc._errors";

/// Runs work, and converts a panic to an `InternalError`.
pub(crate) fn guarded<R>(py: Python<'_>, work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            let text = text.unwrap_or_else(|| "no message".to_owned());
            Err(exception(py, "InternalError", (format!("this is a defect of grammarc: {text}"),)))
        }
    }
}

/// Returns an exception of ours, by the name of its class.
fn exception<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    let made = py.import(MODULE).and_then(|module| module.getattr(class)?.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Returns the exception of an invalid schema.
pub(crate) fn source(py: Python<'_>, message: String) -> PyErr {
    exception(py, "SourceError", (message,))
}

/// Returns the exception of a text that was not repaired; the candidates are outcomes as JSON.
pub(crate) fn not_repaired(py: Python<'_>, message: String, candidates: Vec<String>) -> PyErr {
    exception(py, "RepairError", (message, candidates))
}

/// Returns the exception of a text that no JSON starts with, with the offset in bytes.
pub(crate) fn no_json(py: Python<'_>, message: String, at: usize) -> PyErr {
    exception(py, "PartialError", (message, at))
}

/// Returns the exception of an unavailable device, or of a failed call.
pub(crate) fn cuda(py: Python<'_>, error: &CudaError) -> PyErr {
    let text = error.to_string();
    match error {
        CudaError::Full { .. } | CudaError::Rows { .. } => {
            exception(py, "LimitError", (text, "pool"))
        }
        CudaError::Early
        | CudaError::OtherGrammar
        | CudaError::OtherEnds
        | CudaError::Slot { .. }
        | CudaError::Drafts { .. }
        | CudaError::Words { .. } => PyValueError::new_err(text),
        _ => exception(py, "DeviceError", (text,)),
    }
}

/// Returns the exception of an output without an action.
pub(crate) fn no_action(py: Python<'_>, message: String) -> PyErr {
    exception(py, "ActionError", (message,))
}

/// Returns the exception of a prompt that failed to render, or of a response of the wrong kind.
pub(crate) fn prompt(py: Python<'_>, error: PromptError) -> PyErr {
    exception(py, "PromptError", (error.to_string(),))
}

/// Returns the exception of a generation that cannot start or continue.
pub(crate) fn generation(py: Python<'_>, error: &GenerateError) -> PyErr {
    let text = error.to_string();
    match error {
        GenerateError::Params(_)
        | GenerateError::Options(_)
        | GenerateError::Row(_)
        | GenerateError::EmptyPrompt => PyValueError::new_err(text),
        GenerateError::TooFewTokens { .. } => {
            exception(py, "LimitError", (text, "max_tokens", PyList::empty(py)))
        }
        GenerateError::NoEnding => no_ending(py, text),
        _ => exception(py, "GrammarcError", (text,)),
    }
}

/// Returns the exception of a failure of the compiler or of a file.
pub(crate) fn failure(py: Python<'_>, failure: &Failure) -> PyErr {
    let message = chain(failure);
    match (failure, failure.kind()) {
        (Failure::Source { diagnostics, .. }, kind) => {
            let list = match diagnostics_of(py, diagnostics) {
                Ok(list) => list,
                Err(error) => return error,
            };
            match kind {
                Kind::Timeout => exception(py, "CompileTimeout", (message, "time", list)),
                Kind::Cancelled => exception(py, "Cancelled", (message,)),
                Kind::Limit => {
                    exception(py, "LimitError", (message, failure.limit().unwrap_or("size"), list))
                }
                _ => exception(py, "SourceError", (message, list)),
            }
        }
        (Failure::Artifact(error), _) => artifact(py, error),
        (Failure::Vocabulary(VocabularyError::Read { source, .. }), _)
        | (Failure::Read { source, .. }, _) => io_error(source, message),
        (Failure::Vocabulary(VocabularyError::NotFound { .. }), _) => {
            pyo3::exceptions::PyFileNotFoundError::new_err(message)
        }
        (Failure::Argument(_), _) => PyValueError::new_err(message),
        _ => exception(py, "SourceError", (message, PyList::empty(py))),
    }
}

/// Returns the exception of an artifact.
pub(crate) fn artifact(py: Python<'_>, error: &ArtifactError) -> PyErr {
    let message = chain(error);
    match error {
        ArtifactError::Io { source, .. } => io_error(source, message),
        ArtifactError::VocabularyMismatch { .. } | ArtifactError::SharedRulesMismatch { .. } => {
            exception(py, "VocabularyMismatch", (message,))
        }
        _ => exception(py, "ArtifactError", (message,)),
    }
}

/// Returns the exception of an unusable folder of built artifacts.
pub(crate) fn layer(py: Python<'_>, error: &LayerError) -> PyErr {
    exception(py, "ArtifactError", (chain(error),))
}

/// Returns the subclass of `OSError` for this kind of error.
fn io_error(source: &io::Error, message: String) -> PyErr {
    match source.raw_os_error() {
        Some(number) => PyOSError::new_err((number, message)),
        None => PyOSError::new_err(message),
    }
}

/// Returns the exception of a limit of a matcher.
pub(crate) fn limit(py: Python<'_>, limit: LimitError) -> PyErr {
    exception(py, "LimitError", (limit.to_string(), "matcher", PyList::empty(py)))
}

/// Returns the exception of a token that was not accepted.
pub(crate) fn refused(py: Python<'_>, token: i64, error: AcceptError) -> PyErr {
    match error {
        AcceptError::Limit(limit) => self::limit(py, limit),
        other => {
            let message = match other {
                AcceptError::Finished { .. } => "follows the end of the sequence",
                AcceptError::OutOfRange { .. } => "is outside of the logit row",
                _ => "is not allowed here",
            };
            exception(py, "TokenRefused", (format!("token {token} {message}"), token))
        }
    }
}

/// Returns the exception of a text that was not accepted, with the offset of the byte.
pub(crate) fn text_refused(py: Python<'_>, message: String, offset: usize) -> PyErr {
    exception(py, "TextRefused", (message, offset))
}

/// Returns the exception of a failed search for an ending.
pub(crate) fn no_ending(py: Python<'_>, message: String) -> PyErr {
    exception(py, "LimitError", (message, "ending", PyList::empty(py)))
}

/// Returns the exception of invalid options of a matcher.
pub(crate) fn options(error: OptionsError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the exception of a row of logits with the wrong width.
pub(crate) fn buffer(error: BufferError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the exception of an invalid batch.
pub(crate) fn batch(error: BatchError) -> PyErr {
    let text = error.to_string();
    match error {
        BatchError::Row { .. } => PyIndexError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Returns diagnostics as a list of the named tuples of the Python side.
pub(crate) fn diagnostics_of<'py>(
    py: Python<'py>,
    diagnostics: &[Diagnostic],
) -> PyResult<Bound<'py, PyList>> {
    let class = py.import(MODULE)?.getattr("Diagnostic")?;
    let list = PyList::empty(py);
    for one in diagnostics {
        let span = one.labels.first().map(|label| (label.span.start, label.span.end));
        list.append(class.call1((
            one.code,
            one.severity.name(),
            &one.message,
            one.help.as_deref(),
            one.pointer.as_deref(),
            span,
            one.within().map(|source| &*source.name),
        ))?)?;
    }
    Ok(list)
}
