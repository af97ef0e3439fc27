//! The error of a parameter of a generation.

/// A parameter that cannot be met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{parameter}: {reason}")]
pub struct ParamsError {
    /// Its name.
    pub parameter: &'static str,
    /// Why not.
    pub reason: String,
}

impl ParamsError {
    pub(crate) fn new(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self { parameter, reason: reason.into() }
    }
}
