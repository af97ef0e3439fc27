//! Errors of opening a model.

use std::path::PathBuf;

use grammarc_bindings::failure::Failure;
use grammarc_compiler::vocabulary::VocabularyError;
use grammarc_generate::chat::ChatError;
use grammarc_generate::encode::TokenizerError;

/// The reason why a model cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
    /// The file is not a GGUF file, or a tensor in it cannot be read.
    #[error("the GGUF file: {0}")]
    Gguf(#[from] candle_core::Error),
    /// A metadata value is missing in the file or has the wrong type.
    #[error("the GGUF file has no {kind} `{key}`")]
    Value {
        /// Key of the metadata value.
        key: String,
        /// Name of the expected type: a text, a number, or a list.
        kind: &'static str,
    },
    /// The model has an architecture that this crate does not support.
    #[error("the architecture `{found}` is not computed here; there are {known}")]
    Architecture {
        /// Name of the model's architecture.
        found: String,
        /// Names of the supported architectures, separated by commas.
        known: String,
    },
    /// The model scales positions (to stretch its context) in a way that this crate does not
    /// support.
    #[error(
        "positions are stretched by `{found}`, which is not computed here; `none` and `linear` are"
    )]
    Stretching {
        /// Name of the file's scaling method.
        found: String,
    },
    /// A hyperparameter in the file is out of range or does not fit another one.
    #[error("the GGUF file: {0}")]
    Size(String),
    /// This crate cannot build the kind of tokenizer that the file describes.
    #[error(
        "the file's tokenizer is `{found}`, which is not made from the file: give the model's tokenizer.json"
    )]
    TokenizerKind {
        /// Name of the tokenizer's kind.
        found: String,
    },
    /// The tokenizer cannot be read.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The chat template is invalid.
    #[error(transparent)]
    Template(#[from] ChatError),
    /// The vocabulary cannot be imported.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The folder that caches compiled grammars cannot be opened.
    #[error("the cache of grammars: {0}")]
    Cache(grammarc_artifacts::Error),
    /// The vocabulary artifact cannot be built.
    #[error(transparent)]
    Artifact(#[from] Failure),
}
