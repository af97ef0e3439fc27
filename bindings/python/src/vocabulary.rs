//! Vocabularies.

use std::path::PathBuf;

use grammarc_artifacts::sections::vocabulary::TokenKind;
use grammarc_artifacts::{Buffer, VocabularyArtifact, write};
use grammarc_bindings::vocabulary::{self, Imported};
use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_compiler::vocabulary::{
    Companion, EndToken, Listed, TokenizerFormat, Tokens, VocabularyOptions,
};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::raise;

/// The tokens of one tokenizer, and the masks that all its grammars share. Immutable, and safe to share between threads.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Vocabulary {
    inner: grammarc_runtime::Vocabulary,
    findings: Vec<Diagnostic>,
    /// The artifact's file, if it was opened from one.
    path: Option<PathBuf>,
}

impl Vocabulary {
    pub(crate) fn new(inner: grammarc_runtime::Vocabulary) -> Self {
        Self { inner, findings: Vec::new(), path: None }
    }

    pub(crate) fn inner(&self) -> &grammarc_runtime::Vocabulary {
        &self.inner
    }

    fn of(imported: Imported) -> Self {
        Self { inner: imported.vocabulary, findings: imported.findings, path: imported.path }
    }
}

/// An id, a range of ids written as `5-9`, or a text with `*` for any text.
#[derive(FromPyObject)]
pub(crate) enum Chosen {
    Id(u32),
    Text(String),
}

impl From<Chosen> for Tokens {
    fn from(chosen: Chosen) -> Self {
        match chosen {
            Chosen::Id(id) => Self::Id(id),
            Chosen::Text(text) => Self::from(text.as_str()),
        }
    }
}

impl From<Chosen> for EndToken {
    fn from(chosen: Chosen) -> Self {
        match chosen {
            Chosen::Id(id) => Self::Id(id),
            Chosen::Text(text) => Self::Text(text),
        }
    }
}

/// A user's statements about a vocabulary, as in `VocabularyOptions`.
#[derive(FromPyObject)]
pub(crate) struct Said {
    #[pyo3(item)]
    name: Option<String>,
    #[pyo3(item)]
    logit_width: Option<u32>,
    #[pyo3(item)]
    end_tokens: Option<Vec<Chosen>>,
    #[pyo3(item)]
    text_ids: Vec<Chosen>,
    #[pyo3(item)]
    special_ids: Vec<Chosen>,
    #[pyo3(item)]
    unused_ids: Vec<Chosen>,
    /// Special tokens that the tokenizer's file does not list.
    #[pyo3(item)]
    special_tokens: Vec<(String, u32)>,
    /// Contents of the files beside the tokenizer, by name.
    #[pyo3(item)]
    companions: Vec<(String, Vec<u8>)>,
}

impl Said {
    fn options(self) -> PyResult<VocabularyOptions> {
        let said = self;
        let mut options = VocabularyOptions::new();
        if let Some(name) = said.name {
            options = options.name(name);
        }
        if let Some(width) = said.logit_width {
            options = options.logit_width(width);
        }
        if let Some(ends) = said.end_tokens {
            options = options.end_tokens(ends);
        }
        for (text, id) in said.special_tokens {
            options = options.special_token(text, id);
        }
        for (name, json) in said.companions {
            let companion = Companion::named(&name).ok_or_else(|| {
                PyValueError::new_err(format!("no file {name} is read beside a tokenizer"))
            })?;
            options = options.companion(companion, json);
        }
        options = options.text_ids(said.text_ids).special_ids(said.special_ids);
        Ok(options.unused_ids(said.unused_ids))
    }
}

/// Calls a Python function with an argument.
fn by_python<'py>(
    py: Python<'py>,
    function: &str,
    argument: Bound<'py, PyAny>,
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("grammarc.tokenizers")?.getattr(function)?;
    function.call((argument,), options.as_ref())
}

#[pymethods]
impl Vocabulary {
    /// Opens a vocabulary artifact: mapped, or read into memory in case the file may be truncated or written in
    /// place.
    #[staticmethod]
    #[pyo3(signature = (path, *, mmap = true))]
    fn open(py: Python<'_>, path: PathBuf, mmap: bool) -> PyResult<Self> {
        raise::guarded(py, || {
            let opened = py.detach(|| match mmap {
                true => VocabularyArtifact::open(&path),
                false => VocabularyArtifact::read(&path),
            });
            let artifact = opened.map_err(|error| raise::artifact(py, &error))?;
            let inner = py.detach(|| grammarc_runtime::Vocabulary::from(artifact));
            Ok(Self { inner, findings: Vec::new(), path: Some(path) })
        })
    }

    /// Opens a vocabulary from the bytes of its artifact.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        raise::guarded(py, || {
            let artifact = VocabularyArtifact::from_buffer(Buffer::from_bytes(data))
                .map_err(|error| raise::artifact(py, &error))?;
            Ok(Self::new(py.detach(|| grammarc_runtime::Vocabulary::from(artifact))))
        })
    }

    /// Imports a tokenizer's file or folder. See `grammarc.tokenizers.from_file`.
    #[staticmethod]
    #[pyo3(signature = (path, **options))]
    fn from_file<'py>(
        py: Python<'py>,
        path: Bound<'py, PyAny>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        by_python(py, "from_file", path, options)
    }

    /// Imports a tokenizer object of another library. See `grammarc.tokenizers.from_tokenizer`.
    #[staticmethod]
    #[pyo3(signature = (tokenizer, **options))]
    fn from_tokenizer<'py>(
        py: Python<'py>,
        tokenizer: Bound<'py, PyAny>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        by_python(py, "from_tokenizer", tokenizer, options)
    }

    /// Makes a vocabulary from the bytes of its tokens. See `grammarc.tokenizers.from_tokens`.
    #[staticmethod]
    #[pyo3(signature = (tokens, **options))]
    fn from_tokens<'py>(
        py: Python<'py>,
        tokens: Bound<'py, PyAny>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        by_python(py, "from_tokens", tokens, options)
    }

    /// Imports a tokenizer file, folder or built-in vocabulary.
    #[staticmethod]
    fn import_file(
        py: Python<'_>,
        spec: String,
        said: Said,
        cache: Option<PathBuf>,
    ) -> PyResult<Self> {
        raise::guarded(py, || {
            let options = said.options()?;
            let imported = py.detach(|| vocabulary::import(&spec, &options, cache.as_deref()));
            imported.map(Self::of).map_err(|error| raise::failure(py, &error))
        })
    }

    /// Imports a tokenizer in memory. Its format is given by name, or detected from its bytes.
    #[staticmethod]
    fn import_bytes(
        py: Python<'_>,
        format: Option<&str>,
        data: &[u8],
        said: Said,
        cache: Option<PathBuf>,
    ) -> PyResult<Self> {
        raise::guarded(py, || {
            let format = format.map(|name| {
                TokenizerFormat::named(name)
                    .ok_or_else(|| PyValueError::new_err(format!("no format {name}")))
            });
            let (format, options) = (format.transpose()?, said.options()?);
            let imported =
                py.detach(|| vocabulary::import_bytes(format, data, &options, cache.as_deref()));
            imported.map(Self::of).map_err(|error| raise::failure(py, &error))
        })
    }

    /// Makes a vocabulary from a list of tokens, each its bytes and whether it is `text`, `added`, `special` or
    /// `unused`.
    #[staticmethod]
    fn import_tokens(
        py: Python<'_>,
        tokens: Vec<(Vec<u8>, String)>,
        said: Said,
        cache: Option<PathBuf>,
    ) -> PyResult<Self> {
        raise::guarded(py, || {
            let listed = |(bytes, kind): (Vec<u8>, String)| match kind.as_str() {
                "text" => Ok((bytes, Listed::Text)),
                "added" => Ok((bytes, Listed::Added)),
                "special" => Ok((bytes, Listed::Special)),
                "unused" => Ok((bytes, Listed::Unused)),
                other => Err(PyValueError::new_err(format!("no kind of token {other}"))),
            };
            let tokens = tokens.into_iter().map(listed).collect::<PyResult<Vec<_>>>()?;
            let options = said.options()?;
            let imported =
                py.detach(|| vocabulary::from_tokens(tokens, &options, cache.as_deref()));
            imported.map(Self::of).map_err(|error| raise::failure(py, &error))
        })
    }

    /// Pickles the vocabulary: as its file, or else as its bytes.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        match &this.path {
            Some(path) => {
                let open = py.import("grammarc._pickle")?.getattr("open_vocabulary")?;
                let arguments = (path.as_path(), this.fingerprint(py));
                (open, arguments).into_pyobject(py)
            }
            None => {
                let from_bytes = slf.get_type().getattr("from_bytes")?;
                (from_bytes, (this.to_bytes(py),)).into_pyobject(py)
            }
        }
    }

    /// Writes the artifact to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        raise::guarded(py, || {
            let buffer = self.inner.artifact().container().buffer();
            py.detach(|| write::replace(&path, buffer)).map_err(|error| raise::artifact(py, &error))
        })
    }

    /// The bytes of the artifact.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.inner.artifact().container().buffer())
    }

    /// The name that users know the vocabulary by.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// The file that it was opened from.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// Length of the model's logit row.
    #[getter]
    fn logit_width(&self) -> u32 {
        self.inner.logit_width()
    }

    /// Ids that end a sequence unless a matcher is given others.
    #[getter]
    fn end_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.inner.end_tokens())
    }

    /// Identity of the vocabulary: token bytes and kinds by id, end tokens, logit width.
    #[getter]
    fn fingerprint<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.artifact().fingerprint())
    }

    /// The decisions and warnings of the tokenizer's import.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        raise::diagnostics_of(py, &self.findings)
    }

    fn __len__(&self) -> usize {
        self.inner.artifact().token_count() as usize
    }

    /// Bytes of a token; for a special token, its name. Empty for an id that is no token.
    fn token_bytes<'py>(&self, py: Python<'py>, id: i64) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.inner.token_bytes(self.known(id)?)))
    }

    /// Whether a token is `text`, `special` or `unused`.
    fn token_kind(&self, id: i64) -> PyResult<&'static str> {
        Ok(match self.inner.artifact().token_kind(self.known(id)?) {
            TokenKind::Text => "text",
            TokenKind::Special => "special",
            TokenKind::Unused => "unused",
        })
    }

    fn __repr__(&self) -> String {
        let (name, tokens) = (self.inner.name(), self.__len__());
        format!("Vocabulary({name:?}, {tokens} tokens, logit_width={})", self.logit_width())
    }

    /// Whether grammars of one are grammars of the other: tokens, end tokens, width and shared rules are equal.
    fn __eq__(&self, other: Bound<'_, PyAny>) -> bool {
        let identity = |one: &Self| {
            let artifact = one.inner.artifact();
            (artifact.fingerprint(), artifact.shared_digest())
        };
        other.cast::<Self>().is_ok_and(|other| identity(self) == identity(other.get()))
    }

    fn __hash__(&self) -> u64 {
        let bytes = self.inner.artifact().fingerprint();
        bytes.iter().take(8).fold(0, |hash, &byte| hash << 8 | u64::from(byte))
    }
}

impl Vocabulary {
    fn known(&self, id: i64) -> PyResult<u32> {
        let count = self.inner.artifact().token_count();
        u32::try_from(id)
            .ok()
            .filter(|&id| id < count)
            .ok_or_else(|| PyIndexError::new_err(format!("no token {id}; there are {count}")))
    }
}
