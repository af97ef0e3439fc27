//! The inputs of the computation of masks.

use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use crate::masks::shared::facts::VocabularyFacts;
use crate::network::Network;
use crate::network::follow::Follow;

/// The automata whose masks are computed, with the vocabulary. The ids of their states, rules and masks come after
/// those of the vocabulary.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    /// The automata of the grammar's rules, which call each other. If a vocabulary is built, the automata of its own
    /// rules.
    pub(crate) network: &'a Network,
    /// The tables of the vocabulary: its states, rules and stored masks.
    pub(crate) shared: Tables<'a>,
    /// Indexes over the vocabulary's trie, rules and stored masks.
    pub(crate) facts: &'a VocabularyFacts,
    /// The token trie: the prefix tree of the tokens' byte strings.
    pub(crate) trie: Trie<'a>,
    /// The calls and FOLLOW sets of the automata that are walked. Countdowns (registers of repetitions left) are
    /// removed from them if no mask depends on them.
    pub(crate) follow: &'a Follow<'a>,
}

impl Inputs<'_> {
    /// Returns the id of the first state of `network`. All lower ids are states of the vocabulary's rules.
    pub(crate) fn first_state(&self) -> u32 {
        self.network.tables.bases.states
    }

    /// Whether `network` has the rules of a vocabulary, and not those of a grammar.
    pub(crate) fn is_vocabulary(&self) -> bool {
        !self.network.open.is_empty()
    }
}
