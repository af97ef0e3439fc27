//! Subset construction on the trie: all nodes of an exit class of the vocabulary are walked together. An exit class is
//! a set of trie nodes at which a callee returns.
//!
//! Nearly all return states read few bytes: a comma and the next key, or the end of an object. They meet the same exit
//! classes, those of strings and numbers, and most of them continue with the same first bytes. A *node set* is the set
//! of trie nodes reached by one byte string from all nodes of an exit class. The trie alone decides its transitions, so
//! each is computed once and serves all states.
//!
//! Configurations with many live bytes are walked from each node separately.
//!
//! Cost: O(nodes of a node set) to compute it. Later, a look-up for each byte, besides the tokens that end at the
//! nodes.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::FxHashMap;

use super::cursor::{Cursor, LiveConfigurations};
use super::worklist::Worklist;
use crate::masks::outcome::Outcome;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::shared::exits::ClassEdge;
use crate::masks::trie::children::Children;
use crate::network::lazy_dfa::{Arrival, Configurations};

/// Budget steps charged for one transition of a set of trie nodes, to their children on one byte: an estimate.
const STEPS_A_FRONT: usize = 1 << 5;

/// Index of a set of trie nodes in [`NodeSets`].
type NodeSetId = u32;

/// Key of a set of trie nodes: all nodes at which some callee returns, with or without the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClassNodes {
    /// Id of the vocabulary's set of exits (nodes where a callee returns).
    pub(crate) class: u32,
    /// Whether the root of the trie belongs to the set, if the callee may return there.
    pub(crate) with_root: bool,
}

/// A set of trie nodes, as ranges of the lists in [`NodeSets`].
#[derive(Clone, Debug)]
struct NodeSet {
    /// Range in `NodeSets::spans` of the ranks (token indexes in byte order) of the tokens that end at the nodes.
    spans: Range<u32>,
    /// Range in `NodeSets::inner` of the nodes that have children.
    inner: Range<u32>,
}

/// All sets of trie nodes met so far, and their transitions by bytes. A set has the nodes reached by one byte string
/// from all nodes at which some callee returns.
#[derive(Debug, Default)]
pub(crate) struct NodeSets {
    /// The sets of trie nodes by index.
    node_sets: Vec<NodeSet>,
    /// The ranks (token indexes in byte order) of the tokens that end at the nodes of each set, set after set.
    spans: Vec<Range<u32>>,
    /// The trie nodes with children of each set, set after set.
    inner: Vec<u32>,
    /// Maps a set of trie nodes at which some callee returns, and a byte, to the set of these nodes' children on that
    /// byte. `None` if there is no such child.
    first: FxHashMap<(ClassNodes, u8), Option<NodeSetId>>,
    /// Maps a set of trie nodes and a byte to the set of these nodes' children on that byte. `None` if no node of the
    /// set has such a child.
    next: FxHashMap<(NodeSetId, u8), Option<NodeSetId>>,
    /// Sets of trie nodes to continue from, each with the configurations (state and stack frame) at its nodes. A nested
    /// walk adds to the end.
    todo: Vec<(NodeSetId, Configurations)>,
}

impl NodeSets {
    /// Returns the set of the children on `byte` of the trie nodes `from`, at which some callee returns. `edges` are
    /// the edges to all children of these nodes, in ascending order of their bytes. `None` if there is no such child.
    fn first(
        &mut self,
        from: ClassNodes,
        byte: u8,
        edges: &[ClassEdge],
        trie: Trie<'_>,
    ) -> Option<NodeSetId> {
        if let Some(&node_set) = self.first.get(&(from, byte)) {
            return node_set;
        }
        let at = edges.partition_point(|edge| edge.byte < byte);
        let on = edges[at..].iter().take_while(|edge| edge.byte == byte);
        let on = on.filter(|edge| from.with_root || edge.node != 0);
        let new = self.begin();
        on.for_each(|edge| self.add(edge.child, trie));
        let node_set = self.end(new);
        self.first.insert((from, byte), node_set);
        node_set
    }

    /// Returns the set of the children on `byte` of all nodes in a set of trie nodes. `None` if there is no such child.
    fn next(
        &mut self,
        node_set: NodeSetId,
        byte: u8,
        children: &Children,
        trie: Trie<'_>,
    ) -> Option<NodeSetId> {
        if let Some(&next) = self.next.get(&(node_set, byte)) {
            return next;
        }
        let new = self.begin();
        let Range { start, end } = self.node_sets[node_set as usize].inner;
        for at in start..end {
            if let Some(child) = children.on(self.inner[at as usize], byte) {
                self.add(child, trie);
            }
        }
        let next = self.end(new);
        self.next.insert((node_set, byte), next);
        next
    }

    /// Begins an empty set of trie nodes. [`add`](Self::add) adds a node, and [`end`](Self::end) completes the set.
    fn begin(&self) -> NodeSet {
        let [spans, inner] = [self.spans.len(), self.inner.len()].map(|end| end as u32);
        NodeSet { spans: spans..spans, inner: inner..inner }
    }

    /// Adds a trie node to the set that is being built.
    #[inline]
    fn add(&mut self, node: u32, trie: Trie<'_>) {
        let tokens = trie.tokens_at(node);
        if !tokens.is_empty() {
            self.spans.push(tokens);
        }
        if !trie.is_leaf(node) {
            self.inner.push(node);
        }
    }

    /// Completes the set of trie nodes that is being built, and returns its index. `None` if the set has no nodes. A
    /// node without children has a token.
    fn end(&mut self, mut new: NodeSet) -> Option<NodeSetId> {
        (new.spans.end, new.inner.end) = (self.spans.len() as u32, self.inner.len() as u32);
        if new.spans.is_empty() && new.inner.is_empty() {
            return None;
        }
        self.node_sets.push(new);
        Some(self.node_sets.len() as u32 - 1)
    }

    /// Returns those trie nodes of a set that have children.
    fn inner(&self, node_set: NodeSetId) -> &[u32] {
        let Range { start, end } = self.node_sets[node_set as usize].inner;
        &self.inner[start as usize..end as usize]
    }

    /// Adds to `outcome` the tokens that end at the trie nodes of a set.
    fn add_tokens(&self, node_set: NodeSetId, outcome: &mut Outcome) {
        let Range { start, end } = self.node_sets[node_set as usize].spans;
        let spans = &self.spans[start as usize..end as usize];
        spans.iter().for_each(|span| outcome.add_span(span.clone()));
    }
}

impl NodeSets {
    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of the strings below the trie nodes `from`, at
    /// which some callee returns. The return state must have few outgoing bytes. `way` has its configurations (state
    /// and stack frame) at these nodes. Nodes at which many bytes become possible are put on the worklist (parts still
    /// to visit).
    pub(crate) fn leave_together(
        &mut self,
        cursor: &mut Cursor<'_>,
        worklist: &mut Worklist,
        way: LiveConfigurations,
        from: ClassNodes,
        builder: &mut OutcomeBuilder<'_>,
    ) {
        let edges = cursor.facts.class_edges(cursor.follow.network().shared, from.class);
        let floor = self.todo.len();
        for byte in way.live.iter() {
            if let Some(node_set) = self.first(from, byte, edges, cursor.trie) {
                let reached = cursor.sets.step(way.at, byte);
                self.arrive_together(node_set, reached, builder);
            }
        }
        while self.todo.len() > floor {
            let Some((node_set, at)) = self.todo.pop() else { return };
            if cursor.sets.is_late(STEPS_A_FRONT) {
                self.todo.truncate(floor);
                return;
            }
            if let Some((byte, reached)) = cursor.sets.only(at) {
                self.step_together(cursor, node_set, byte, reached, builder);
                continue;
            }
            let way = cursor.live_configurations(at);
            if way.is_wide {
                self.inner(node_set).iter().for_each(|&node| worklist.walk_below(node, way));
                continue;
            }
            for byte in way.live.iter() {
                let reached = cursor.sets.step(at, byte);
                self.step_together(cursor, node_set, byte, reached, builder);
            }
        }
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of the strings that continue with `byte` from a
    /// set of trie nodes. `reached` has the configurations (state and stack frame) after the byte.
    fn step_together(
        &mut self,
        cursor: &Cursor<'_>,
        node_set: NodeSetId,
        byte: u8,
        reached: Arrival,
        builder: &mut OutcomeBuilder<'_>,
    ) {
        if let Some(next) = self.next(node_set, byte, cursor.facts.children(), cursor.trie) {
            self.arrive_together(next, reached, builder);
        }
    }

    /// Adds to `builder` the tokens and exits (nodes where the rule returns) at the trie nodes of a set. `reached` has
    /// the configurations (state and stack frame) there. Queues the set for the strings below its nodes.
    fn arrive_together(
        &mut self,
        node_set: NodeSetId,
        reached: Arrival,
        builder: &mut OutcomeBuilder<'_>,
    ) {
        if reached.is_dead() {
            return;
        }
        if reached.ends {
            self.add_tokens(node_set, &mut builder.outcome);
        }
        let inner = self.inner(node_set);
        if reached.exits {
            inner.iter().for_each(|&node| builder.leave(node));
        }
        if !inner.is_empty() && reached.at != Configurations::Nowhere {
            self.todo.push((node_set, reached.at));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::walker::Walker;
    use super::*;
    use crate::compile::Compiler;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::masks::equivalence::k_equivalence::KEquivalence;
    use crate::masks::equivalence::representatives::Representatives;
    use crate::masks::shared::exits::class_nodes;
    use crate::masks::shared::facts::{VocabularyFacts, vocabulary};
    use crate::network::follow::Follow;
    use crate::samples;
    use crate::threads::Context;

    /// A walk from a node of a node set (trie nodes walked together) may meet another set of exits (nodes where a rule
    /// returns). Work queued before the walk stays queued.
    #[test]
    fn fronts_that_were_to_do_before_are_left_to_do() {
        let compiler = Compiler::new(vocabulary(5));
        let schema = r#"{"type": "object", "properties": {"u": {"type": "string"}}}"#;
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let network = samples::network(&compiler, &front_end, schema);
        let (shared, trie) = (compiler.vocabulary().tables(), compiler.vocabulary().trie());
        let known = VocabularyFacts::new(compiler.vocabulary());
        let follow = Follow::new(network.joined(shared), known.rules(), &network.open);
        let equivalence = KEquivalence::new(
            &follow,
            Representatives::default,
            known.nodes().height(0),
            Context::unlimited(),
        );
        let [mut walker, mut between] =
            [(); 2].map(|()| Walker::new(&follow, &known, &equivalence, trie, 2));
        let before = vec![(NodeSetId::MAX, Configurations::Nowhere)];
        between.node_sets.todo.clone_from(&before);
        let base = network.tables.bases.states;
        for state in base..base + network.tables.states.len() as u32 - 1 {
            assert_eq!(between.base(state), walker.base(state), "{state}");
            assert_eq!(between.node_sets.todo, before, "{state}");
        }
        assert!(!between.node_sets.node_sets.is_empty());
    }

    /// Compares the node sets (trie nodes walked together) of all strings over some bytes with the nodes found one by
    /// one, for each set of exits (nodes where a rule returns).
    #[test]
    fn fronts_are_the_nodes_that_bytes_lead_to() {
        let vocabulary = vocabulary(5);
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let known = VocabularyFacts::new(&vocabulary);
        let children = known.children();
        let bytes = *b"\",u0}";
        let step = |nodes: &[u32], byte| -> Vec<u32> {
            nodes.iter().filter_map(|&node| children.on(node, byte)).collect()
        };
        let mut longest = 0;
        for class in 0..shared.classes.len() as u32 {
            let nodes = class_nodes(shared, class);
            for with_root in [false, true] {
                let mut node_sets = NodeSets::default();
                let nodes: Vec<u32> =
                    nodes.iter().copied().filter(|&node| with_root || node != 0).collect();
                let edges = known.class_edges(shared, class);
                let mut work: Vec<(Option<NodeSetId>, Vec<u32>, usize)> = bytes
                    .iter()
                    .map(|&byte| {
                        let node_set =
                            node_sets.first(ClassNodes { class, with_root }, byte, edges, trie);
                        (node_set, step(&nodes, byte), 1)
                    })
                    .collect();
                while let Some((node_set, nodes, depth)) = work.pop() {
                    assert_eq!(node_set.is_some(), !nodes.is_empty(), "class {class}");
                    let Some(node_set) = node_set else { continue };
                    longest = longest.max(depth);
                    let inner = nodes.iter().filter(|&&node| !trie.is_leaf(node));
                    let inner: BTreeSet<&u32> = inner.collect();
                    let found = node_sets.inner(node_set);
                    assert_eq!(found.len(), inner.len(), "class {class}");
                    assert_eq!(found.iter().collect::<BTreeSet<_>>(), inner, "class {class}");
                    let mut together = Outcome::default();
                    node_sets.add_tokens(node_set, &mut together);
                    let mut one_by_one = Outcome::default();
                    nodes.iter().for_each(|&node| one_by_one.add_span(trie.tokens_at(node)));
                    together.normalize();
                    one_by_one.normalize();
                    assert_eq!(together, one_by_one, "class {class}");
                    for byte in bytes {
                        let next = node_sets.next(node_set, byte, children, trie);
                        assert_eq!(next, node_sets.next(node_set, byte, children, trie));
                        work.push((next, step(&nodes, byte), depth + 1));
                    }
                }
            }
        }
        assert!(longest > 2, "{longest}");
    }
}
