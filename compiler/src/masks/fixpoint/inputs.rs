//! The inputs of the computation of masks.

use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use crate::masks::shared::facts::VocabularyFacts;
use crate::network::Network;
use crate::network::follow::Follow;

/// A network whose masks are computed, with the vocabulary. The ids of its states, rules and masks come after those of
/// the vocabulary.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    /// The network of the grammar, or of the vocabulary's own rules.
    pub(crate) network: &'a Network,
    /// The tables of the vocabulary: its states, rules and stored masks.
    pub(crate) shared: Tables<'a>,
    /// Indexes over the vocabulary's trie, shared rules and stored masks.
    pub(crate) facts: &'a VocabularyFacts,
    /// The token trie: the prefix tree of the tokens' byte strings.
    pub(crate) trie: Trie<'a>,
    /// The calls and FOLLOW sets of the network that is walked. Countdowns (registers of repetitions left) are removed
    /// from it if no mask depends on them.
    pub(crate) follow: &'a Follow<'a>,
}

impl Inputs<'_> {
    /// Returns the id of the network's first state. All lower ids are states of the vocabulary.
    pub(crate) fn first_state(&self) -> u32 {
        self.network.tables.bases.states
    }

    /// Whether the network is that of a vocabulary's own rules.
    pub(crate) fn is_vocabulary(&self) -> bool {
        !self.network.open.is_empty()
    }
}
