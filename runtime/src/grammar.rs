//! Opened artifacts: what all matchers share.
//!
//! Both types are handles: a clone shares the mapped bytes. Everything a matcher trusts was checked when the artifact
//! was opened, by [`grammarc_artifacts`].

use std::path::Path;
use std::sync::Arc;

use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::{Error, GrammarArtifact, TokenKind, VocabularyArtifact};

use crate::position::MonotoneStates;
use crate::step::{Limits, Machine};

/// A vocabulary: the tokens of one tokenizer, and the masks that all its grammars share.
#[derive(Clone, Debug)]
pub struct Vocabulary(VocabularyArtifact);

impl Vocabulary {
    /// Maps a vocabulary artifact. The file may be replaced by a rename while it is mapped, but must not be written in
    /// place or truncated; use [`Vocabulary::read`] where that cannot be promised.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a whole and valid vocabulary artifact.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        VocabularyArtifact::open(path.as_ref()).map(Self)
    }

    /// Reads a vocabulary artifact into memory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a whole and valid vocabulary artifact.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        VocabularyArtifact::read(path.as_ref()).map(Self)
    }

    /// The artifact.
    pub fn artifact(&self) -> &VocabularyArtifact {
        &self.0
    }

    /// The name that users know the vocabulary by.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Length of the model's logit row.
    pub fn logit_width(&self) -> u32 {
        self.0.logit_width()
    }

    /// The tokens that end a sequence unless the host says otherwise.
    pub fn end_tokens(&self) -> &[u32] {
        self.0.end_tokens()
    }

    /// Bytes of a token; for a special token, its name. Empty for an id that is no token.
    pub fn token_bytes(&self, token: u32) -> &[u8] {
        self.0.token_bytes(token)
    }

    /// The bytes that a token adds to the text: none unless it is a text token.
    #[inline]
    pub(crate) fn text(&self, token: u32) -> &[u8] {
        match self.0.token_kind(token) {
            TokenKind::Text => self.0.token_bytes(token),
            TokenKind::Special | TokenKind::Unused => &[],
        }
    }
}

impl From<VocabularyArtifact> for Vocabulary {
    fn from(artifact: VocabularyArtifact) -> Self {
        Self(artifact)
    }
}

/// A compiled grammar, shared by any number of matchers on any number of threads.
#[derive(Clone, Debug)]
pub struct Grammar(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    artifact: GrammarArtifact,
    vocabulary: Vocabulary,
    monotone: MonotoneStates,
    has_token_edges: bool,
}

impl Grammar {
    /// Maps a grammar artifact. What [`Vocabulary::open`] says of the file holds here too.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a whole and valid grammar artifact, or was compiled for another vocabulary.
    pub fn open(path: impl AsRef<Path>, vocabulary: &Vocabulary) -> Result<Self, Error> {
        GrammarArtifact::open(path.as_ref(), &vocabulary.0).map(Self::from)
    }

    /// Reads a grammar artifact into memory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a whole and valid grammar artifact, or was compiled for another vocabulary.
    pub fn read(path: impl AsRef<Path>, vocabulary: &Vocabulary) -> Result<Self, Error> {
        GrammarArtifact::read(path.as_ref(), &vocabulary.0).map(Self::from)
    }

    /// A grammar from an opened artifact, such as one that was compiled in this process.
    pub fn from_artifact(artifact: GrammarArtifact) -> Self {
        let joined = artifact.joined();
        let all = [joined.shared, joined.own];
        let counted = all
            .iter()
            .flat_map(|tables| tables.rules)
            .filter(|rule| rule.flags & rule_flags::MONOTONE != 0)
            .map(|rule| rule.first_state..rule.first_state + rule.state_count);
        let monotone = MonotoneStates::new(counted.collect());
        let has_token_edges = all.iter().any(|tables| !tables.token_edges.is_empty());
        let vocabulary = Vocabulary(artifact.vocabulary().clone());
        Self(Arc::new(Shared { artifact, vocabulary, monotone, has_token_edges }))
    }

    /// The artifact.
    pub fn artifact(&self) -> &GrammarArtifact {
        &self.0.artifact
    }

    /// The vocabulary that the grammar was compiled for.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.0.vocabulary
    }

    /// Identifies the grammar: the checksum of its artifact.
    pub(crate) fn digest(&self) -> [u8; 32] {
        self.0.artifact.checksum()
    }

    /// The tables, ready to be run. Takes the addresses of some twenty tables, so it is made once for a call.
    #[inline]
    pub(crate) fn machine(&self, limits: Limits) -> Machine<'_> {
        Machine {
            tables: self.0.artifact.joined(),
            start_rule: self.0.artifact.start_rule(),
            monotone: &self.0.monotone,
            has_token_edges: self.0.has_token_edges,
            limits,
        }
    }
}

impl From<GrammarArtifact> for Grammar {
    fn from(artifact: GrammarArtifact) -> Self {
        Self::from_artifact(artifact)
    }
}
