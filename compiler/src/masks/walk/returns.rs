//! Continuing a walk from return states, at the nodes at which a callee returns.
//!
//! The outcomes there are not walked at once. The nodes go on the [`worklist`](super::worklist), which the walker
//! processes. All nodes of an exit class of the vocabulary, a set of nodes at which a callee returns, are continued
//! together if [`node_sets`](super::node_sets) can do so.
//!
//! Cost: O(nodes), or O(edges of the exit class with a live byte).

use super::cursor::{Configuration, Cursor, LiveConfigurations};
use super::node_sets::{ClassNodes, NodeSets};
use super::worklist::Worklist;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::outcome::excluded::Excluded;
use crate::masks::shared::exits::class_nodes;
use crate::masks::shortcuts::Shortcut;
use crate::network::lazy_dfa::BOTTOM;

/// The part of a walk that continues from return states, the states after a call.
pub(crate) struct Returns<'w, 'a> {
    /// The token trie and the lazily determinized automaton of all rules, which are walked together.
    pub(crate) cursor: &'w mut Cursor<'a>,
    /// Trie nodes and subtrees that the walk has still to visit.
    pub(crate) worklist: &'w mut Worklist,
    /// Sets of trie nodes walked together: those reached by one byte string from all nodes of a set of exits (nodes
    /// where a rule returns).
    pub(crate) node_sets: &'w mut NodeSets,
}

impl<'a> Returns<'_, 'a> {
    /// Queues the outcomes (tokens and exits) of `state` over the local stack frame `frame` (pushed during the walk) at
    /// each of the trie nodes `nodes`. A node also becomes an exit if the rule in which the walk began may return there
    /// at once.
    pub(crate) fn run(
        &mut self,
        state: u32,
        frame: u32,
        nodes: impl Iterator<Item = u32>,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        let reached = self.cursor.sets.after_returns(state, frame);
        let way = self.cursor.live_configurations(reached.at);
        for node in nodes {
            if reached.exits {
                builder.leave(node);
            }
            self.worklist.walk_below(node, way);
        }
    }

    /// Continues from the local stack frame `frame` at the trie nodes `exits`, at which a callee returns. With an empty
    /// local stack (no call still open), the rule in which the walk began returns there.
    pub(crate) fn go_on(
        &mut self,
        frame: u32,
        exits: impl Iterator<Item = u32>,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        if frame == BOTTOM {
            // The walk may have arrived from another rule by tail calls, whose FOLLOW set is smaller.
            exits.for_each(|exit| builder.leave(exit));
            return;
        }
        let (ret, parent) = self.cursor.sets.frame(frame);
        self.run(ret, parent, exits, builder);
    }

    /// Adds to `builder` the outcomes (consumed tokens and exit nodes) of a return state over its frame, `at`, at the
    /// trie nodes `nodes`. These ascend and belong to the vocabulary's set of exits (nodes where a callee returns) with
    /// the id `class`. Children within the subtrees `excluded` are skipped.
    pub(crate) fn leave_through(
        &mut self,
        at: Configuration,
        class: u32,
        nodes: &[u32],
        excluded: &Excluded,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        let Some(&first) = nodes.first() else { return };
        let reached = self.cursor.sets.after_returns(at.0, at.1);
        if reached.exits {
            nodes.iter().for_each(|&node| builder.leave(node));
        }
        let way = self.cursor.live_configurations(reached.at);
        let shared = self.cursor.follow.network().shared;
        let of_class = class_nodes(shared, class);
        let all = of_class.len() == nodes.len();
        let below = matches!(of_class, [0, rest @ ..] if rest.len() == nodes.len()) && first != 0;
        let are_together = (all || below) && excluded.is_empty() && !way.is_wide;
        if are_together && self.cursor.has(Shortcut::NodeSets) {
            self.cursor.count(Shortcut::NodeSets);
            let from = ClassNodes { class, with_root: all };
            let Self { cursor, worklist, node_sets } = self;
            return node_sets.leave_together(cursor, worklist, way, from, builder);
        }
        let edges = self.cursor.facts.class_edges(shared, class);
        let LiveConfigurations { at, live, .. } = way;
        let floor = self.worklist.floor();
        let trie = self.cursor.trie;
        let end = nodes.iter().map(|&node| trie.end[node as usize]).max().unwrap_or(first);
        let mut from = 0;
        for byte in live.iter() {
            from += edges[from..].partition_point(|edge| (edge.byte, edge.child) <= (byte, first));
            let on = edges[from..].iter().take_while(|edge| edge.byte == byte && edge.child < end);
            let on = on.filter(|edge| all || nodes.binary_search(&edge.node).is_ok());
            let on = on.filter(|edge| !excluded.contains(edge.child));
            on.for_each(|edge| self.worklist.visit(edge.child, at));
        }
        self.worklist.sort(floor);
    }
}
