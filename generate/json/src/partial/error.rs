//! The error of a text that no JSON starts with.

/// An error for a text that no JSON starts with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at byte {at}")]
pub struct PartialError {
    /// Offset of the error, in bytes.
    pub at: usize,
    /// The fault.
    pub message: String,
}
