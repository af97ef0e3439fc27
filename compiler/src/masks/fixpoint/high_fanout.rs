//! Masks of the high-fanout nodes of packed string sets. A packed string set is a finite set of strings, stored as a
//! minimal acyclic automaton beside the states. A node has a high fanout if a walk of it at run time would visit more
//! trie nodes than a step may.
//!
//! A packed string set calls no rule, so the outcome of a node is the result of the same walk without a bound. The base
//! mask has the tokens at the trie nodes that the walk reaches. The exits are the trie nodes at which a string ends.
//! Token sets and exits become masks and classes, as for states. Their ids come after those of all states, in the order
//! of the nodes.
//!
//! Cost: some hundred trie nodes for each candidate, and the walk of each high-fanout node.

use grammarc_artifacts::packed_strings::{Node, PackedStrings, RootChildren, TrieWalk, WALKED};
use grammarc_artifacts::sections::masks::HighFanoutRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;

use super::inputs::Inputs;
use super::interning::Interning;
use crate::ir::ByteSet;
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::limits::MaskError;
use crate::masks::outcome::Outcome;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::trie::children::Children;
use crate::threads::Context;

/// The number of candidate nodes of packed string sets (finite sets of strings) whose masks are computed before they
/// get ids. It bounds the memory of results.
const AT_ONCE: usize = 1 << 14;

/// The least number of candidate nodes of packed string sets (finite sets of strings) for which several threads are
/// used.
const WORTH_A_THREAD: usize = 1 << 8;

/// The stored masks of a grammar's packed string sets (finite sets of strings).
#[derive(Clone, Debug, Default)]
pub struct HighFanoutMasks {
    /// For each packed string set (finite set of strings) of the grammar, its high-fanout nodes with their masks. A
    /// node with a high fanout has too many next tokens to find at run time. A node is given by its address in the set.
    pub nodes: Vec<Vec<HighFanoutRecord>>,
    /// Id of the mask without tokens; [`NONE`] if the grammar has no packed string set (finite set of strings).
    pub nothing: u32,
}

impl HighFanoutMasks {
    /// Returns the sets of exits (nodes where a rule returns) of all stored masks of packed string sets (finite sets of
    /// strings). Each is given by its id, after a state of its rule.
    pub(super) fn classes(&self, inputs: Inputs<'_>) -> Vec<(u32, u32)> {
        let rules = inputs.network.packed_sets.iter().map(|&(rule, _)| rule);
        let of = rules.zip(&self.nodes).flat_map(|(rule, nodes)| {
            let state = inputs.network.tables.rules[rule].first_state;
            nodes.iter().map(move |high_fanout| (state, high_fanout.exits))
        });
        of.collect()
    }
}

/// One thread's buffers for walks of packed string sets (finite sets of strings).
struct Room {
    /// The stack of a walk: pairs of a trie node and a node of the packed string set, still to be visited.
    open: Vec<(u32, u32)>,
    /// Buffers for encoding.
    scratch: Scratch,
}

/// The inputs for walks of one packed string set (finite set of strings).
#[derive(Clone, Copy)]
struct Along<'a> {
    /// The packed string set (finite set of strings).
    nodes: PackedStrings<'a>,
    /// The token trie: the prefix tree of the tokens' byte strings.
    trie: Trie<'a>,
    /// The children of the trie's root, by byte.
    roots: &'a RootChildren,
    /// The children of all trie nodes, by byte.
    children: &'a Children,
    /// The FOLLOW bytes of the rule of the packed string set (finite set of strings).
    after: ByteSet,
}

impl Along<'_> {
    /// Whether a walk from a node of the packed string set would visit more than [`WALKED`] trie nodes at run time. All
    /// trie nodes below the end of a string count as visited.
    fn is_high_fanout(&self, node: u32, room: &mut Room) -> bool {
        let Self { nodes, trie, roots, .. } = *self;
        let mut behind = 0;
        let visit = |child: u32, node: &Node<'_>| {
            if node.is_final() {
                behind += (trie.end[child as usize] - child - 1) as usize;
            }
        };
        let looked =
            TrieWalk { strings: nodes, trie, roots }.visit(node, &mut room.open, WALKED, visit);
        looked.is_none_or(|looked| looked + behind > WALKED)
    }

    /// Returns the outcome (consumed tokens and exit nodes) of a node of the packed string set (finite set of strings).
    /// Its tokens begin one of the node's strings. Its exits are the trie nodes at which such a string ends.
    fn outcome(&self, node: u32, room: &mut Room) -> Outcome {
        let &Self { nodes, trie, roots, children, after } = self;
        let mut builder = OutcomeBuilder::new(Outcome::default(), after, children);
        if nodes.node(node).is_final() {
            builder.leave(0);
        }
        let walk = TrieWalk { strings: nodes, trie, roots };
        walk.visit(node, &mut room.open, usize::MAX, |child, node| {
            builder.outcome.spans.push(trie.tokens_at(child));
            if node.is_final() && !trie.is_leaf(child) {
                builder.leave(child);
            }
        });
        let mut outcome = builder.outcome;
        outcome.spans.retain(|span| !span.is_empty());
        outcome.spans.sort_unstable_by_key(|span| span.start);
        let mut all = Outcome { exits: outcome.exits, ..Outcome::default() };
        outcome.spans.into_iter().for_each(|span| all.add_span(span));
        all.normalize();
        all
    }
}

/// Computes the masks and sets of exits (nodes where a rule returns) of all high-fanout nodes of packed string sets
/// (finite sets of strings). Such a node has too many next tokens to find at run time.
///
/// # Errors
///
/// [`MaskError`] if the number of rows exceeds its limit, or the budget is spent.
pub(super) fn masks(
    inputs: Inputs<'_>,
    encoder: &Encoder<'_>,
    interning: &mut Interning<'_>,
    context: Context<'_>,
) -> Result<HighFanoutMasks, MaskError> {
    let Inputs { network, facts, trie, follow, .. } = inputs;
    let mut all = HighFanoutMasks { nothing: NONE, ..HighFanoutMasks::default() };
    if network.packed_sets.is_empty() {
        return Ok(all);
    }
    let roots = &RootChildren::new(&trie);
    for (rule, set) in &network.packed_sets {
        let state = network.tables.rules[*rule].first_state;
        let after = follow.bytes(follow.rule_of(state));
        let nodes = set.nodes();
        let along = Along { nodes, trie, roots, children: facts.children(), after };
        let new = || Room { open: Vec::new(), scratch: Scratch::new(encoder.lengths().row_words) };
        let find = |room: &mut Room, &node: &u32| {
            if context.budget.spend(WALKED / 4).is_err() || !along.is_high_fanout(node, room) {
                return None;
            }
            let mut found = Computed::from(along.outcome(node, room));
            encoder.encode_new(&mut found, &mut room.scratch);
            Some((node, found))
        };
        let mut high_fanout = Vec::new();
        for candidates in set.candidates.chunks(AT_ONCE) {
            let worth = candidates.len() >= WORTH_A_THREAD;
            let found = context.threads.map(worth, candidates, new, find);
            let total = set.candidates.len();
            let spent = |_| MaskError::Spent { states: high_fanout.len(), total, state };
            context.budget.check().map_err(spent)?;
            for (node, found) in found.into_iter().flatten() {
                let base = interning.mask(encoder, state, &found)?;
                let exits = interning.classes.intern(&found.outcome.exits);
                high_fanout.push(HighFanoutRecord { node, base, exits });
            }
        }
        all.nodes.push(high_fanout);
        all.nothing = interning.mask(encoder, state, &Computed::default())?;
    }
    Ok(all)
}
