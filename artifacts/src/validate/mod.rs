//! The invariants that readers rely on.

use std::fmt;

use crate::error::Error;
use crate::grammar::GrammarArtifact;
use crate::vocabulary::VocabularyArtifact;

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The section it was found in.
    pub section: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section {}", self.section)
    }
}

pub(crate) fn vocabulary(_artifact: &VocabularyArtifact) -> Result<(), Error> {
    Ok(())
}

pub(crate) fn grammar(_artifact: &GrammarArtifact) -> Result<(), Error> {
    Ok(())
}
