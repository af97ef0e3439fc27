//! Compilation.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use grammarc_bindings::engine::{self, Limits, Request};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::grammar::Grammar;
use crate::raise;
use crate::vocabulary::Vocabulary;

/// A flag by which a compilation is ended from another thread.
#[pyclass(frozen, module = "grammarc")]
#[derive(Default)]
pub(crate) struct CancelToken(Arc<AtomicBool>);

#[pymethods]
impl CancelToken {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends all compilations that were given the token, within some milliseconds.
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

/// A compiler for one vocabulary, asked by language name and options as JSON: what `grammarc.Compiler` is made of.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Engine(engine::Engine);

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (vocabulary, threads, limits))]
    fn new(
        vocabulary: &Bound<'_, Vocabulary>,
        threads: Option<NonZero<usize>>,
        limits: Option<GivenLimits>,
    ) -> Self {
        let limits = limits.unwrap_or_default().0;
        Self(engine::Engine::new(vocabulary.get().inner().clone(), threads, limits))
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
            let made = py.detach(|| self.0.compile(&request));
            let made = made.map_err(|failure| raise::failure(py, &failure))?;
            Ok(Grammar::compiled(made.grammar, made.findings))
        })
    }

    /// Counters by name.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let engine::Stats { compiled, refused, timeouts, cancelled, seconds, bytes } =
            self.0.stats();
        let stats = PyDict::new(py);
        for (name, value) in [
            ("compiled", compiled),
            ("refused", refused),
            ("timeouts", timeouts),
            ("cancelled", cancelled),
            ("bytes", bytes),
        ] {
            stats.set_item(name, value)?;
        }
        stats.set_item("seconds", seconds)?;
        Ok(stats)
    }
}
