//! Opened vocabularies, with the tables that are derived from them.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use grammarc_artifacts::packed_strings::RootChildren;
use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::tables::{Joined, TablesData};
use grammarc_artifacts::{Error, VocabularyArtifact};

use crate::mask::chains::Chains;
use crate::position::state_ranges::StateRanges;
use crate::step::moves::Moves;
use crate::step::texts::{Text, Texts};

/// A vocabulary: the tokens of one tokenizer, and the masks that all its grammars share. Clones share their data.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    artifact: VocabularyArtifact,
    derived: Arc<Derived>,
}

/// Tables that are derived from a vocabulary artifact.
#[derive(Debug)]
struct Derived {
    texts: Texts,
    /// States of the shared rules with a monotone countdown: a register in which a larger count accepts more.
    monotone: StateRanges,
    moves: Moves,
    chains: Chains,
    /// Length of the longest token in bytes. Derived when a grammar with distinct rules (items must differ) first needs
    /// it.
    longest_token: OnceLock<usize>,
    /// Children of the token trie's root by byte. Derived when a position within a packed string set first needs them.
    root_children: OnceLock<RootChildren>,
}

impl Derived {
    /// Derives the tables that masks and steps read. O(bytes of the tokens + states and edges of the shared rules).
    fn new(artifact: &VocabularyArtifact) -> Self {
        let shared = artifact.tables();
        let none = TablesData::empty(shared.totals(), shared.row_words);
        let joined = Joined { shared, own: none.as_tables() };
        Self {
            texts: Texts::new(artifact),
            monotone: StateRanges::of_rules(shared.rules, rule_flags::MONOTONE),
            moves: Moves::new(&joined, &shared),
            chains: Chains::new(&joined, &shared),
            longest_token: OnceLock::new(),
            root_children: OnceLock::new(),
        }
    }
}

impl Vocabulary {
    /// Maps a vocabulary artifact into memory. A rename may replace the file while it is mapped, but the file must not
    /// be written in place or truncated. If you cannot ensure that, use [`Vocabulary::read`].
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

    /// Returns the vocabulary artifact.
    pub fn artifact(&self) -> &VocabularyArtifact {
        &self.artifact
    }

    /// Returns the name of the vocabulary, for display.
    pub fn name(&self) -> &str {
        self.artifact.name()
    }

    /// Returns the length of the model's logit row, in tokens.
    pub fn logit_width(&self) -> u32 {
        self.artifact.logit_width()
    }

    /// Returns the ids of the tokens that end a sequence, unless the host sets others.
    pub fn end_tokens(&self) -> &[u32] {
        self.artifact.end_tokens()
    }

    /// Returns the bytes of a text token, or the name of a special token. Empty for an id without a token.
    pub fn token_bytes(&self, token: u32) -> &[u8] {
        self.artifact.token_bytes(token)
    }

    /// Returns the length of the longest token in bytes. The first call derives it, in O(tokens).
    pub(crate) fn longest_token(&self) -> usize {
        *self.derived.longest_token.get_or_init(|| {
            let tokens = self.artifact.tokens();
            let lengths = (0..tokens.count()).map(|token| tokens.bytes_of(token).len());
            lengths.max().unwrap_or(0)
        })
    }

    /// Returns the children of the token trie's root, indexed by byte. The first call derives them.
    pub(crate) fn root_children(&self) -> &RootChildren {
        self.derived.root_children.get_or_init(|| RootChildren::new(&self.artifact.trie()))
    }

    /// Returns the bytes that a token adds to the output. Empty for a special token.
    #[inline]
    pub(crate) fn text(&self, token: u32) -> Text {
        self.derived.texts.get(token)
    }

    /// Returns the states of the shared rules with a monotone countdown.
    pub(crate) fn monotone(&self) -> &StateRanges {
        &self.derived.monotone
    }

    /// Returns the moves of the shared rules: for each state and byte, the effect of the byte.
    #[inline]
    pub(crate) fn moves(&self) -> &Moves {
        &self.derived.moves
    }

    /// Returns the tables that lead from a state of the shared rules to its stored masks.
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
