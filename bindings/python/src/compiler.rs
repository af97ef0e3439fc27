//! Compilation.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use grammarc_bindings::engine::{self, Limits, Masks, Request};
use grammarc_compiler::cache::{Cache, CacheOptions, Layer};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::grammar::Grammar;
use crate::raise;
use crate::vocabulary::Vocabulary;

/// A flag that ends a compilation from another thread.
#[pyclass(frozen, module = "grammarc")]
#[derive(Default)]
pub(crate) struct CancelToken(pub(crate) Arc<AtomicBool>);

#[pymethods]
impl CancelToken {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends all compilations with this token, within some milliseconds.
    fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    #[getter]
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Limits of a compilation, by name.
#[derive(Default)]
struct GivenLimits(Limits);

impl<'a, 'py> FromPyObject<'a, 'py> for GivenLimits {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let given = object.cast::<PyDict>()?;
        let mut limits = Limits::default();
        for (name, value) in given.iter() {
            let name: String = name.extract()?;
            match name.as_str() {
                "timeout" => {
                    let seconds: f64 = value.extract()?;
                    let time = Duration::try_from_secs_f64(seconds).map_err(|_| {
                        let text = format!("limits: a timeout of {seconds} s makes no sense");
                        pyo3::exceptions::PyValueError::new_err(text)
                    })?;
                    limits.time = Some(time);
                }
                "memory" => limits.memory = Some(value.extract()?),
                "states" => limits.states = Some(value.extract()?),
                "rules" => limits.rules = Some(value.extract()?),
                "pairs" => limits.pairs = Some(value.extract()?),
                other => {
                    let text = format!(
                        "limits: no `{other}`; there are timeout, memory, states, rules and pairs"
                    );
                    return Err(pyo3::exceptions::PyTypeError::new_err(text));
                }
            }
        }
        Ok(Self(limits))
    }
}

/// A compiler for one vocabulary with its cache. It takes a language name and options as JSON; `grammarc.Compiler` is
/// built on it.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Engine {
    inner: engine::Engine,
    vocabulary: Py<Vocabulary>,
    /// When the masks of grammars are computed.
    masks: Masks,
}

#[pymethods]
impl Engine {
    /// Makes an engine that caches artifacts in a folder, or only in memory. Folders of built artifacts are searched
    /// first.
    #[new]
    #[pyo3(signature = (vocabulary, threads, limits, folder, folder_bytes, layers, memory_entries, early, masks))]
    #[expect(clippy::too_many_arguments, reason = "all are named by the Python class")]
    fn new(
        py: Python<'_>,
        vocabulary: Bound<'_, Vocabulary>,
        threads: Option<NonZero<usize>>,
        limits: Option<GivenLimits>,
        folder: Option<PathBuf>,
        folder_bytes: Option<u64>,
        layers: Vec<PathBuf>,
        memory_entries: usize,
        early: bool,
        masks: bool,
    ) -> PyResult<Self> {
        raise::guarded(py, || {
            let limits = limits.unwrap_or_default().0;
            let mut options = CacheOptions::new().memory_entries(memory_entries);
            if let Some(folder) = folder {
                options = options.folder(folder);
            }
            if let Some(bytes) = folder_bytes {
                options = options.folder_bytes(bytes);
            }
            for layer in layers {
                let layer = Layer::open(layer);
                options = options.layer(layer.map_err(|error| raise::layer(py, &error))?);
            }
            let cache = Cache::open(options).map_err(|error| raise::artifact(py, &error))?;
            let inner = vocabulary.get().inner().clone();
            let inner = py.detach(|| engine::Engine::new(inner, threads, limits, cache));
            let masks = match (masks, early) {
                (false, _) => Masks::Never,
                (true, true) => Masks::Later,
                (true, false) => Masks::First,
            };
            Ok(Self { inner, vocabulary: vocabulary.unbind(), masks })
        })
    }

    /// Compiles a source.
    #[pyo3(signature = (language, text, options, limits, cancel))]
    fn compile(
        &self,
        py: Python<'_>,
        language: &str,
        text: &str,
        options: &str,
        limits: Option<GivenLimits>,
        cancel: Option<Bound<'_, CancelToken>>,
    ) -> PyResult<Grammar> {
        let cancel = cancel.map(|token| Arc::clone(&token.get().0));
        let limits = limits.unwrap_or_default().0;
        raise::guarded(py, || {
            let request = Request { language, text, options, limits, cancel: cancel.as_ref() };
            let made = py.detach(|| self.inner.compile(&request, self.masks));
            let made = made.map_err(|failure| raise::failure(py, &failure))?;
            Ok(Grammar::compiled(py, made, self.vocabulary.clone_ref(py)))
        })
    }

    /// Returns the key of a request. Requests with equal keys have equal results.
    fn key(&self, py: Python<'_>, language: &str, text: &str, options: &str) -> PyResult<String> {
        raise::guarded(py, || {
            let limits = Limits::default();
            let request = Request { language, text, options, limits, cancel: None };
            let key = py.detach(|| self.inner.key(&request));
            key.map_err(|failure| raise::failure(py, &failure))
        })
    }

    /// Returns the vocabulary.
    #[getter]
    fn vocabulary(&self, py: Python<'_>) -> Py<Vocabulary> {
        self.vocabulary.clone_ref(py)
    }

    /// Returns the counters, as a JSON object.
    fn stats(&self) -> String {
        serde_json::to_string(&self.inner.stats()).unwrap_or_default()
    }
}
