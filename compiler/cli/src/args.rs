//! Command-line arguments that several verbs (subcommands) share. Each verb's own arguments are
//! defined with the verb.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Environment variable that lists vocabulary artifacts, and folders of them, to open grammar artifacts with.
pub(crate) const VOCABULARIES: &str = "GRAMMARC_VOCAB";

/// The format in which results and diagnostics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// For programs: one JSON value a line
    Json,
}

/// A compiled grammar and its vocabulary.
#[derive(Debug, Args)]
pub(crate) struct ArtifactArgs {
    /// Grammar artifact (.gmask)
    pub(crate) artifact: PathBuf,

    /// Vocabulary artifact (.gvocab) that the grammar artifact was compiled for
    ///
    /// Without this option, the vocabulary embedded in the grammar artifact is used. If there is
    /// none, the vocabulary artifact is searched in the folder of the grammar artifact. Then it is
    /// searched in the files and folders that the environment variable GRAMMARC_VOCAB lists,
    /// separated as in PATH.
    #[arg(long, value_name = "FILE")]
    pub(crate) vocab: Option<PathBuf>,
}

/// The arguments that select the vocabulary to compile for.
#[derive(Debug, Args)]
pub(crate) struct VocabularyArgs {
    /// Vocabulary artifact (.gvocab) to compile for
    #[arg(long, value_name = "FILE", conflicts_with = "tokenizer")]
    pub(crate) vocab: Option<PathBuf>,

    /// Tokenizer to compile for: a file, a folder, or a built-in name
    ///
    /// Its vocabulary artifact is written beside the output, and used again by later runs. With neither --vocab nor
    /// --tokenizer, the built-in o200k_base is used.
    #[arg(long, value_name = "TOKENIZER")]
    pub(crate) tokenizer: Option<String>,
}

/// The argument that sets the number of worker threads.
#[derive(Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Number of threads; the output does not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

impl ThreadArgs {
    /// Returns the requested number of threads, or `None` if the argument was not given.
    pub(crate) fn count(&self) -> Option<NonZero<usize>> {
        self.threads.and_then(|threads| NonZero::new(threads.into()))
    }
}
