//! The results of a build and of a check, as data.

use std::fmt;
use std::path::PathBuf;

use grammarc_compiler::diagnostics::{Diagnostic, Source};
use serde::Serialize;

/// The result of a build.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// The folder of artifacts.
    pub output: PathBuf,
    /// The vocabularies, in the order of the manifest.
    pub vocabularies: Vec<BuiltVocabulary>,
    /// Artifacts that were compiled, by source and vocabulary.
    pub built: Vec<BuiltArtifact>,
    /// Artifacts that were up to date.
    pub fresh: usize,
    /// Files that were deleted, because the sources that they were made from are gone or refused.
    pub removed: Vec<String>,
    /// Sources that were refused.
    #[serde(skip)]
    pub refused: Vec<Refused>,
    /// The findings on the sources that were built, beside errors.
    #[serde(skip)]
    pub findings: Vec<Refused>,
    /// Every file and folder of which a change may change the outcome.
    #[serde(skip)]
    pub inputs: Vec<PathBuf>,
    /// Wall time.
    pub seconds: f64,
}

impl Outcome {
    /// Whether all sources have artifacts.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty()
    }
}

/// A vocabulary of a build.
#[derive(Clone, Debug, Serialize)]
pub struct BuiltVocabulary {
    /// Its name.
    pub name: String,
    /// Its artifact.
    pub path: PathBuf,
    /// Whether this build has made it.
    pub built: bool,
}

/// A grammar artifact that was compiled.
#[derive(Clone, Debug, Serialize)]
pub struct BuiltArtifact {
    /// Its file in the output.
    pub file: String,
    /// The source's name.
    pub source: String,
    /// The vocabulary's name.
    pub vocabulary: String,
    /// Its length.
    pub bytes: u64,
    /// Wall time from the source text to the file.
    pub seconds: f64,
}

/// A source, with what was found in it.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The source.
    pub source: Source,
    /// The vocabulary that it was compiled for, where it was read without errors.
    pub vocabulary: Option<String>,
    /// The diagnostics of the source.
    pub diagnostics: Vec<Diagnostic>,
}

/// A file that a build would write or delete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// The file in the output.
    pub file: String,
    /// The source's name, where it is made from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The fault of the file.
    pub why: Why,
}

/// The fault of a file of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It is not there, or not in the index.
    Missing,
    /// It was made from something else: another text, other options, another vocabulary, another compiler.
    OutOfDate,
    /// It is not the file that was written.
    Damaged,
    /// Nothing is compiled to it any more.
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
