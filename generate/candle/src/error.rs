//! Errors of opening a model.

use std::path::PathBuf;

use grammarc_bindings::failure::Failure;
use grammarc_compiler::vocabulary::VocabularyError;
use grammarc_generate::chat::ChatError;
use grammarc_generate::encode::TokenizerError;

/// An error of opening a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is not a GGUF file, or a tensor in it cannot be read.
    #[error("the GGUF file: {0}")]
    Gguf(#[from] candle_core::Error),
    /// A value is missing in the file, or has the wrong type.
    #[error("the GGUF file has no {kind} `{key}`")]
    Value {
        /// Its key.
        key: String,
        /// The expected type: a text, a number, a list.
        kind: &'static str,
    },
    /// An architecture that this crate does not support.
    #[error("the architecture `{found}` is not computed here; there are {known}")]
    Architecture {
        /// The file's architecture.
        found: String,
        /// The supported architectures.
        known: String,
    },
    /// A scaling of positions that this crate does not support.
    #[error(
        "positions are stretched by `{found}`, which is not computed here; `none` and `linear` are"
    )]
    Stretching {
        /// The file's scaling.
        found: String,
    },
    /// An invalid size.
    #[error("the GGUF file: {0}")]
    Size(String),
    /// The tokenizer of the file has a type that is not supported.
    #[error(
        "the file's tokenizer is `{found}`, which is not made from the file: give the model's tokenizer.json"
    )]
    TokenizerKind {
        /// Its type.
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
    /// The folder of cached grammars cannot be opened.
    #[error("the cache of grammars: {0}")]
    Cache(grammarc_artifacts::Error),
    /// The vocabulary's artifact cannot be built.
    #[error(transparent)]
    Artifact(#[from] Failure),
}
