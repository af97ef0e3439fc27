//! Reasons why a folder of schemas cannot be judged.

use std::io;
use std::path::PathBuf;

/// Why a folder of schemas is not judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaskbenchError {
    /// A file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file is not a schema with tests.
    #[error("{} is not a schema with tests", path.display())]
    Case {
        /// The file.
        path: PathBuf,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// There is no tokenizer to split texts into tokens.
    #[error(
        "{} has no tokenizer.json; instances are split into tokens by the tokenizer itself, for which a folder with \
         that file, or the file, is needed",
        path.display()
    )]
    NoTokenizer {
        /// The path that was given.
        path: PathBuf,
    },
    /// The tokenizer cannot be used.
    #[error("{} is not a tokenizer", path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
