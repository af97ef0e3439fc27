//! Facts about the vocabulary's rules and stored masks. With these facts, walks from a grammar's states need not visit
//! subtrees whose outcome the vocabulary has stored.
//!
//! - Residuals: Let a state `s` of the vocabulary's rules have `q` as its only target on a byte `b`. The part of the
//!   mask and exits of `s` below the trie's node for `b` is the outcome of `q` at that node. Walks reach large subtrees
//!   just there: one byte into a token, inside a string. A binary search in the stored outcome replaces the walk.
//! - Deeper in the trie, an outcome is walked once and [memoised](crate::masks::outcome::memo).
//! - The children of each set of exits (nodes where a callee returns) are kept by their byte. So a return state that
//!   continues with a comma visits the commas alone.
//!
//! Each fact is computed on first use. All but the memoised walks are kept as long as the compiler lives. The ranks of
//! a mask, the token indexes in byte order, take about 0.2 ms if it has many tokens. Facts depend on the vocabulary
//! alone, and not on the grammar or thread that asks first.

use std::ops::Range;
use std::sync::OnceLock;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::sections::network::state_flags;
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;
use rustc_hash::FxHashMap;

use super::bisimulation::bisimilar;
use super::call_followers::CallFollowers;
use super::chains::SharedChains;
use super::countdowns::CountdownLoops;
use super::exits::{ClassEdge, class_nodes, left_through};
use super::predecessors::Predecessors;
use super::rows::StoredRows;
use super::stored::{StoredResidual, ranks};
use super::transitions::{
    MANY, SOME, SharedTransitions, Transitions, bytes_of, is_plain_tail, speaks_of_bytes,
};
use crate::ir::ByteSet;
use crate::masks::outcome::memo::Memo;
use crate::masks::trie::char_classes::CharClassIndex;
use crate::masks::trie::children::Children;
use crate::masks::trie::factors::FactorFilter;
use crate::masks::trie::subtrees::Subtrees;
use crate::network::SharedRules;

/// Indexes over the token trie, the rules of the vocabulary and the stored masks of one vocabulary.
#[derive(Default)]
pub(crate) struct VocabularyFacts {
    /// The children of each trie node, by byte.
    children: Children,
    /// For each trie node, its height and depth in bytes, and the bytes below it.
    nodes: Subtrees,
    /// An index of the calls among the vocabulary's rules: callees and callers of each rule.
    rules: SharedRules,
    /// Bounds on the number of returns that one token makes within the vocabulary's rules, each to another stack frame.
    chains: SharedChains,
    /// The bytes that are tokens of a single byte.
    single_bytes: ByteSet,
    /// For each state of the vocabulary's rules, whether its mask depends on bytes alone, and not on tokens matched by
    /// id.
    speaks: Vec<bool>,
    /// For each state of the vocabulary's rules, its transitions by single bytes, and the lowest state that is
    /// bisimilar to it (equivalent on all strings).
    transitions: Transitions,
    /// For each state of the vocabulary's rules and each byte, up to two predecessors: states with this state as their
    /// only target on the byte.
    sources: Predecessors,
    /// States of the vocabulary's rules with at least [`SOME`] bytes that lead back to the same state. Of equivalent
    /// states only the lowest is listed. States with at least [`MANY`] such bytes come first; the second component is
    /// their number.
    staying: (Vec<u32>, usize),
    /// Maps a state of the vocabulary's rules to a final state that reaches it on most bytes, by a plain tail call. The
    /// key is the target of the widest edge of the callee's first state.
    passing: FxHashMap<u32, u32>,
    /// For each mask of the vocabulary, the ranks of its tokens, once they are computed. A rank is a token's index in
    /// byte order.
    spans: Vec<OnceLock<Box<[Range<u32>]>>>,
    /// Maps an ascending list of exits, the trie nodes at which a rule returns, to the id of the set of these nodes.
    classes: FxHashMap<Box<[u32]>, u32>,
    /// For each set of exits (nodes where a rule returns), the trie edges from its nodes to their children, ascending
    /// by byte.
    edges: Vec<OnceLock<Box<[ClassEdge]>>>,
    /// For each rule of the vocabulary, the ids of its sets of exits (nodes where it returns).
    left_through: Vec<Box<[u32]>>,
    /// The dense bit rows (one bit per token) with the rows near each, and an index of the masks by their stored words.
    rows: StoredRows,
    /// Memo of outcomes (consumed tokens and exit nodes) that walks over the trie have found, by state of the
    /// vocabulary's rules and trie node.
    walked: Memo,
    /// A filter of the factors (substrings) of the vocabulary's tokens.
    pieces: FactorFilter,
    /// For a rule of the vocabulary and the byte before it, the bytes that may follow a string of the rule within a
    /// token.
    behind: CallFollowers,
    /// The strings of the trie, grouped by the kinds of their characters and by length. Computed at the first request.
    words: OnceLock<CharClassIndex>,
    /// The rules of the vocabulary with a countdown (register of repetitions left), and for each an equal rule without
    /// one. Computed at the first request.
    loops: OnceLock<CountdownLoops>,
}

impl VocabularyFacts {
    /// Builds the indexes of a vocabulary. Expensive indexes are built at the first request. O(nodes, states and
    /// edges).
    pub(crate) fn new(vocabulary: &VocabularyArtifact) -> Self {
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let like = bisimilar(shared);
        let children = Children::new(trie);
        let speaks = (0..shared.state_count()).map(|state| speaks_of_bytes(shared, state));
        let speaks: Vec<bool> = speaks.collect();
        let stays = |state: u32| {
            let edges = shared.byte_edges_of(state as usize).iter();
            bytes_of(edges.filter(|edge| like[edge.target as usize] == state))
        };
        let staying = (0..shared.state_count())
            .filter(|&state| speaks[state as usize] && like[state as usize] == state)
            .filter(|&state| stays(state) >= SOME);
        let (mut staying, some): (Vec<u32>, Vec<u32>) =
            staying.partition(|&state| stays(state) >= MANY);
        let many = staying.len();
        staying.extend(some);
        let mut passing = FxHashMap::default();
        for state in (0..shared.state_count()).filter(|&state| speaks[state as usize]) {
            let may_leave = shared.states[state as usize].flags & state_flags::FINAL != 0;
            if let [call] = shared.call_edges_of(state as usize)
                && may_leave
                && is_plain_tail(shared, call)
            {
                let first = shared.rules[call.callee as usize].first_state;
                let edges = shared.byte_edges_of(first as usize).iter();
                if let Some(widest) = edges.max_by_key(|edge| edge.hi() - edge.lo()) {
                    passing.entry(like[widest.target as usize]).or_insert(state);
                }
            }
        }
        let rules = SharedRules::new(shared, vocabulary.expressions());
        Self {
            children,
            nodes: Subtrees::new(trie),
            single_bytes: trie.single_bytes().collect(),
            chains: SharedChains::new(shared, &rules),
            left_through: left_through(shared, &rules),
            rules,
            sources: Predecessors::new(shared, &speaks, &like),
            staying: (staying, many),
            passing,
            spans: shared.masks.iter().map(|_| OnceLock::new()).collect(),
            classes: (0..shared.classes.len() as u32)
                .map(|class| (class_nodes(shared, class).into(), class))
                .collect(),
            edges: shared.classes.iter().map(|_| OnceLock::new()).collect(),
            rows: StoredRows::new(shared),
            walked: Memo::default(),
            pieces: FactorFilter::new(trie),
            behind: CallFollowers::default(),
            words: OnceLock::new(),
            loops: OnceLock::new(),
            speaks,
            transitions: Transitions::new(like),
        }
    }

    /// Returns the children of all trie nodes, by byte.
    pub(crate) fn children(&self) -> &Children {
        &self.children
    }

    /// Returns, for all trie nodes, height and depth in bytes and the bytes below.
    pub(crate) fn nodes(&self) -> &Subtrees {
        &self.nodes
    }

    /// Returns an index of the calls among the vocabulary's rules: callees and callers of each rule.
    pub(crate) fn rules(&self) -> &SharedRules {
        &self.rules
    }

    /// Returns for each rule of the vocabulary the ids of its sets of exits (nodes where it returns), ascending.
    pub(crate) fn left_through(&self) -> &[Box<[u32]>] {
        &self.left_through
    }

    /// Returns bounds on the number of returns that one token makes within the vocabulary's rules, each to another
    /// stack frame.
    pub(crate) fn chains(&self) -> &SharedChains {
        &self.chains
    }

    /// Returns the lowest state of the vocabulary's rules that is bisimilar to `state` (equivalent on all strings).
    pub(crate) fn like(&self, state: u32) -> u32 {
        self.transitions.representative(state)
    }

    /// Returns the id of the vocabulary's set of exits (nodes where a rule returns) with exactly the nodes `nodes`,
    /// which must ascend. `None` if it has no such set.
    pub(crate) fn class(&self, nodes: &[u32]) -> Option<u32> {
        self.classes.get(nodes).copied()
    }

    /// Returns the indexes over the vocabulary's dense bit rows (one bit per token) and stored masks.
    pub(crate) fn rows(&self) -> &StoredRows {
        &self.rows
    }

    /// Whether the mask of a state of the vocabulary's rules depends on bytes alone, and not on tokens matched by id.
    pub(crate) fn speaks(&self, state: u32) -> bool {
        self.speaks[state as usize]
    }

    /// Returns a state of the vocabulary's rules whose only target on `byte` is `state`. Its stored outcome (consumed
    /// tokens and exit nodes) below the root's child on `byte` is the outcome of `state` there. `None` if there is
    /// none.
    pub(crate) fn source_on(&self, state: u32, byte: u8) -> Option<u32> {
        self.sources.first(self.like(state), byte)
    }

    /// Returns the filter of the factors (substrings) of the vocabulary's tokens.
    pub(crate) fn pieces(&self) -> &FactorFilter {
        &self.pieces
    }

    /// Returns, for a rule of the vocabulary and the byte before it, the bytes that may follow a string of the rule
    /// within a token. They are found at the first request.
    pub(crate) fn behind(&self) -> &CallFollowers {
        &self.behind
    }

    /// Returns the rules of the vocabulary that end with a countdown (register of repetitions left), and equal rules
    /// without one.
    pub(crate) fn loops(&self, shared: Tables<'_>) -> &CountdownLoops {
        self.loops.get_or_init(|| CountdownLoops::new(shared))
    }

    /// Returns the strings of the trie, grouped by the kinds of their characters and by length. They are grouped at the
    /// first request.
    pub(crate) fn words(&self, trie: Trie<'_>) -> &CharClassIndex {
        self.words.get_or_init(|| CharClassIndex::new(trie))
    }

    /// Returns the bytes that are tokens of a single byte.
    pub(crate) fn single_bytes(&self) -> ByteSet {
        self.single_bytes
    }

    /// Returns up to two states of the vocabulary's rules whose only target on `byte` is `state`. The first is the
    /// [source](Self::source_on); the second has few outgoing bytes.
    pub(crate) fn sources_on(&self, state: u32, byte: u8) -> impl Iterator<Item = u32> + use<> {
        self.sources.both(self.like(state), byte)
    }

    /// Returns the states of the vocabulary's rules with many self-loops (bytes leading back): at least [`MANY`] bytes,
    /// or at least [`SOME`] if `on_many` is false.
    pub(crate) fn staying(&self, on_many: bool) -> &[u32] {
        let (all, many) = &self.staying;
        if on_many { &all[..*many] } else { all }
    }

    /// Returns a final state of the vocabulary's rules that reaches `to` on most bytes, through a plain tail call. In a
    /// chain of states that each read one character, every state but the first reaches the next one in this way. `None`
    /// if there is none.
    pub(crate) fn passing(&self, to: u32) -> Option<u32> {
        self.passing.get(&self.like(to)).copied()
    }

    /// Returns the outcome (tokens and exits) of a state at `node`, a child of the root. `source` is a state of the
    /// vocabulary's rules whose only target on the node's byte is that state. The outcome is read from the mask of
    /// `source`.
    pub(crate) fn stored<'a>(
        &'a self,
        shared: Tables<'a>,
        trie: Trie<'_>,
        source: u32,
        node: u32,
    ) -> StoredResidual<'a> {
        StoredResidual::new(shared, trie, (source, self.spans(shared, trie, source)), node)
    }

    /// Returns the ranks (token indexes in byte order) of the tokens that a state of the vocabulary's rules consumes
    /// within its rule.
    pub(crate) fn spans(&self, shared: Tables<'_>, trie: Trie<'_>, state: u32) -> &[Range<u32>] {
        let base = shared.states[state as usize].base;
        self.spans[base as usize].get_or_init(|| ranks(shared, trie, base))
    }

    /// Returns the transitions of a state of the vocabulary's rules by single bytes.
    pub(crate) fn moves(&self, shared: Tables<'_>, state: u32) -> &SharedTransitions {
        self.transitions.of(shared, state)
    }

    /// Returns the trie edges from the vocabulary's set of exits (nodes where a rule returns) with the id `class` to
    /// their children. They ascend by their bytes.
    pub(crate) fn class_edges(&self, shared: Tables<'_>, class: u32) -> &[ClassEdge] {
        self.edges[class as usize].get_or_init(|| {
            let edges = class_nodes(shared, class).iter().flat_map(|&node| {
                let children = self.children.of(node);
                children.map(move |(byte, child)| ClassEdge { byte, child, node })
            });
            let mut edges: Vec<ClassEdge> = edges.collect();
            edges.sort_unstable();
            edges.into()
        })
    }

    /// Returns the memo of outcomes (tokens and exits) by state of the vocabulary's rules and trie node. In the walks
    /// that found them, any byte may follow the rule. Bisimilar states share the entry of the [lowest](Self::like).
    pub(crate) fn walked(&self) -> &Memo {
        &self.walked
    }
}

#[cfg(test)]
pub(crate) use tests::{vocabulary, walked};

#[cfg(test)]
mod tests {
    use grammarc_artifacts::TablesData;
    use grammarc_artifacts::tables::Joined;

    use super::*;
    use crate::frontend::json_schema::TextForm;
    use crate::network::follow::Follow;
    use crate::network::lazy_dfa::{BOTTOM, LazyDfa};

    /// Builds a vocabulary of all bytes, and of all strings of two and three characters from a small set. The
    /// characters are some of those that JSON treats specially. The vocabulary also has pairs of these characters,
    /// repeated up to `most` times.
    pub(crate) fn vocabulary(most: usize) -> VocabularyArtifact {
        let marks = br#""\),0u-"#;
        let pairs = marks.iter().flat_map(|&a| marks.map(|b| vec![a, b]));
        let triples: Vec<_> =
            pairs.clone().flat_map(|pair| marks.map(|c| [&pair[..], &[c]].concat())).collect();
        let runs = pairs.clone().flat_map(|pair| (2..=most).map(move |times| pair.repeat(times)));
        let texts =
            (0..=255).map(|byte| vec![byte]).chain(pairs.clone()).chain(triples).chain(runs);
        crate::samples::vocabulary(texts, &TextForm::COMMON)
    }

    /// Returns the ranks (token indexes in byte order) of the tokens that `state` consumes below `node`, and its exits
    /// (nodes where the rule returns). Exits without a child on a byte of `after` are left out. Both are found byte by
    /// byte.
    pub(crate) fn walked(
        sets: &mut LazyDfa<'_>,
        trie: Trie<'_>,
        after: ByteSet,
        state: u32,
        node: u32,
    ) -> (Vec<u32>, Vec<u32>) {
        let (mut ranks, mut exits) = (Vec::new(), Vec::new());
        let start = sets.after_returns(state, BOTTOM);
        let mut work = vec![(node, start.at, start.exits)];
        while let Some((node, at, leaves)) = work.pop() {
            if leaves && trie.children(node).any(|child| after.contains(trie.byte[child as usize]))
            {
                exits.push(node);
            }
            for child in trie.children(node) {
                let reached = sets.step(at, trie.byte[child as usize]);
                if reached.ends {
                    ranks.extend(trie.tokens_at(child));
                }
                work.push((child, reached.at, reached.exits));
            }
        }
        ranks.sort_unstable();
        exits.sort_unstable();
        (ranks, exits)
    }

    #[test]
    fn stored_outcomes_are_those_of_walks() {
        let vocabulary = vocabulary(8);
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let none = TablesData::empty(shared.totals(), shared.row_words);
        let network = Joined { shared, own: none.as_tables() };
        let known = VocabularyFacts::new(&vocabulary);
        let follow = Follow::new(network, known.rules(), &[]);
        let mut sets = LazyDfa::new(network);
        let mut distinguished = 0;
        for state in 0..shared.state_count() {
            // A grammar in which other bytes may follow the rule does not call the vocabulary's copy.
            let rule = follow.rule_of(state) as usize;
            let after = ByteSet::from_words(shared.rules[rule].after_bytes);
            for (byte, node) in known.children().of(0).filter(|&(_, node)| !trie.is_leaf(node)) {
                let Some(source) = known.source_on(state, byte) else { continue };
                distinguished += 1;
                let stored = known.stored(shared, trie, source, node);
                let ranks: Vec<u32> = stored.spans().flatten().collect();
                let leaves = |exit: &u32| {
                    trie.children(*exit).any(|child| after.contains(trie.byte[child as usize]))
                };
                let exits: Vec<u32> = stored.exits.iter().copied().filter(leaves).collect();
                let expected = walked(&mut sets, trie, after, state, node);
                assert_eq!((ranks, exits), expected, "state {state}, node {node}");
            }
        }
        assert!(distinguished > 100, "{distinguished}");
    }
}
