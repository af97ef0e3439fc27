//! The worklist of a walk. Whoever saves a walk puts what is left of it here and never calls the walk.
//!
//! Outcomes are sets and are normalised in the end, so the order of the work does not show.

use super::cursor::LiveConfigurations;
use crate::network::lazy_dfa::Configurations;

/// Items that there is room for at first.
const ROOM: usize = 64;

/// Nodes to visit and subtrees to walk, the next one last.
pub(crate) struct Worklist {
    /// Nodes, and the configurations at their parents.
    visits: Vec<(u32, Configurations)>,
    /// Nodes, and the configurations there.
    below: Vec<(u32, LiveConfigurations)>,
}

/// How much of a worklist is another walk's, which has begun this one.
#[derive(Clone, Copy)]
pub(crate) struct Floor {
    visits: usize,
    below: usize,
}

impl Worklist {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self { visits: Vec::with_capacity(ROOM), below: Vec::new() }
    }

    /// All that is to do so far.
    pub(crate) fn floor(&self) -> Floor {
        Floor { visits: self.visits.len(), below: self.below.len() }
    }

    /// A node is to be visited from the configurations at its parent.
    #[inline]
    pub(crate) fn visit(&mut self, node: u32, at: Configurations) {
        self.visits.push((node, at));
    }

    /// Nodes are to be visited, in this order, from the configurations at their parents.
    pub(crate) fn visit_all(&mut self, at: Configurations, nodes: impl Iterator<Item = u32>) {
        let from = self.visits.len();
        self.visits.extend(nodes.map(|node| (node, at)));
        self.visits[from..].reverse();
    }

    /// The strings below a node are to be walked from the configurations there.
    pub(crate) fn walk_below(&mut self, node: u32, way: LiveConfigurations) {
        self.below.push((node, way));
    }

    /// Has what was put here since the floor done in the order of the nodes.
    pub(crate) fn sort(&mut self, floor: Floor) {
        self.visits[floor.visits..].sort_unstable_by_key(|&(node, _)| std::cmp::Reverse(node));
    }

    /// The next node to visit.
    #[inline]
    pub(crate) fn next_visit(&mut self, floor: Floor) -> Option<(u32, Configurations)> {
        if self.visits.len() > floor.visits { self.visits.pop() } else { None }
    }

    /// The next subtree to walk.
    pub(crate) fn next_below(&mut self, floor: Floor) -> Option<(u32, LiveConfigurations)> {
        if self.below.len() > floor.below { self.below.pop() } else { None }
    }

    /// Drops what was put here since the floor.
    pub(crate) fn drop_to(&mut self, floor: Floor) {
        self.visits.truncate(floor.visits);
        self.below.truncate(floor.below);
    }
}
