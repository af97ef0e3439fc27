//! Grammars.

use std::path::PathBuf;
use std::time::Duration;

use grammarc_artifacts::{Buffer, GrammarArtifact, WorkBound, write};
use grammarc_bindings::engine::Made;
use grammarc_bindings::progress::Progress;
use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_compiler::frontend::structural_tag::{RefusedTool, refused_tools};
use grammarc_runtime::ByteMatcher;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::matcher::Matcher;
use crate::raise;
use crate::tokens::{KnownIds, Text};
use crate::vocabulary::Vocabulary;

/// A compiled grammar with all its token masks. Immutable, and safe to share between threads.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Grammar {
    inner: grammarc_runtime::Grammar,
    /// The computation of its masks, if it is an unmasked grammar.
    progress: Option<Progress>,
    /// Set on first use if the artifact contains its vocabulary.
    vocabulary: PyOnceLock<Py<Vocabulary>>,
    findings: Vec<Diagnostic>,
    /// The artifact's file, if it was opened from one.
    path: Option<PathBuf>,
}

impl Grammar {
    pub(crate) fn compiled(
        py: Python<'_>,
        Made { grammar, findings, progress, .. }: Made,
        vocabulary: Py<Vocabulary>,
    ) -> Self {
        Self { findings, progress, ..Self::opened(py, grammar, Some(vocabulary), None) }
    }

    /// Returns the grammar of an opened artifact, with the vocabulary that it was opened with.
    fn opened(
        py: Python<'_>,
        inner: grammarc_runtime::Grammar,
        given: Option<Py<Vocabulary>>,
        path: Option<PathBuf>,
    ) -> Self {
        let vocabulary = PyOnceLock::new();
        if let Some(given) = given {
            vocabulary.get_or_init(py, || given);
        }
        Self { inner, progress: None, vocabulary, findings: Vec::new(), path }
    }

    pub(crate) fn inner(&self) -> &grammarc_runtime::Grammar {
        self.inner.completed().unwrap_or(&self.inner)
    }

    /// Waits for all masks, and returns the grammar.
    fn complete(&self, py: Python<'_>) -> PyResult<&grammarc_runtime::Grammar> {
        if let Some(progress) = &self.progress {
            let waited = py.detach(|| progress.wait(None));
            waited.map_err(|failure| raise::failure(py, &failure))?;
        }
        Ok(self.inner())
    }
}

#[pymethods]
impl Grammar {
    /// Opens a grammar artifact with the vocabulary that it was compiled for, or alone if it contains one.
    #[staticmethod]
    #[pyo3(signature = (path, vocabulary = None, *, mmap = true))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        vocabulary: Option<Bound<'_, Vocabulary>>,
        mmap: bool,
    ) -> PyResult<Self> {
        let given = vocabulary.as_ref().map(|one| one.get().inner().artifact().clone());
        raise::guarded(py, || {
            let opened = py.detach(|| {
                let artifact = match (given, mmap) {
                    (Some(vocabulary), true) => GrammarArtifact::open(&path, &vocabulary),
                    (Some(vocabulary), false) => GrammarArtifact::read(&path, &vocabulary),
                    (None, true) => GrammarArtifact::open_standalone(&path),
                    (None, false) => GrammarArtifact::read_standalone(&path),
                };
                artifact.map(grammarc_runtime::Grammar::from_artifact)
            });
            let inner = opened.map_err(|error| raise::artifact(py, &error))?;
            Ok(Self::opened(py, inner, vocabulary.map(Bound::unbind), Some(path)))
        })
    }

    /// Opens a grammar from the bytes of its artifact.
    #[staticmethod]
    #[pyo3(signature = (data, vocabulary = None))]
    fn from_bytes(
        py: Python<'_>,
        data: &[u8],
        vocabulary: Option<Bound<'_, Vocabulary>>,
    ) -> PyResult<Self> {
        let given = vocabulary.as_ref().map(|one| one.get().inner().artifact().clone());
        raise::guarded(py, || {
            let buffer = Buffer::from_bytes(data);
            let opened = py.detach(|| {
                let artifact = match given {
                    Some(vocabulary) => GrammarArtifact::from_buffer(buffer, &vocabulary),
                    None => GrammarArtifact::from_standalone(buffer),
                };
                artifact.map(grammarc_runtime::Grammar::from_artifact)
            });
            let inner = opened.map_err(|error| raise::artifact(py, &error))?;
            Ok(Self::opened(py, inner, vocabulary.map(Bound::unbind), None))
        })
    }

    /// Writes the artifact to a file, atomically. With `standalone` it contains its vocabulary.
    #[pyo3(signature = (path, *, standalone = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, standalone: bool) -> PyResult<()> {
        raise::guarded(py, || {
            let whole = self.complete(py)?;
            let saved = py.detach(|| write::replace(&path, &buffer(whole, standalone)?));
            saved.map_err(|error| raise::artifact(py, &error))
        })
    }

    /// Returns the bytes of the artifact. With `standalone` they contain its vocabulary.
    #[pyo3(signature = (*, standalone = false))]
    fn to_bytes<'py>(&self, py: Python<'py>, standalone: bool) -> PyResult<Bound<'py, PyBytes>> {
        let buffer = buffer(self.complete(py)?, standalone);
        let buffer = buffer.map_err(|error| raise::artifact(py, &error))?;
        Ok(PyBytes::new(py, &buffer))
    }

    /// Whether all masks are computed. A grammar of a compiler with ``early=True`` can be used before.
    #[getter]
    fn is_complete(&self) -> bool {
        self.progress.as_ref().is_none_or(Progress::is_complete)
    }

    /// Waits until all masks are computed. Returns false if that takes longer than `timeout` seconds. Raises if a
    /// limit was met. The grammar can still be used then, with slower masks.
    #[pyo3(signature = (timeout = None))]
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let Some(progress) = &self.progress else { return Ok(true) };
        let most = timeout.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)));
        let most = most.transpose().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let waited = py.detach(|| progress.wait(most));
        waited.map_err(|failure| raise::failure(py, &failure))
    }

    /// Returns the verdict on each keyword of the source, as `KeywordVerdict`s in source order.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let class = py.import("grammarc._report")?.getattr("KeywordVerdict")?;
        let list = PyList::empty(py);
        for entry in self.inner.artifact().meta().report.entries() {
            let fields = (entry.pointer, entry.keyword, entry.verdict.name(), entry.reason);
            list.append(class.call1(fields)?)?;
        }
        Ok(list)
    }

    /// Returns the tools of a structural tag that do not compile, as `RefusedTool`s: those that are left out, and those that
    /// are not enforced as a whole.
    #[getter]
    fn refused_tools<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let class = py.import("grammarc._report")?.getattr("RefusedTool")?;
        let list = PyList::empty(py);
        for tool in refused_tools(&self.inner.artifact().meta().report) {
            let RefusedTool { name, state, pointer, code, message } = tool;
            list.append(class.call1((name, state.name(), pointer, code, message))?)?;
        }
        Ok(list)
    }

    /// Returns bounds on the work of a step, as a `WorkBound`.
    #[getter]
    fn bound<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bound = &self.complete(py)?.artifact().meta().work;
        let number = |number: u32| (number != WorkBound::UNBOUNDED).then_some(number);
        let class = py.import("grammarc._report")?.getattr("WorkBound")?;
        let (chain, configurations) = (bound.longest_chain, bound.most_configurations);
        class.call1((number(chain), number(configurations), bound.state_bytes))
    }

    /// Returns the language of its source.
    #[getter]
    fn language(&self) -> &str {
        &self.inner.artifact().meta().source_kind
    }

    /// Returns the file that it was opened from.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// Returns the checksum of the artifact: equal for equal grammars of one vocabulary.
    #[getter]
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.complete(py)?.artifact().checksum()))
    }

    /// Returns the vocabulary that it was compiled for.
    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> PyResult<Py<Vocabulary>> {
        let own = || Py::new(py, Vocabulary::new(self.inner.vocabulary().clone()));
        Ok(self.vocabulary.get_or_try_init(py, own)?.clone_ref(py))
    }

    /// Pickles the grammar: as its file, or else as its bytes.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let vocabulary = this.vocabulary.get(py).map(|one| one.clone_ref(py));
        match &this.path {
            Some(path) => {
                let open = py.import("grammarc._pickle")?.getattr("open_grammar")?;
                (open, (path.as_path(), this.digest(py)?, vocabulary)).into_pyobject(py)
            }
            None => {
                let from_bytes = slf.get_type().getattr("from_bytes")?;
                let vocabulary = this.vocabulary(py)?;
                (from_bytes, (this.to_bytes(py, false)?, vocabulary)).into_pyobject(py)
            }
        }
    }

    /// Returns the findings of the compilation. Empty for a grammar that was opened.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        raise::diagnostics_of(py, &self.findings)
    }

    /// Returns a matcher at the start of a sequence.
    #[pyo3(signature = (*, end_tokens = None, logit_width = None, rollback_window = 1024))]
    fn matcher(
        slf: &Bound<'_, Self>,
        end_tokens: Option<KnownIds>,
        logit_width: Option<u32>,
        rollback_window: usize,
    ) -> PyResult<Matcher> {
        let ends = end_tokens.map(|ids| ids.0);
        let owner = slf.clone().into_any().unbind();
        Matcher::new(slf.get().inner(), owner, ends, logit_width, rollback_window)
    }

    /// Raises `TextRefused` if a text is not in the grammar, with the offset of the first wrong byte, or of the end
    /// if the text is incomplete.
    fn check(&self, py: Python<'_>, text: Text) -> PyResult<()> {
        raise::guarded(py, || {
            let bytes = text.bytes();
            let read = py.detach(|| {
                let mut matcher = ByteMatcher::new(&self.inner);
                matcher.accept(bytes).map(|()| matcher.is_accepting())
            });
            match read {
                Ok(true) => Ok(()),
                Ok(false) => {
                    let message = "the text ends where more has to follow".to_owned();
                    Err(raise::text_refused(py, message, bytes.len()))
                }
                Err(error) => Err(raise::text_refused(py, error.to_string(), error.offset())),
            }
        })
    }

    fn __repr__(&self) -> String {
        let artifact = self.inner.artifact();
        let (kind, bytes) = (&artifact.meta().source_kind, artifact.container().buffer().len());
        format!("Grammar({kind}, {bytes} bytes, {:?})", self.inner.vocabulary().name())
    }

    fn __eq__(&self, py: Python<'_>, other: Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let [own, other] = [self.complete(py)?, other.get().complete(py)?];
        Ok(own.artifact().checksum() == other.artifact().checksum())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let bytes = self.complete(py)?.artifact().checksum();
        Ok(bytes.iter().take(8).fold(0, |hash, &byte| hash << 8 | u64::from(byte)))
    }
}

/// Returns the bytes of a grammar's artifact.
fn buffer(
    grammar: &grammarc_runtime::Grammar,
    standalone: bool,
) -> Result<Buffer, grammarc_artifacts::Error> {
    let artifact = grammar.artifact();
    match standalone {
        true => artifact.to_standalone(),
        false => Ok(artifact.container().buffer().clone()),
    }
}
