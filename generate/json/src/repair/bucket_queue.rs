//! The priority queue of the search. Costs are small integers, so there is one bucket for each
//! cost.
//!
//! Cost: O(1) for each node, plus one step for each possible cost to pass over empty buckets.

use super::costs::{self, Cost};

/// The nodes that the search has to visit, in one bucket for each cost.
pub(super) struct BucketQueue {
    /// For each cost, the nodes with the band of costs to expand. [`BANDS`](super::lattice::BANDS)
    /// defines the bands.
    nodes: Vec<Vec<(u32, u8)>>,
    /// For each cost, the nodes at which the document ends. They are visited after all other nodes
    /// of the same cost, when all paths to them are known.
    ends: Vec<Vec<u32>>,
    /// The cost of the nodes that are visited next.
    pub(super) cost: usize,
}

/// The next entry of the queue.
pub(super) enum Next {
    /// A search node to visit, with the index of its band of costs.
    Node(u32, usize),
    /// A search node at which the document ends.
    End(u32),
}

impl BucketQueue {
    /// Creates an empty queue.
    pub(super) fn new() -> Self {
        let costs = usize::from(costs::MOST) + 1;
        Self { nodes: vec![Vec::new(); costs], ends: vec![Vec::new(); costs], cost: 0 }
    }

    /// Adds a node with the index of its band. Drops the node if `cost` exceeds the maximum cost of
    /// a repair.
    pub(super) fn push(&mut self, cost: Cost, node: u32, band: u8) {
        if let Some(bucket) = self.nodes.get_mut(usize::from(cost)) {
            bucket.push((node, band));
        }
    }

    /// Adds a node at which the document ends. Drops the node if `cost` exceeds the maximum cost of
    /// a repair.
    pub(super) fn push_end(&mut self, cost: Cost, node: u32) {
        if let Some(bucket) = self.ends.get_mut(usize::from(cost)) {
            bucket.push(node);
        }
    }

    /// Removes and returns the next entry. `None` if no remaining entry costs at most `most`.
    pub(super) fn pop(&mut self, most: Cost) -> Option<Next> {
        while self.cost <= usize::from(most) {
            if let Some((node, band)) = self.nodes.get_mut(self.cost).and_then(Vec::pop) {
                return Some(Next::Node(node, usize::from(band)));
            }
            if let Some(end) = self.ends.get_mut(self.cost).and_then(Vec::pop) {
                return Some(Next::End(end));
            }
            self.cost += 1;
        }
        None
    }
}
