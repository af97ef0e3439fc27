//! Opened vocabularies, with the tables that are derived from them.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use grammarc_artifacts::packed_strings::RootChildren;
use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::tables::{Joined, TablesData};
use grammarc_artifacts::{Error, VocabularyArtifact};

use crate::distinct::nodes::InnerNodes;
use crate::mask::chains::Chains;
use crate::position::state_ranges::StateRanges;
use crate::step::moves::Moves;
use crate::step::texts::{Text, Texts};

/// A vocabulary: the tokens of one tokenizer, and the masks that all its grammars share. A clone is a second handle.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    artifact: VocabularyArtifact,
    derived: Arc<Derived>,
}

/// Data that is derived from a vocabulary artifact.
#[derive(Debug)]
struct Derived {
    texts: Texts,
    /// The states of shared rules with a monotone countdown.
    monotone: StateRanges,
    moves: Moves,
    chains: Chains,
    /// Derived when a grammar with distinct rules first needs it.
    inner_nodes: OnceLock<InnerNodes>,
    /// Derived when a position within a packed string set first needs it.
    root_children: OnceLock<RootChildren>,
}

impl Derived {
    /// Derives the tables that a step reads. O(bytes of the tokens + states and edges of the shared rules).
    fn new(artifact: &VocabularyArtifact) -> Self {
        let shared = artifact.tables();
        let none = TablesData::empty(shared.totals(), shared.row_words);
        let joined = Joined { shared, own: none.as_tables() };
        Self {
            texts: Texts::new(artifact),
            monotone: StateRanges::of_rules(shared.rules, rule_flags::MONOTONE),
            moves: Moves::new(&joined, &shared),
            chains: Chains::new(&joined, &shared),
            inner_nodes: OnceLock::new(),
            root_children: OnceLock::new(),
        }
    }
}

impl Vocabulary {
    /// Maps a vocabulary artifact. A rename may replace the file while it is mapped. The file must not be written in place or
    /// truncated. If you cannot ensure that, use [`Vocabulary::read`].
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a whole and valid vocabulary artifact.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        VocabularyArtifact::open(path.as_ref()).map(Self::from)
    }

    /// Reads a vocabulary artifact into memory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a whole and valid vocabulary artifact.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        VocabularyArtifact::read(path.as_ref()).map(Self::from)
    }

    /// The artifact.
    pub fn artifact(&self) -> &VocabularyArtifact {
        &self.artifact
    }

    /// The name of the vocabulary, for users.
    pub fn name(&self) -> &str {
        self.artifact.name()
    }

    /// Length of the model's logit row.
    pub fn logit_width(&self) -> u32 {
        self.artifact.logit_width()
    }

    /// The tokens that end a sequence, unless the host sets others.
    pub fn end_tokens(&self) -> &[u32] {
        self.artifact.end_tokens()
    }

    /// The bytes of a text token, or the name of a special token. Empty for an id that is no token.
    pub fn token_bytes(&self, token: u32) -> &[u8] {
        self.artifact.token_bytes(token)
    }

    /// The inner nodes of the token trie, by byte. The first call derives them, in O(nodes).
    pub(crate) fn inner_nodes(&self) -> &InnerNodes {
        self.derived.inner_nodes.get_or_init(|| InnerNodes::new(&self.artifact.trie()))
    }

    /// The children of the trie's root, by byte. The first call derives them.
    pub(crate) fn root_children(&self) -> &RootChildren {
        self.derived.root_children.get_or_init(|| RootChildren::new(&self.artifact.trie()))
    }

    /// The text that a token adds.
    #[inline]
    pub(crate) fn text(&self, token: u32) -> Text {
        self.derived.texts.get(token)
    }

    /// The states of shared rules with a monotone countdown.
    pub(crate) fn monotone(&self) -> &StateRanges {
        &self.derived.monotone
    }

    /// The moves of the shared rules.
    #[inline]
    pub(crate) fn moves(&self) -> &Moves {
        &self.derived.moves
    }

    /// The mask chains of the shared rules.
    #[inline]
    pub(crate) fn chains(&self) -> &Chains {
        &self.derived.chains
    }
}

impl From<VocabularyArtifact> for Vocabulary {
    fn from(artifact: VocabularyArtifact) -> Self {
        let derive = || Arc::new(Derived::new(&artifact));
        let derived = artifact.attachment(derive).cloned().unwrap_or_else(derive);
        Self { artifact, derived }
    }
}
