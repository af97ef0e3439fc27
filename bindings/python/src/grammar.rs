//! Grammars.

use std::path::PathBuf;

use grammarc_artifacts::{Buffer, GrammarArtifact, WorkBound, write};
use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_runtime::ByteMatcher;
use grammarc_runtime::error::BytesError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::matcher::Matcher;
use crate::raise;
use crate::vocabulary::Vocabulary;

/// A compiled grammar with all its token masks. Immutable, and safe to share between threads.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Grammar {
    inner: grammarc_runtime::Grammar,
    findings: Vec<Diagnostic>,
    /// The artifact's file, where it was opened from one.
    path: Option<PathBuf>,
}

impl Grammar {
    pub(crate) fn compiled(inner: grammarc_runtime::Grammar, findings: Vec<Diagnostic>) -> Self {
        Self { inner, findings, path: None }
    }

    fn of(artifact: GrammarArtifact, path: Option<PathBuf>) -> Self {
        let inner = grammarc_runtime::Grammar::from_artifact(artifact);
        Self { inner, findings: Vec::new(), path }
    }
}

#[pymethods]
impl Grammar {
    /// Opens a grammar artifact: with the vocabulary that it was compiled for, or alone where it has one in it.
    #[staticmethod]
    #[pyo3(signature = (path, vocabulary = None, *, mmap = true))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        vocabulary: Option<Bound<'_, Vocabulary>>,
        mmap: bool,
    ) -> PyResult<Self> {
        let vocabulary = vocabulary.map(|one| one.get().inner().artifact().clone());
        raise::guarded(py, || {
            let opened = py.detach(|| {
                let artifact = match (vocabulary, mmap) {
                    (Some(vocabulary), true) => GrammarArtifact::open(&path, &vocabulary),
                    (Some(vocabulary), false) => GrammarArtifact::read(&path, &vocabulary),
                    (None, true) => GrammarArtifact::open_standalone(&path),
                    (None, false) => GrammarArtifact::read_standalone(&path),
                };
                artifact.map(|artifact| Self::of(artifact, Some(path)))
            });
            opened.map_err(|error| raise::artifact(py, &error))
        })
    }

    /// A grammar from the bytes of its artifact.
    #[staticmethod]
    #[pyo3(signature = (data, vocabulary = None))]
    fn from_bytes(
        py: Python<'_>,
        data: &[u8],
        vocabulary: Option<Bound<'_, Vocabulary>>,
    ) -> PyResult<Self> {
        let vocabulary = vocabulary.map(|one| one.get().inner().artifact().clone());
        raise::guarded(py, || {
            let buffer = Buffer::from_bytes(data);
            let opened = py.detach(|| match vocabulary {
                Some(vocabulary) => GrammarArtifact::from_buffer(buffer, &vocabulary),
                None => GrammarArtifact::from_standalone(buffer),
            });
            let artifact = opened.map_err(|error| raise::artifact(py, &error))?;
            Ok(Self::of(artifact, None))
        })
    }

    /// Writes the artifact to a file, whole or not at all; with its vocabulary in it where `standalone`.
    #[pyo3(signature = (path, *, standalone = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, standalone: bool) -> PyResult<()> {
        raise::guarded(py, || {
            let saved = py.detach(|| write::replace(&path, &self.buffer(standalone)?));
            saved.map_err(|error| raise::artifact(py, &error))
        })
    }

    /// The bytes of the artifact; with its vocabulary in it where `standalone`.
    #[pyo3(signature = (*, standalone = false))]
    fn to_bytes<'py>(&self, py: Python<'py>, standalone: bool) -> PyResult<Bound<'py, PyBytes>> {
        let buffer = self.buffer(standalone).map_err(|error| raise::artifact(py, &error))?;
        Ok(PyBytes::new(py, &buffer))
    }

    /// What the grammar makes of each keyword of its source: pointer, keyword, verdict, reason.
    fn report_entries(&self) -> Vec<(String, String, &'static str, String)> {
        let entries = self.inner.artifact().meta().report.entries().map(|entry| {
            let [pointer, keyword, reason] =
                [entry.pointer, entry.keyword, entry.reason].map(str::to_owned);
            (pointer, keyword, entry.verdict.name(), reason)
        });
        entries.collect()
    }

    /// Bounds on the work of a step: the longest follow chain and the most configurations, none where they grow, and the
    /// bytes of a sequence.
    fn bounds(&self) -> (Option<u32>, Option<u32>, u64) {
        let bound = &self.inner.artifact().meta().work;
        let number = |number: u32| (number != WorkBound::UNBOUNDED).then_some(number);
        (number(bound.longest_chain), number(bound.most_configurations), bound.state_bytes)
    }

    /// Language of its source.
    #[getter]
    fn language(&self) -> &str {
        &self.inner.artifact().meta().source_kind
    }

    /// The file that it was opened from.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// Checksum of the artifact: equal for equal grammars of one vocabulary.
    #[getter]
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.artifact().checksum())
    }

    /// The vocabulary that it was compiled for.
    #[getter]
    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::new(self.inner.vocabulary().clone())
    }

    /// What was noticed when the source was compiled. Grammars that were opened have none.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        raise::diagnostics_of(py, &self.findings)
    }

    /// A matcher at the start of a sequence.
    #[pyo3(signature = (*, end_tokens = None, logit_width = None, rollback_window = 1024))]
    fn matcher(
        &self,
        end_tokens: Option<crate::tokens::Ids>,
        logit_width: Option<u32>,
        rollback_window: usize,
    ) -> PyResult<Matcher> {
        Matcher::new(&self.inner, end_tokens, logit_width, rollback_window)
    }

    /// Raises `TextRefused` where a text is not one of the grammar, with the offset of the first byte that is wrong, or of
    /// the end where more would have to follow.
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
                Err(error) => {
                    let (BytesError::Refused { at } | BytesError::Limit { at, .. }) = error else {
                        return Err(raise::text_refused(py, error.to_string(), 0));
                    };
                    Err(raise::text_refused(py, error.to_string(), at))
                }
            }
        })
    }

    fn __repr__(&self) -> String {
        let artifact = self.inner.artifact();
        let (kind, bytes) = (&artifact.meta().source_kind, artifact.container().buffer().len());
        format!("Grammar({kind}, {bytes} bytes, {:?})", self.inner.vocabulary().name())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner.artifact().checksum() == other.inner.artifact().checksum()
    }

    fn __hash__(&self) -> u64 {
        let bytes = self.inner.artifact().checksum();
        bytes.iter().take(8).fold(0, |hash, &byte| hash << 8 | u64::from(byte))
    }
}

impl Grammar {
    fn buffer(&self, standalone: bool) -> Result<Buffer, grammarc_artifacts::Error> {
        let artifact = self.inner.artifact();
        match standalone {
            true => artifact.to_standalone(),
            false => Ok(artifact.container().buffer().clone()),
        }
    }
}

/// A text, as `str` or as bytes.
#[derive(FromPyObject)]
enum Text {
    Str(String),
    Bytes(Vec<u8>),
}

impl Text {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Str(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}
