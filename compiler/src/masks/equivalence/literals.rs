//! States within a literal, a fixed string, that no token leaves: their masks depend on one node of the trie.
//!
//! More than half of the states of an object are within its keys. No token leads from one letter of a key past its end.
//! Such a state reads the tokens on the path to the deepest node of the literal. States with one such node share a
//! mask, which is computed once.
//!
//! Cost: O(own states), and O(depth of the node) for each of them.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Tables;

use super::own_transitions::ENDS;
use crate::masks::trie::children::Children;

/// Transition of a state within a literal, a fixed string, on its one byte.
#[derive(Clone, Copy, Debug)]
struct LiteralStep {
    /// The lowest byte of the state's only edge; 0 if the state has no edge or several.
    byte: u8,
    /// Whether `byte` is the state's only continuation: no other edges, no calls, no return.
    is_alone: bool,
    /// Index, among the grammar's states, of the target state. [`NONE`] if no token may end there or the rule can
    /// return there.
    to: u32,
}

/// The states of a grammar that lie within literals (fixed strings).
pub(crate) struct Literals<'a> {
    /// The children of all trie nodes, by byte.
    children: &'a Children,
    /// Id of the first state of the grammar itself. States with lower ids belong to the vocabulary.
    base: u32,
    /// For each state of the grammar itself, by index from the first such state, its transition within a literal.
    steps: Vec<LiteralStep>,
}

impl<'a> Literals<'a> {
    /// Finds the transitions within literals (fixed strings) of all states of the grammar. `children` are the children
    /// of the trie's nodes.
    pub(crate) fn new(own: Tables<'_>, children: &'a Children) -> Self {
        let base = own.bases.states;
        let flags = |state: u32| own.states[state as usize].flags & ENDS;
        let steps = (0..own.state_count()).map(|index| {
            let none = LiteralStep { byte: 0, is_alone: false, to: NONE };
            let [edge] = own.byte_edges_of(index as usize) else { return none };
            let is_left = flags(index) & !state_flags::RESTS != 0;
            let is_alone = edge.lo() == edge.hi()
                && !is_left
                && own.call_edges_of(index as usize).is_empty()
                && own.token_edges_of(index as usize).is_empty();
            let to = edge.target.checked_sub(base);
            let to = to.filter(|&to| flags(to) == state_flags::RESTS).unwrap_or(NONE);
            LiteralStep { byte: edge.lo(), is_alone, to }
        });
        Self { children, base, steps: steps.collect() }
    }

    /// Returns the deepest trie node on the literal (fixed string) from a state, if this node decides the state's
    /// outcome (consumed tokens and exit nodes). `None` if, before the trie ends, the rule may return, several bytes
    /// may follow, or no token may end.
    pub(crate) fn deepest(&self, state: u32) -> Option<u32> {
        let mut index = state - self.base;
        let mut node = 0;
        loop {
            let LiteralStep { byte, is_alone, to } = self.steps[index as usize];
            if !is_alone {
                return None;
            }
            let Some(child) = self.children.on(node, byte) else { return Some(node) };
            if to == NONE {
                return None;
            }
            if self.children.is_leaf(child) {
                return Some(child);
            }
            (node, index) = (child, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::masks::shared::facts::{VocabularyFacts, walked};
    use crate::network::lazy_dfa::LazyDfa;
    use crate::samples;

    #[test]
    fn the_deepest_node_determines_what_literals_do() {
        // Parts of keys, some of which lead out of the keys.
        let texts = ["ab", "abc", "bc", "cab", "c\"", "\":", "\":\"", "b\":1", "ca", "{\"a"];
        let compiler = samples::compiler(texts.map(|text| text.as_bytes().to_vec()));
        let schema = r#"{
            "properties": {"abcab": {"type": "integer"}, "cabc": {"const": "abcabc"}, "a": {}},
            "required": ["abcab"], "additionalProperties": false
        }"#;
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let network = samples::network(&compiler, &front_end, schema);
        let vocabulary = compiler.vocabulary();
        let known = VocabularyFacts::new(vocabulary);
        let (follow, trie) =
            (network.follow(vocabulary.tables(), known.rules()), vocabulary.trie());
        let own = follow.network().own;
        let literals = Literals::new(own, known.children());
        let mut sets = LazyDfa::new(follow.network());
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
