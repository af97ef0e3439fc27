//! An unmasked grammar: a network without masks, for a host that begins before the masks are computed.
//!
//! The states and edges are those of the complete artifact, with the same ids. Every state of the grammar itself has an
//! empty base mask and no exit class. The type distinguishes an unmasked grammar from a complete artifact. It is never
//! written to a file.

use crate::error::Error;
use crate::grammar::{GrammarArtifact, GrammarData};
use crate::vocabulary::VocabularyArtifact;

/// A grammar artifact without masks of its own.
#[derive(Clone, Debug)]
pub struct EarlyArtifact(GrammarArtifact);

impl EarlyArtifact {
    /// Returns the artifact of `data`, whose states have no masks. O(length of the tables).
    ///
    /// # Errors
    ///
    /// A table is too long for the format, or the metadata cannot be archived.
    pub fn new(data: &GrammarData, vocabulary: &VocabularyArtifact) -> Result<Self, Error> {
        data.to_artifact(vocabulary).map(Self)
    }

    /// Returns the plain artifact, for a reader that finds the masks itself.
    pub fn into_artifact(self) -> GrammarArtifact {
        self.0
    }
}
