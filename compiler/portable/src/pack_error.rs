//! The error of a malformed pack.

/// The error that a pack, a file with the rules of one provider or engine, is malformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pack is malformed at {}: {message}", if pointer.is_empty() { "its root" } else { pointer })]
pub struct PackError {
    /// The JSON pointer into the pack.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

/// Returns the error that a part of the pack at `pointer` is wrong.
pub(crate) fn error(pointer: &str, message: impl Into<String>) -> PackError {
    PackError { pointer: pointer.to_owned(), message: message.into() }
}
