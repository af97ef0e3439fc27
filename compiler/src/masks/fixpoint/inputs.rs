//! The inputs of the computation.

use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use crate::masks::shared::facts::VocabularyFacts;
use crate::network::Network;
use crate::network::follow::Follow;

/// A network whose numbering continues that of the tables `shared`, with what is known of the vocabulary and of calls.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) network: &'a Network,
    pub(crate) shared: Tables<'a>,
    pub(crate) facts: &'a VocabularyFacts,
    pub(crate) trie: Trie<'a>,
    /// The calls of the network that is walked: without countdowns where no mask depends on them.
    pub(crate) follow: &'a Follow<'a>,
}

impl Inputs<'_> {
    /// Id of the first own state.
    pub(crate) fn first_state(&self) -> u32 {
        self.network.tables.bases.states
    }

    /// Whether the masks are those of a vocabulary's own rules.
    pub(crate) fn is_vocabulary(&self) -> bool {
        !self.network.open.is_empty()
    }
}
