//! A grammar's network without masks: for a host that begins before the masks are computed.
//!
//! The states and edges are those of the grammar artifact to come, with the same numbers. Every own state has an empty base
//! mask and no exit class. A type of its own keeps it from being taken for a whole artifact; it is never written.

use crate::error::Error;
use crate::grammar::{GrammarArtifact, GrammarData};
use crate::vocabulary::VocabularyArtifact;

/// An artifact without masks of its own.
#[derive(Clone, Debug)]
pub struct EarlyArtifact(GrammarArtifact);

impl EarlyArtifact {
    /// The artifact of data whose states have no masks yet. O(length of the tables).
    ///
    /// # Errors
    ///
    /// If a table is too long for the format.
    pub fn new(data: &GrammarData, vocabulary: &VocabularyArtifact) -> Result<Self, Error> {
        data.to_artifact(vocabulary).map(Self)
    }

    /// The same as a plain artifact, for a reader that knows what is missing.
    pub fn into_artifact(self) -> GrammarArtifact {
        self.0
    }
}
