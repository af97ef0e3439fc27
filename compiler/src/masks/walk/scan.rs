//! Scan of whole subtrees in preorder, for wide states.
//!
//! A wide state reads most children of a node, so choosing among them costs more than to look at all: nodes are taken
//! in preorder, each with the configuration of its parent. States of the
//! [table](crate::masks::equivalence::transition_table) are numbers of rows, and a step is one entry of it.
//!
//! Cost: O(nodes reached), some 4 ns each.

use super::cursor::{Cursor, NODES_A_LOOK};
use super::worklist::Worklist;
use crate::masks::equivalence::transition_table::TransitionTable;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::trie::byte_bits::bits;
use crate::network::lazy_dfa::{BOTTOM, Configurations};

/// Room for scans, one within another.
#[derive(Default)]
pub(crate) struct Scanner {
    /// By depth, the row that a scan has reached.
    rows: Vec<u32>,
    /// Ends of the subtrees that are being scanned, and the configurations at their roots.
    path: Vec<(u32, Configurations)>,
}

impl Scanner {
    /// Adds what becomes of the strings below `node`, in one go.
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
        // The subtree is small: where the budget is spent, whoever walks from one to the next ends.
        cursor.sets.is_late((next - node) as usize);
    }
}

/// The scan of states that have rows in the transition table.
pub(crate) struct RowScan<'w, 'a> {
    pub(crate) cursor: &'w mut Cursor<'a>,
    pub(crate) table: &'a TransitionTable,
    pub(crate) worklist: &'w mut Worklist,
    pub(crate) scanner: &'w mut Scanner,
}

impl RowScan<'_, '_> {
    /// Adds what becomes of the strings below `node` in the state of a row with nothing on the local stack, in one go.
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
                // The same call is met at many nodes.
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
