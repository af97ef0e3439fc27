//! Explanations of tokens.

use grammarc_runtime as runtime;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What may come at a place in a text, and where in the source that is said. It has no text of an output.
#[pyclass(frozen, module = "grammarc")]
pub(crate) struct Explanation(pub(crate) runtime::Explanation);

#[pymethods]
impl Explanation {
    /// Whether the token is allowed. The rest describes the place behind it then.
    #[getter]
    fn is_allowed(&self) -> bool {
        self.0.is_allowed
    }

    /// Number of bytes of the token that are allowed.
    #[getter]
    fn accepted(&self) -> usize {
        self.0.accepted
    }

    /// The byte of the token that is refused; `None` for a special token, and where no byte is.
    #[getter]
    fn byte(&self) -> Option<u8> {
        self.0.byte
    }

    /// JSON pointers to the schemas that say what comes at that place. Empty for an artifact without places.
    #[getter]
    fn places(&self) -> Vec<String> {
        self.0.places.clone()
    }

    /// Names of the grammar's rules at that place, the innermost first.
    #[getter]
    fn rules(&self) -> Vec<String> {
        self.0.rules.clone()
    }

    /// The bytes that may come there, ascending.
    #[getter]
    fn next<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.next)
    }

    /// Whether the text may end there.
    #[getter]
    fn may_end(&self) -> bool {
        self.0.may_end
    }

    /// The shortest bytes from there to an end of the text; `None` where there are none within 1,024 bytes.
    #[getter]
    fn completion<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.completion.as_ref().map(|bytes| PyBytes::new(py, bytes))
    }

    fn __repr__(&self) -> String {
        let runtime::Explanation { is_allowed, accepted, places, .. } = &self.0;
        let is_allowed = if *is_allowed { "True" } else { "False" };
        format!("Explanation(is_allowed={is_allowed}, accepted={accepted}, places={places:?})")
    }
}
