//! Walks of wide states over whole subtrees, in one go.
//!
//! Where most children are gone on with, to choose among them costs more than to look at all: the nodes are taken in
//! their order, each with what its parent came to. States of the [table](crate::masks::equivalence::transition_table) are numbers of rows there, and
//! what one comes to is an entry of it.
//!
//! Cost: O(nodes reached), some 4 ns each.

use super::walker::{NODES_A_LOOK, OutcomeBuilder, Walker};
use crate::masks::trie::byte_bits::bits;
use crate::network::local::{At, BOTTOM};

impl Walker<'_> {
    /// Adds what becomes of the strings below `node`, in one go.
    pub(crate) fn sweep(&mut self, at: At, node: u32, building: &mut OutcomeBuilder) {
        let trie = self.trie;
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
            let reached = self.sets.step(at, trie.byte[child as usize]);
            let child_end = trie.end[child as usize];
            next = child_end;
            if reached.ends {
                building.outcome.add_span(trie.tokens_at(child));
            }
            if child_end == child + 1 {
                continue;
            }
            if reached.exits {
                self.leave(child, building);
            }
            if reached.at != At::Nowhere {
                self.path.push((child_end, reached.at));
                next = child + 1;
            }
        }
        // The subtree is small: where the budget is spent, whoever walks from one to the next ends.
        self.sets.is_late((next - node) as usize);
    }

    /// The row of a state that is worth sweeping.
    pub(crate) fn wide_row(&self, state: u32) -> Option<u32> {
        self.agreement.row_of(state).filter(|_| self.agreement.is_swept(state))
    }

    /// Adds what becomes of the strings below `node` in the state of a row with nothing on the local stack, in one go.
    pub(crate) fn sweep_rows(&mut self, row: u32, node: u32, building: &mut OutcomeBuilder) {
        let (trie, nodes, rows) = (self.trie, self.known.nodes(), self.agreement.rows());
        let after = bits(building.after);
        let end = trie.end[node as usize];
        self.lane.resize(self.lane.len().max(nodes.depth(node) + nodes.height(node) + 1), 0);
        self.lane[nodes.depth(node)] = row;
        let mut next = node + 1;
        let mut steps = 0;
        while next < end {
            steps += 1;
            if usize::is_multiple_of(steps, NODES_A_LOOK) && self.sets.is_late(NODES_A_LOOK) {
                return;
            }
            let child = next;
            let depth = nodes.depth(child);
            let row = self.lane[depth - 1];
            let entry = rows.on(row, trie.byte[child as usize]);
            let child_end = trie.end[child as usize];
            next = child_end;
            if entry.is_dead() {
                continue;
            }
            if entry.is_call() {
                // The same call is met at many nodes.
                let at = self.sets.interned(At::One(rows.state(row), BOTTOM));
                self.visit(at, child, building);
                continue;
            }
            if entry.ends() {
                building.outcome.add_span(trie.tokens_at(child));
            }
            if child_end == child + 1 {
                continue;
            }
            let below = nodes.below(child);
            if entry.exits() && below & after != 0 {
                self.leave(child, building);
            }
            if let Some(row) = entry.row() {
                if rows.loops(row, below, nodes.height(child), after) {
                    let below = trie.tokens_at(child).end..trie.tokens_below(child).end;
                    building.outcome.add_span(below);
                } else {
                    self.lane[depth] = row;
                    next = child + 1;
                }
            } else if let Some(index) = entry.other() {
                let state = self.follow.network().own.bases.states + index;
                let way = self.way(At::One(state, BOTTOM));
                self.go_below(way, child, building);
            }
        }
    }

    /// Adds the outcome of a state with a row at `node` whatever its rule is called from.
    pub(crate) fn sweep_alone(
        &mut self,
        (state, row): (u32, u32),
        node: u32,
        building: &mut OutcomeBuilder,
    ) {
        if self.follow.is_final(state) {
            self.leave(node, building);
        }
        self.sweep_rows(row, node, building);
    }
}
