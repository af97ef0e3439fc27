//! The results of a build and of a check, as data.

use std::fmt;
use std::path::PathBuf;

use grammarc_compiler::diagnostics::{Diagnostic, Source};
use serde::Serialize;

/// The result of a build.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// Path of the folder with the artifacts.
    pub output: PathBuf,
    /// The vocabularies, in the order of the manifest.
    pub vocabularies: Vec<BuiltVocabulary>,
    /// The artifacts that were compiled, ordered by source and then by vocabulary.
    pub built: Vec<BuiltArtifact>,
    /// Number of artifacts that were already up to date.
    pub fresh: usize,
    /// Files of the output folder that were deleted, because their sources are gone or refused.
    pub removed: Vec<String>,
    /// The sources that have errors and therefore lack artifacts.
    #[serde(skip)]
    pub refused: Vec<Refused>,
    /// The warnings and notes about the sources and tokenizers that were built.
    #[serde(skip)]
    pub findings: Vec<Refused>,
    /// Every file and folder whose change may change the outcome.
    #[serde(skip)]
    pub inputs: Vec<PathBuf>,
    /// Wall time of the build, in seconds.
    pub seconds: f64,
}

impl Outcome {
    /// Whether every source was compiled for all its vocabularies.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty()
    }
}

/// A vocabulary that a build compiled for.
#[derive(Clone, Debug, Serialize)]
pub struct BuiltVocabulary {
    /// Name of the vocabulary in the manifest.
    pub name: String,
    /// Path of the vocabulary artifact.
    pub path: PathBuf,
    /// Whether this build made the vocabulary artifact.
    pub built: bool,
}

/// A grammar artifact that was compiled.
#[derive(Clone, Debug, Serialize)]
pub struct BuiltArtifact {
    /// Path of the artifact's file, relative to the output folder.
    pub file: String,
    /// Name of the source.
    pub source: String,
    /// Name of the vocabulary.
    pub vocabulary: String,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Wall time from the source text to the written file, in seconds.
    pub seconds: f64,
}

/// A source with the diagnostics about it: errors, or the warnings and notes of a compiled source.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The source that the diagnostics refer to.
    pub source: Source,
    /// Name of the vocabulary, if the diagnostics concern only the compilation for this vocabulary.
    pub vocabulary: Option<String>,
    /// The errors, warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// A file that a build would write or delete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// Path of the file, relative to the output folder.
    pub file: String,
    /// Name of the source that the file is made from. `None` for a vocabulary and for a file that
    /// would be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The reason why a build would write or delete the file.
    pub why: Why,
}

/// The reason why a file of the output folder is not up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The file does not exist, or the index does not list it.
    Missing,
    /// The file was made from another text, with other options, for another vocabulary, or by
    /// another compiler.
    OutOfDate,
    /// The content of the file is not what the build wrote.
    Damaged,
    /// No source of the manifest is compiled to the file any more, so a build would delete it.
    Superfluous,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::OutOfDate => "out of date",
            Self::Damaged => "damaged",
            Self::Superfluous => "superfluous",
        })
    }
}
