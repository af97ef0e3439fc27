//! States from which every token either ends within a literal or cannot be read: what they do is told by one node of the
//! trie.
//!
//! More than half of the states of an object are within its keys, and no token leads from one letter of a key to its end
//! and on. The tokens that such a state reads are those on the way to the deepest node that the literal leads to, so states
//! that come to the same node have the same mask, and it is found once.
//!
//! Cost: O(depth of the node) for each state, some 10 ns for each byte.

use grammarc_artifacts::sections::network::state_flags;
use grammarc_artifacts::tables::Tables;

use super::children::Children;
use super::twins::ENDS;

/// The own states of a network that are within literals.
pub(super) struct Literals<'a> {
    own: Tables<'a>,
    children: &'a Children,
}

impl<'a> Literals<'a> {
    /// Those among some states, over a trie with these children of its nodes.
    pub(super) fn new(own: Tables<'a>, children: &'a Children) -> Self {
        Self { own, children }
    }

    /// The deepest node that a state leads to, where its outcome at the root is told by that: its rule is not left, and a
    /// token may end, as far as the trie goes.
    pub(super) fn deepest(&self, state: u32) -> Option<u32> {
        let mut node = 0;
        let mut index = (state - self.own.bases.states) as usize;
        let is_within = |index: usize| self.own.states[index].flags & ENDS == state_flags::RESTS;
        if self.own.states[index].flags & (ENDS - state_flags::RESTS) != 0 {
            return None;
        }
        loop {
            let [edge] = self.own.byte_edges_of(index) else { return None };
            let calls = self.own.call_edges_of(index);
            let reads = self.own.token_edges_of(index);
            if edge.lo() != edge.hi() || !calls.is_empty() || !reads.is_empty() {
                return None;
            }
            let Some(child) = self.children.on(node, edge.lo()) else { return Some(node) };
            index = edge.target.checked_sub(self.own.bases.states)? as usize;
            if !is_within(index) {
                return None;
            }
            node = child;
            if self.children.is_leaf(node) {
                return Some(node);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::{SharedOutcomes, walked};
    use super::*;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::network::local::LocalSets;
    use crate::samples;

    #[test]
    fn what_literals_do_is_told_by_the_deepest_node() {
        // Pieces of keys, some of which lead out of them.
        let texts = ["ab", "abc", "bc", "cab", "c\"", "\":", "\":\"", "b\":1", "ca", "{\"a"];
        let compiler = samples::compiler(texts.map(|text| text.as_bytes().to_vec()));
        let schema = r#"{
            "properties": {"abcab": {"type": "integer"}, "cabc": {"const": "abcabc"}, "a": {}},
            "required": ["abcab"], "additionalProperties": false
        }"#;
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let network = samples::network(&compiler, &front_end, schema);
        let vocabulary = compiler.vocabulary();
        let known = SharedOutcomes::new(vocabulary);
        let (follow, trie) =
            (network.follow(vocabulary.tables(), known.rules()), vocabulary.trie());
        let own = follow.network().own;
        let literals = Literals::new(own, known.children());
        let mut sets = LocalSets::new(follow.network());
        let (mut within, mut beyond) = (0, 0);
        for state in own.bases.states..own.bases.states + own.state_count() {
            let Some(node) = literals.deepest(state) else {
                beyond += 1;
                continue;
            };
            within += 1;
            let after = follow.bytes(follow.rule_of(state));
            let path = (1..=node).filter(|&above| node < trie.end[above as usize]);
            let ranks = path.flat_map(|above| trie.tokens_at(above)).collect::<Vec<_>>();
            assert_eq!((ranks, vec![]), walked(&mut sets, trie, after, state, 0), "{state}");
        }
        assert!(within > 8 && beyond > 8, "{within} within and {beyond} beyond");
    }
}
