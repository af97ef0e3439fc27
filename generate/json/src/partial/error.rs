//! The error of a text that is the beginning of no JSON.

/// Why a text is the beginning of no JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at byte {at}")]
pub struct PartialError {
    /// The place, in bytes.
    pub at: usize,
    /// The fault in words.
    pub message: String,
}
