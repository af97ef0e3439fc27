//! A schema's network and facts about its vocabulary, for tests that compare states with walks byte by byte.

#[cfg(test)]
pub(crate) use tests::{Setting, inner};

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use grammarc_artifacts::VocabularyArtifact;
    use grammarc_artifacts::sections::vocabulary::Trie;
    use grammarc_artifacts::tables::Tables;
    use serde_json::Value;

    use crate::compile::Compiler;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::masks::equivalence::k_equivalence::KEquivalence;
    use crate::masks::equivalence::representatives::Representatives;
    use crate::masks::shared::facts::{VocabularyFacts, walked};
    use crate::network::Network;
    use crate::network::follow::Follow;
    use crate::network::lazy_dfa::LazyDfa;
    use crate::samples;
    use crate::threads::Context;

    /// The automata of a schema's rules, with their vocabulary and facts about both.
    pub(crate) struct Setting<'a> {
        vocabulary: &'a VocabularyArtifact,
        pub(crate) known: VocabularyFacts,
        pub(crate) network: Network,
    }

    impl<'a> Setting<'a> {
        /// Compiles a schema to the automata of its rules, without masks.
        pub(crate) fn new(compiler: &'a Compiler, schema: &Value) -> Self {
            let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
            let network = samples::network(compiler, &front_end, &schema.to_string());
            let vocabulary = compiler.vocabulary();
            Self { vocabulary, known: VocabularyFacts::new(vocabulary), network }
        }

        pub(crate) fn shared(&self) -> Tables<'a> {
            self.vocabulary.tables()
        }

        pub(crate) fn trie(&self) -> Trie<'a> {
            self.vocabulary.trie()
        }

        pub(crate) fn follow(&self) -> Follow<'_> {
            self.network.follow(self.shared(), self.known.rules())
        }

        /// Returns the k-equivalence (equality up to `k` bytes) of all states of the grammar.
        pub(crate) fn equivalence(&self, follow: &Follow<'_>) -> KEquivalence {
            KEquivalence::new(
                follow,
                Representatives::default,
                self.known.nodes().height(0),
                Context::unlimited(),
            )
        }

        /// Returns the ids of all states of the grammar itself, without those of the vocabulary.
        pub(crate) fn states(&self) -> Range<u32> {
            let base = self.network.tables.bases.states;
            base..base + self.network.tables.as_tables().state_count()
        }

        /// Returns the ranks (token indexes in byte order) of the tokens consumed from a state, and the exit nodes.
        /// Both are found byte by byte.
        pub(crate) fn walked(&self, follow: &Follow<'_>, state: u32) -> (Vec<u32>, Vec<u32>) {
            let mut sets = LazyDfa::new(follow.network());
            let after = follow.bytes(follow.rule_of(state));
            walked(&mut sets, self.trie(), after, state, 0)
        }
    }

    /// Returns the trie nodes `nodes` without the root. Tests do not compare whether a rule returns at the root.
    pub(crate) fn inner(nodes: &[u32]) -> Vec<u32> {
        nodes.iter().copied().filter(|&node| node != 0).collect()
    }
}
