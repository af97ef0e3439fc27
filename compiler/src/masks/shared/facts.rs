//! What the vocabulary's stored masks say about walks, so that a grammar's own states do not walk the same subtrees
//! again.
//!
//! - Where a shared state `s` goes to `q` on byte `b`, and nowhere else, the part of `s`'s base mask and exit class that
//!   lies below the trie's node for `b` is the outcome of `q` at that node. Walks meet wide subtrees just there: one
//!   byte into a token, inside a string. So the outcome is cut from what is stored: a binary search instead of a walk.
//! - Deeper in the trie an outcome is walked once and [remembered](super::remembered).
//! - The children of an exit class's nodes are kept by their byte, so that a return state that goes on with a comma
//!   looks at the commas alone.
//!
//! All of it is worked out when it is first asked for, and all but what was walked is kept for as long as the compiler
//! lives: a base mask as ranks takes about 0.2 ms for a wide one. Outcomes depend on the vocabulary alone, so it does not matter which grammar asks
//! first, or on which thread.

use std::ops::Range;
use std::sync::OnceLock;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;
use rustc_hash::FxHashMap;

use super::alike::alike;
use super::behind::Behind;
use super::chain::SharedChains;
use super::children::Children;
use super::endless::Loops;
use super::nodes::Nodes;
use super::outcome::cut;
use super::pieces::Pieces;
use super::ranks::{ranks_of, row_of, whole_row};
use super::reach::left_through;
use super::remembered::Remembered;
use super::same::Same;
use super::sources::Sources;
use super::words::Words;
use crate::ir::ByteSet;
use crate::network::SharedRules;

/// Bytes of a state that stays where it is on many, and of one that does so on some, as in names of small letters.
pub(super) const MANY: usize = 64;
const SOME: usize = 24;

/// Tail calls that are looked through, one from the beginning of the other.
const DEEPEST: usize = 4;

/// Outcomes that follow from the shared rules' masks.
#[derive(Default)]
pub struct SharedOutcomes {
    children: Children,
    nodes: Nodes,
    rules: SharedRules,
    chains: SharedChains,
    /// Bytes that are tokens.
    spelled: ByteSet,
    /// By state, whether its base mask is told by bytes alone.
    speaks: Vec<bool>,
    /// By state, the lowest that does the same.
    like: Vec<u32>,
    sources: Sources,
    /// States that stay where they are on some bytes, the lowest of those alike; those that do so on many come first, and
    /// are so many.
    staying: (Vec<u32>, usize),
    /// By the state that its widest edge leads to, one that goes there by way of a tail call, and may be left instead.
    passing: FxHashMap<u32, u32>,
    /// By mask, its ranks.
    spans: Vec<OnceLock<Box<[Range<u32>]>>>,
    /// By state, where its byte edges lead.
    moves: Vec<OnceLock<Box<Moves>>>,
    /// The exit classes by their nodes.
    classes: FxHashMap<Box<[u32]>, u32>,
    /// By exit class, whether none of its nodes is the root or below another.
    apart: Vec<bool>,
    /// By exit class, byte and node of each child of its nodes, and the node; ascending.
    edges: Vec<OnceLock<Box<[ClassEdge]>>>,
    /// By rule, the classes through which it can be left.
    left_through: Vec<Box<[u32]>>,
    /// By dense row, how many tokens are in it.
    row_counts: Vec<u32>,
    /// Outcomes walked before.
    walked: Remembered,
    same: Same,
    pieces: Pieces,
    behind: Behind,
    /// The strings of the trie by their characters.
    words: OnceLock<Words>,
    loops: OnceLock<Loops>,
}

/// A child of a node of an exit class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClassEdge {
    /// Byte into the child.
    pub(super) byte: u8,
    /// The child.
    pub(super) child: u32,
    /// The node of the class.
    pub(super) node: u32,
}

/// Where the byte edges of a shared state lead.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    /// By byte, the state (the lowest of those alike), or [`NONE`].
    pub(super) to: [u32; 256],
    /// The same as runs of bytes that lead somewhere, in ascending order.
    pub(super) runs: Vec<(u8, u8, u32)>,
    /// The bytes of the runs.
    pub(super) on: ByteSet,
    /// Bytes after which a token may end.
    pub(super) ends: ByteSet,
    /// Bytes that lead out of the rule, and nowhere else.
    pub(super) leave: ByteSet,
    /// Bytes with which calls begin.
    pub(super) calls: ByteSet,
    /// Bytes from which on something of this is another.
    pub(super) turns: ByteSet,
}

impl SharedOutcomes {
    /// The outcomes of a vocabulary's shared rules, none of them worked out yet. O(nodes, states and edges).
    pub fn new(vocabulary: &VocabularyArtifact) -> Self {
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let like = alike(shared);
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
            nodes: Nodes::new(trie),
            spelled: trie.single_bytes().collect(),
            chains: SharedChains::new(shared, &rules),
            left_through: left_through(shared, &rules),
            rules,
            sources: Sources::new(shared, &speaks, &like),
            staying: (staying, many),
            passing,
            spans: shared.masks.iter().map(|_| OnceLock::new()).collect(),
            moves: like.iter().map(|_| OnceLock::new()).collect(),
            classes: (0..shared.classes.len() as u32)
                .map(|class| (class_nodes(shared, class).into(), class))
                .collect(),
            apart: (0..shared.classes.len() as u32)
                .map(|class| are_apart(class_nodes(shared, class), trie))
                .collect(),
            edges: shared.classes.iter().map(|_| OnceLock::new()).collect(),
            row_counts: shared
                .rows
                .chunks(shared.row_words.max(1) as usize)
                .map(|row| row.iter().map(|word| word.count_ones()).sum())
                .collect(),
            walked: Remembered::default(),
            same: Same::default(),
            pieces: Pieces::new(trie),
            behind: Behind::default(),
            words: OnceLock::new(),
            loops: OnceLock::new(),
            speaks,
            like,
        }
    }

    /// The children of the trie's nodes.
    pub fn children(&self) -> &Children {
        &self.children
    }

    /// What is below the trie's nodes.
    pub(super) fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// What the shared rules say of each other.
    pub fn rules(&self) -> &SharedRules {
        &self.rules
    }

    /// By rule, the classes through which it can be left.
    pub(super) fn left_through(&self) -> &[Box<[u32]>] {
        &self.left_through
    }

    /// The chains of their follow entries.
    pub(super) fn chains(&self) -> &SharedChains {
        &self.chains
    }

    /// The lowest shared state that does the same as this one.
    pub(super) fn like(&self, state: u32) -> u32 {
        self.like[state as usize]
    }

    /// The exit class of these nodes.
    pub(super) fn class(&self, nodes: &[u32]) -> Option<u32> {
        self.classes.get(nodes).copied()
    }

    /// By dense row, how many tokens are in it.
    pub(super) fn row_counts(&self) -> &[u32] {
        &self.row_counts
    }

    /// A state whose base mask and exits below `node`, a child of the root, are the outcome of `state` there; at the
    /// root, the state itself.
    pub(super) fn source(&self, trie: Trie<'_>, state: u32, node: u32) -> Option<u32> {
        if node == 0 {
            return self.speaks[state as usize].then_some(state);
        }
        let byte = trie.byte[node as usize];
        let is_first = self.children.on(0, byte) == Some(node);
        is_first.then(|| self.source_on(state, byte)).flatten()
    }

    /// The source for the root's child on a byte.
    pub(super) fn source_on(&self, state: u32, byte: u8) -> Option<u32> {
        self.sources.first(self.like(state), byte)
    }

    /// The pieces of the tokens.
    pub(super) fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// What may come behind a string of a rule within a token.
    pub(super) fn behind(&self) -> &Behind {
        &self.behind
    }

    /// The loops of the vocabulary that end with a countdown.
    pub(super) fn loops(&self, shared: Tables<'_>) -> &Loops {
        self.loops.get_or_init(|| Loops::new(shared))
    }

    /// The strings of the vocabulary's trie by their characters.
    pub(super) fn words(&self, trie: Trie<'_>) -> &Words {
        self.words.get_or_init(|| Words::new(trie))
    }

    /// Bytes that are tokens.
    pub(super) fn spelled(&self) -> ByteSet {
        self.spelled
    }

    /// The sources for the root's child on a byte that a walk is to be held against: the first, and a narrow one.
    pub(super) fn sources_on(&self, state: u32, byte: u8) -> impl Iterator<Item = u32> + use<> {
        self.sources.both(self.like(state), byte)
    }

    /// The states that stay where they are on many bytes, or on some.
    pub(super) fn staying(&self, on_many: bool) -> &[u32] {
        let (all, many) = &self.staying;
        if on_many { &all[..*many] } else { all }
    }

    /// A state that goes to another on most bytes, by way of a tail call, and may be left instead: any place of a chain
    /// but its first goes so to the next.
    pub(super) fn passing(&self, to: u32) -> Option<u32> {
        self.passing.get(&self.like(to)).copied()
    }

    /// The ranks of a state's base mask.
    pub(super) fn spans(&self, shared: Tables<'_>, trie: Trie<'_>, state: u32) -> &[Range<u32>] {
        let base = shared.states[state as usize].base;
        self.spans[base as usize].get_or_init(|| ranks(shared, trie, base))
    }

    /// Where a state's byte edges lead.
    pub(super) fn moves(&self, shared: Tables<'_>, state: u32) -> &Moves {
        self.moves[state as usize].get_or_init(|| {
            let (edges, calls) = edges_through(shared, state);
            let none = ByteSet::EMPTY;
            let (to, runs) = ([NONE; 256], Vec::new());
            let mut moves =
                Moves { to, runs, on: none, ends: none, leave: none, calls, turns: none };
            for edge in edges {
                let bytes = ByteSet::range(edge.lo(), edge.hi());
                let flags = shared.states[edge.target as usize].flags;
                if flags & state_flags::POP_ONLY != 0 {
                    moves.leave = moves.leave.union(bytes);
                } else {
                    let to = usize::from(edge.lo())..=usize::from(edge.hi());
                    moves.to[to].fill(self.like(edge.target));
                    moves.runs.push((edge.lo(), edge.hi(), self.like(edge.target)));
                    moves.on = moves.on.union(bytes);
                    if flags & state_flags::RESTS != 0 {
                        moves.ends = moves.ends.union(bytes);
                    }
                }
            }
            let runs = moves.runs.iter().map(|&(lo, hi, _)| ByteSet::range(lo, hi));
            let sets = [moves.ends, moves.leave, calls].into_iter();
            moves.turns = ByteSet::turns_of(sets.chain(runs));
            moves.into()
        })
    }

    /// For how many bytes two shared states do the same, at most `most`; see [`Same::bytes`].
    pub(super) fn same_for(&self, shared: Tables<'_>, pair: (u32, u32), most: u8) -> u8 {
        self.same.bytes(self, shared, pair, most)
    }

    /// Whether no node of an exit class is the root or below another.
    pub(super) fn are_apart(&self, class: u32) -> bool {
        self.apart[class as usize]
    }

    /// The children of the nodes of an exit class, in ascending order of their bytes.
    pub(super) fn class_edges(&self, shared: Tables<'_>, class: u32) -> &[ClassEdge] {
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

    /// Outcomes with anything coming after the rule, by state and node; of states that are [like](Self::like) each other,
    /// those of the lowest.
    pub(super) fn walked(&self) -> &Remembered {
        &self.walked
    }
}

/// Whether none of some nodes, in ascending order, is the root or below another.
fn are_apart(nodes: &[u32], trie: Trie<'_>) -> bool {
    nodes.first() != Some(&0) && nodes.windows(2).all(|pair| pair[1] >= trie.end[pair[0] as usize])
}

/// Whether a state's base mask holds no tokens matched by id, of which it says nothing by their bytes.
pub(super) fn speaks_of_bytes(shared: Tables<'_>, state: u32) -> bool {
    let calls = shared.call_edges_of(state as usize);
    shared.token_edges_of(state as usize).is_empty()
        && calls.iter().all(|call| shared.rules[call.callee as usize].first_tokens == 0)
}

/// Number of bytes of some edges.
pub(super) fn bytes_of<'a>(edges: impl IntoIterator<Item = &'a ByteEdge>) -> usize {
    edges.into_iter().map(|edge| usize::from(edge.hi() - edge.lo()) + 1).sum()
}

/// Bytes with which the calls of a state begin.
pub(super) fn first_of_calls(shared: Tables<'_>, state: u32) -> ByteSet {
    let calls = shared.call_edges_of(state as usize).iter();
    let firsts = calls.map(|call| shared.rules[call.callee as usize].first_bytes);
    firsts.fold(ByteSet::EMPTY, |set, first| set.union(ByteSet::from_words(first)))
}

/// The byte edges of a state and of those that its tail calls begin in, which go on over the same frame, in ascending
/// order; and the bytes with which other calls begin, or more than one of these.
fn edges_through(shared: Tables<'_>, state: u32) -> (Vec<ByteEdge>, ByteSet) {
    let (mut edges, mut calls, mut on) = (Vec::new(), ByteSet::EMPTY, ByteSet::EMPTY);
    let mut work = vec![(state, 0)];
    while let Some((state, depth)) = work.pop() {
        for &edge in shared.byte_edges_of(state as usize) {
            let bytes = ByteSet::range(edge.lo(), edge.hi());
            calls = calls.union(bytes.intersect(on));
            on = on.union(bytes);
            edges.push(edge);
        }
        for call in shared.call_edges_of(state as usize) {
            let callee = &shared.rules[call.callee as usize];
            match is_plain_tail(shared, call) && depth < DEEPEST {
                true => work.push((callee.first_state, depth + 1)),
                false => {
                    let bytes = ByteSet::from_words(callee.first_bytes);
                    calls = calls.union(bytes);
                }
            }
        }
    }
    edges.sort_unstable_by_key(|edge| edge.lo());
    (edges, calls)
}

/// Whether a call does no more than to go on in another rule.
fn is_plain_tail(shared: Tables<'_>, call: &CallEdge) -> bool {
    let callee = &shared.rules[call.callee as usize];
    let first = &shared.states[callee.first_state as usize];
    call.ret == NONE && call.count == 0 && first.count_exit == NONE && callee.first_tokens == 0
}

/// Nodes of a shared exit class, ascending; none of [`NONE`].
pub(super) fn class_nodes(shared: Tables<'_>, class: u32) -> &[u32] {
    match class {
        NONE => &[],
        class => {
            let class = shared.classes[class as usize];
            &shared.class_nodes[class.first as usize..][..class.len as usize]
        }
    }
}

/// The part of a shared state's base mask and exits that lies below a node.
pub(super) struct Stored<'a> {
    spans: &'a [Range<u32>],
    below: Range<u32>,
    /// Nodes at which the rule is left.
    pub(super) exits: &'a [u32],
}

impl<'a> Stored<'a> {
    /// The part of the state `source`.
    pub(super) fn new(
        known: &'a SharedOutcomes,
        shared: Tables<'a>,
        trie: Trie<'_>,
        source: u32,
        node: u32,
    ) -> Self {
        let nodes = class_nodes(shared, shared.states[source as usize].exits);
        let from = nodes.partition_point(|&exit| exit < node);
        let to = nodes.partition_point(|&exit| exit < trie.end[node as usize]);
        let below = trie.tokens_at(node).end..trie.tokens_below(node).end;
        Self { spans: known.spans(shared, trie, source), below, exits: &nodes[from..to] }
    }

    /// The ranks consumed.
    pub(super) fn spans(&self) -> impl Iterator<Item = Range<u32>> + 'a {
        cut(self.spans, self.below.clone())
    }
}

/// Ranks of a shared mask's tokens, as spans.
fn ranks(shared: Tables<'_>, trie: Trie<'_>, mask: u32) -> Box<[Range<u32>]> {
    let record = &shared.masks[mask as usize];
    let (row, row_words) = (row_of(shared, record.row), shared.row_words as usize);
    ranks_of(&whole_row(row, row_words, shared.minus(record), shared.plus(record)), trie)
}

#[cfg(test)]
pub(super) use tests::{vocabulary, walked};

#[cfg(test)]
mod tests {
    use grammarc_artifacts::TablesData;
    use grammarc_artifacts::tables::Joined;

    use super::*;
    use crate::frontend::json_schema::TextForm;
    use crate::network::follow::Follow;
    use crate::network::local::{BOTTOM, LocalSets};

    /// All bytes, all texts of up to three of some characters that mean something to JSON, and
    /// pairs of them up to `most` times.
    pub(in super::super) fn vocabulary(most: usize) -> VocabularyArtifact {
        let marks = br#""\),0u-"#;
        let pairs = marks.iter().flat_map(|&a| marks.map(|b| vec![a, b]));
        let triples: Vec<_> =
            pairs.clone().flat_map(|pair| marks.map(|c| [&pair[..], &[c]].concat())).collect();
        let runs = pairs.clone().flat_map(|pair| (2..=most).map(move |times| pair.repeat(times)));
        let texts =
            (0..=255).map(|byte| vec![byte]).chain(pairs.clone()).chain(triples).chain(runs);
        crate::samples::vocabulary(texts, &TextForm::COMMON)
    }

    /// The outcome of `state` at `node`, found byte by byte.
    pub(in super::super) fn walked(
        sets: &mut LocalSets<'_>,
        trie: Trie<'_>,
        after: ByteSet,
        state: u32,
        node: u32,
    ) -> (Vec<u32>, Vec<u32>) {
        let (mut ranks, mut exits) = (Vec::new(), Vec::new());
        let start = sets.settled(state, BOTTOM);
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
        let known = SharedOutcomes::new(&vocabulary);
        let follow = Follow::new(network, known.rules(), &[]);
        let mut sets = LocalSets::new(network);
        let mut told = 0;
        for state in 0..shared.state_count() {
            // A grammar that goes on with other bytes after a rule does not get it from the vocabulary.
            let rule = follow.rule_of(state) as usize;
            let after = ByteSet::from_words(shared.rules[rule].after_bytes);
            for node in (1..trie.len() as u32).filter(|&node| !trie.is_leaf(node)) {
                let Some(source) = known.source(trie, state, node) else { continue };
                told += 1;
                let stored = Stored::new(&known, shared, trie, source, node);
                let ranks: Vec<u32> = stored.spans().flatten().collect();
                let leaves = |exit: &u32| {
                    trie.children(*exit).any(|child| after.contains(trie.byte[child as usize]))
                };
                let exits: Vec<u32> = stored.exits.iter().copied().filter(leaves).collect();
                let expected = walked(&mut sets, trie, after, state, node);
                assert_eq!((ranks, exits), expected, "state {state}, node {node}");
            }
        }
        assert!(told > 100, "{told}");
    }
}
