//! The error of a parameter of a generation.

/// A parameter that is wrong or unsupported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{parameter}: {reason}")]
pub struct ParamsError {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// The reason.
    pub reason: String,
}

impl ParamsError {
    pub(crate) fn new(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self { parameter, reason: reason.into() }
    }
}
