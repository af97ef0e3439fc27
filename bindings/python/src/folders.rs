//! Folders of artifacts, which are found by their digests.

use std::path::PathBuf;
use std::time::Duration;

use grammarc_bindings::folders::ArtifactFolders;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::raise;

/// Folders with artifacts, searched again after `seconds` at the soonest. `grammarc.ArtifactFolders` is built on it.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Folders {
    inner: ArtifactFolders,
}

/// A file of a grammar, the fingerprint of its vocabulary, and a file of that vocabulary.
type Found<'py> = (PathBuf, Bound<'py, PyBytes>, Option<PathBuf>);

#[pymethods]
impl Folders {
    #[new]
    fn new(folders: Vec<PathBuf>, seconds: f64) -> PyResult<Self> {
        let interval = Duration::try_from_secs_f64(seconds);
        let interval = interval.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { inner: ArtifactFolders::new(folders, interval) })
    }

    /// Returns the grammar artifact with a digest, or None.
    fn find<'py>(&self, py: Python<'py>, digest: [u8; 32]) -> PyResult<Option<Found<'py>>> {
        raise::guarded(py, || {
            let found = py.detach(|| self.inner.find(digest));
            Ok(found.map(|found| (found.path, PyBytes::new(py, &found.of[0]), found.vocabulary)))
        })
    }
}
