//! Why a model was not opened.

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
        /// Why not.
        source: std::io::Error,
    },
    /// The file is no GGUF file, or a tensor in it cannot be read.
    #[error("the GGUF file: {0}")]
    Gguf(#[from] candle_core::Error),
    /// A value is missing in the file, or is of another kind.
    #[error("the GGUF file has no {kind} `{key}`")]
    Value {
        /// Its key.
        key: String,
        /// Its kind: a text, a number, a list.
        kind: &'static str,
    },
    /// An architecture that this crate does not compute.
    #[error("the architecture `{found}` is not computed here; there are {known}")]
    Architecture {
        /// The file's.
        found: String,
        /// The architectures that are computed.
        known: String,
    },
    /// A way to stretch positions that this crate does not compute.
    #[error(
        "positions are stretched by `{found}`, which is not computed here; `none` and `linear` are"
    )]
    Stretching {
        /// The file's.
        found: String,
    },
    /// A size that makes no sense.
    #[error("the GGUF file: {0}")]
    Size(String),
    /// The tokenizer of the file is of a kind that is not made from it.
    #[error(
        "the file's tokenizer is `{found}`, which is not made from the file: give the model's tokenizer.json"
    )]
    TokenizerKind {
        /// Its kind.
        found: String,
    },
    /// The tokenizer.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The chat template.
    #[error(transparent)]
    Template(#[from] ChatError),
    /// The vocabulary.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The folder that keeps grammars.
    #[error("the cache of grammars: {0}")]
    Cache(grammarc_artifacts::Error),
    /// The vocabulary's artifact.
    #[error(transparent)]
    Artifact(#[from] Failure),
}
