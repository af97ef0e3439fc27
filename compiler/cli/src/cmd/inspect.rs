//! `grammarc inspect`: shows the contents of an artifact of either kind.
//!
//! The header, the checksum and the sections are always checked. All checks of opening are also
//! made for a vocabulary artifact, and for a grammar artifact whose vocabulary is given.

use std::path::PathBuf;

use clap::Args;
use grammarc_artifacts::dump::{self, Content};
use grammarc_artifacts::{Buffer, Error, GrammarArtifact, VocabularyArtifact};
use serde::Serialize;

use crate::cmd::facts::Facts;
use crate::failure::Failure;
use crate::output::Output;
use crate::vocabularies;

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Artifact of either kind
    artifact: PathBuf,

    /// Vocabulary artifact of the grammar artifact; with it, everything is checked that opening the
    /// grammar artifact checks
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,

    /// List every keyword of the exactness report, not only the approximate and narrower ones
    #[arg(long)]
    report: bool,
}

/// The contents of an artifact.
#[derive(Debug, Serialize)]
pub(crate) struct Inspected {
    pub(crate) path: PathBuf,
    /// Whether all checks of opening were made, not just those of header, checksum and sections.
    pub(crate) validated: bool,
    #[serde(flatten)]
    pub(crate) facts: Facts,
    /// Whether the report for people lists every keyword.
    #[serde(skip)]
    pub(crate) whole_report: bool,
}

pub(crate) fn run(args: InspectArgs, output: &mut Output) -> Result<u8, Failure> {
    let InspectArgs { artifact: path, vocab, report } = args;
    // An unreadable file is a failure of the tool (exit code 2). A file that is not a valid
    // artifact is a finding (exit code 1).
    let judged = |error: Error| match error {
        Error::Io { .. } => Failure::Tool(vocabularies::damaged(&path, error)),
        _ => Failure::Found(vocabularies::damaged(&path, error)),
    };
    let vocabulary = vocab.as_deref().map(vocabularies::open).transpose()?;
    let buffer = Buffer::open(&path).map_err(judged)?;
    let inspection = dump::inspect(buffer.clone()).map_err(judged)?;
    let validated = match (&inspection.content, &vocabulary) {
        (Content::Vocabulary { .. }, _) => {
            VocabularyArtifact::from_buffer(buffer).map_err(judged)?;
            true
        }
        (Content::Grammar { .. }, Some(vocabulary)) => {
            GrammarArtifact::from_buffer(buffer, vocabulary).map_err(judged)?;
            true
        }
        (Content::Grammar { .. }, None) => match GrammarArtifact::from_standalone(buffer) {
            Err(Error::NotStandalone { .. }) => false,
            standalone => standalone.map(|_| true).map_err(judged)?,
        },
    };
    let facts = Facts::new(inspection);
    output.answer(&Inspected { path, validated, facts, whole_report: report })?;
    Ok(0)
}
