//! Scan of whole subtrees in preorder, for wide states.
//!
//! A wide state can consume many bytes, and so reads most children of a node. Choosing among the children would cost
//! more than looking at all. So nodes are taken in preorder, each with the configuration of its parent. States of the
//! [table](crate::masks::equivalence::transition_table) are given by their rows, and a step is a look-up of one entry.
//!
//! Cost: O(nodes reached), some 4 ns each.

use super::cursor::{Cursor, NODES_A_LOOK};
use super::worklist::Worklist;
use crate::masks::equivalence::transition_table::TransitionTable;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::trie::byte_bits::bits;
use crate::network::lazy_dfa::{BOTTOM, Configurations};

/// Reused buffers for scans of whole subtrees of the trie. A scan may begin within another.
#[derive(Default)]
pub(crate) struct Scanner {
    /// For each depth in the trie, the row of the transition table that the scan has reached on the current path.
    rows: Vec<u32>,
    /// For each subtree of the trie on the current path, its end in preorder (exclusive), and the configurations (state
    /// and stack frame) at its root.
    path: Vec<(u32, Configurations)>,
}

impl Scanner {
    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of the strings below `node`, by one scan of the
    /// subtree in preorder. `at` are the configurations (state and stack frame) at `node`.
    pub(crate) fn scan(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: Configurations,
        node: u32,
        builder: &mut OutcomeBuilder<'_>,
    ) {
        let trie = cursor.trie;
        let floor = self.path.len();
        self.path.push((trie.end[node as usize], at));
        let mut next = node + 1;
        while self.path.len() > floor {
            let (end, at) = self.path[self.path.len() - 1];
            if next >= end {
                self.path.pop();
                continue;
            }
            let child = next;
            let reached = cursor.sets.step(at, trie.byte[child as usize]);
            let child_end = trie.end[child as usize];
            next = child_end;
            if reached.ends {
                builder.outcome.add_span(trie.tokens_at(child));
            }
            if child_end == child + 1 {
                continue;
            }
            if reached.exits {
                builder.leave(child);
            }
            if reached.at != Configurations::Nowhere {
                self.path.push((child_end, reached.at));
                next = child + 1;
            }
        }
        // The subtree is small. If the budget is spent, the walk stops after this scan.
        cursor.sets.is_late((next - node) as usize);
    }
}

/// A scan of subtrees of the trie for states that have rows in the transition table.
pub(crate) struct RowScan<'w, 'a> {
    /// The token trie and the lazily determinized automaton of all rules, which are walked together.
    pub(crate) cursor: &'w mut Cursor<'a>,
    /// Transitions of states with many outgoing bytes, one row of the transition table for each state.
    pub(crate) table: &'a TransitionTable,
    /// Takes the subtrees of the trie that the table does not describe: those after calls and at states without a row.
    pub(crate) worklist: &'w mut Worklist,
    /// Reused buffers of the scan.
    pub(crate) scanner: &'w mut Scanner,
}

impl RowScan<'_, '_> {
    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of the strings below `node`, for the state of
    /// `row`. The local stack must be empty (no call still open). Parts that the table does not describe are put on the
    /// worklist (parts still to visit). Stops early once the budget is spent.
    pub(crate) fn scan(&mut self, row: u32, node: u32, builder: &mut OutcomeBuilder<'_>) {
        let Self { cursor, table, worklist, scanner: Scanner { rows, .. } } = self;
        let (trie, nodes) = (cursor.trie, cursor.facts.nodes());
        let after = bits(builder.after);
        let end = trie.end[node as usize];
        rows.resize(rows.len().max(nodes.depth(node) + nodes.height(node) + 1), 0);
        rows[nodes.depth(node)] = row;
        let mut next = node + 1;
        let mut steps = 0;
        while next < end {
            steps += 1;
            if usize::is_multiple_of(steps, NODES_A_LOOK) && cursor.sets.is_late(NODES_A_LOOK) {
                return;
            }
            let child = next;
            let depth = nodes.depth(child);
            let row = rows[depth - 1];
            let entry = table.on(row, trie.byte[child as usize]);
            let child_end = trie.end[child as usize];
            next = child_end;
            if entry.is_dead() {
                continue;
            }
            if entry.is_call() {
                // One call is met at many nodes, so its configuration is interned.
                let at = cursor.sets.interned(Configurations::One(table.state(row), BOTTOM));
                worklist.visit(child, at);
                continue;
            }
            if entry.ends() {
                builder.outcome.add_span(trie.tokens_at(child));
            }
            if child_end == child + 1 {
                continue;
            }
            let below = nodes.below(child);
            if entry.exits() && below & after != 0 {
                builder.leave(child);
            }
            if let Some(row) = entry.row() {
                if table.loops(row, below, nodes.height(child), after) {
                    let below = trie.tokens_at(child).end..trie.tokens_below(child).end;
                    builder.outcome.add_span(below);
                } else {
                    rows[depth] = row;
                    next = child + 1;
                }
            } else if let Some(index) = entry.other() {
                let state = cursor.follow.network().own.bases.states + index;
                let way = cursor.live_configurations(Configurations::One(state, BOTTOM));
                worklist.walk_below(child, way);
            }
        }
    }
}
