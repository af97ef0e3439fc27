//! A schema's network and what is known of its vocabulary, for tests that hold states against walks byte by byte.

#[cfg(test)]
pub(super) use tests::{Setting, inner};

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use grammarc_artifacts::VocabularyArtifact;
    use grammarc_artifacts::sections::vocabulary::Trie;
    use grammarc_artifacts::tables::Tables;
    use serde_json::Value;

    use super::super::agree::Agreement;
    use super::super::doubles::Doubles;
    use super::super::shared::{SharedOutcomes, walked};
    use crate::compile::Compiler;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::network::Network;
    use crate::network::follow::Follow;
    use crate::network::local::LocalSets;
    use crate::samples;
    use crate::threads::Means;

    /// A network and its vocabulary.
    pub(in super::super) struct Setting<'a> {
        vocabulary: &'a VocabularyArtifact,
        pub(in super::super) known: SharedOutcomes,
        pub(in super::super) network: Network,
    }

    impl<'a> Setting<'a> {
        /// That of a schema.
        pub(in super::super) fn new(compiler: &'a Compiler, schema: &Value) -> Self {
            let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
            let network = samples::network(compiler, &front_end, &schema.to_string());
            let vocabulary = compiler.vocabulary();
            Self { vocabulary, known: SharedOutcomes::new(vocabulary), network }
        }

        pub(in super::super) fn shared(&self) -> Tables<'a> {
            self.vocabulary.tables()
        }

        pub(in super::super) fn trie(&self) -> Trie<'a> {
            self.vocabulary.trie()
        }

        pub(in super::super) fn follow(&self) -> Follow<'_> {
            self.network.follow(self.shared(), self.known.rules())
        }

        /// The agreement of all own states.
        pub(in super::super) fn agreement(&self, follow: &Follow<'_>) -> Agreement {
            Agreement::new(
                follow,
                Doubles::default,
                self.known.nodes().height(0),
                Means::unlimited(),
            )
        }

        /// The own states.
        pub(in super::super) fn states(&self) -> Range<u32> {
            let base = self.network.tables.bases.states;
            base..base + self.network.tables.as_tables().state_count()
        }

        /// Ranks and exits of a state, found byte by byte.
        pub(in super::super) fn walked(
            &self,
            follow: &Follow<'_>,
            state: u32,
        ) -> (Vec<u32>, Vec<u32>) {
            let mut sets = LocalSets::new(follow.network());
            let after = follow.bytes(follow.rule_of(state));
            walked(&mut sets, self.trie(), after, state, 0)
        }
    }

    /// Nodes but for the root: what comes of that is not looked at where it is noted.
    pub(in super::super) fn inner(nodes: &[u32]) -> Vec<u32> {
        nodes.iter().copied().filter(|&node| node != 0).collect()
    }
}
