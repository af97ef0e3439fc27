//! The worklist of a walk: nodes and subtrees still to be visited. A shortcut puts the subtrees that it cannot resolve
//! here, and never calls the walk.
//!
//! Outcomes are sets, normalised at the end, so they do not depend on the order of the work.

use super::cursor::LiveConfigurations;
use crate::network::lazy_dfa::Configurations;

/// Initial capacity of a worklist (parts still to visit), in trie nodes to visit.
const ROOM: usize = 64;

/// The parts of the trie that a walk has still to visit: single nodes and whole subtrees, in two stacks.
pub(crate) struct Worklist {
    /// Trie nodes to visit, each with the configurations (state and stack frame) at its parent.
    visits: Vec<(u32, Configurations)>,
    /// Roots of subtrees to walk, each with the configurations (state and stack frame) at that root. The token of the
    /// root itself is already handled.
    below: Vec<(u32, LiveConfigurations)>,
}

/// The lengths of both stacks of a worklist (parts still to visit) when a nested walk began. Items below these belong
/// to the outer walk.
#[derive(Clone, Copy)]
pub(crate) struct Floor {
    /// Number of queued node visits that belong to the outer walk.
    visits: usize,
    /// Number of queued subtrees that belong to the outer walk.
    below: usize,
}

impl Worklist {
    /// Returns an empty worklist (parts still to visit).
    pub(crate) fn new() -> Self {
        Self { visits: Vec::with_capacity(ROOM), below: Vec::new() }
    }

    /// Returns the current lengths of both stacks, the nodes to visit and the subtrees to walk, as the floor of a
    /// nested walk.
    pub(crate) fn floor(&self) -> Floor {
        Floor { visits: self.visits.len(), below: self.below.len() }
    }

    /// Queues a visit of a trie node. `at` are the configurations (state and stack frame) at its parent.
    #[inline]
    pub(crate) fn visit(&mut self, node: u32, at: Configurations) {
        self.visits.push((node, at));
    }

    /// Queues visits of several trie nodes, to be made in the given order. `at` are the configurations (state and stack
    /// frame) at the parent of each.
    pub(crate) fn visit_all(&mut self, at: Configurations, nodes: impl Iterator<Item = u32>) {
        let from = self.visits.len();
        self.visits.extend(nodes.map(|node| (node, at)));
        self.visits[from..].reverse();
    }

    /// Queues a walk of the strings below a trie node. `way` has the configurations (state and stack frame) at that
    /// node.
    pub(crate) fn walk_below(&mut self, node: u32, way: LiveConfigurations) {
        self.below.push((node, way));
    }

    /// Sorts the node visits queued since `floor`, so that they are made in ascending order of the trie nodes.
    pub(crate) fn sort(&mut self, floor: Floor) {
        self.visits[floor.visits..].sort_unstable_by_key(|&(node, _)| std::cmp::Reverse(node));
    }

    /// Takes the next node to visit, with the configurations (state and stack frame) at its parent. `None` if no visit
    /// was queued since `floor`.
    #[inline]
    pub(crate) fn next_visit(&mut self, floor: Floor) -> Option<(u32, Configurations)> {
        if self.visits.len() > floor.visits { self.visits.pop() } else { None }
    }

    /// Takes the next subtree to walk, as its root and the configurations (state and stack frame) there. `None` if none
    /// was queued since `floor`.
    pub(crate) fn next_below(&mut self, floor: Floor) -> Option<(u32, LiveConfigurations)> {
        if self.below.len() > floor.below { self.below.pop() } else { None }
    }

    /// Drops all nodes and subtrees that were queued since `floor`.
    pub(crate) fn drop_to(&mut self, floor: Floor) {
        self.visits.truncate(floor.visits);
        self.below.truncate(floor.below);
    }
}
