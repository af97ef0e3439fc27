//! The queue of the search: a bucket for each cost, since costs are small integers.
//!
//! Cost: O(1) for each node, and O(costs) in all for empty buckets.

use super::costs::{self, Cost};

/// The nodes to visit, in a bucket for each cost.
pub(super) struct BucketQueue {
    /// Nodes by cost, each with its band.
    nodes: Vec<Vec<(u32, u8)>>,
    /// Nodes at which the document ends, by cost. They are visited after all others of that cost, when all paths to
    /// them are known.
    ends: Vec<Vec<u32>>,
    /// The cost of the nodes to visit next.
    pub(super) cost: usize,
}

/// The next node in the queue.
pub(super) enum Next {
    /// A node to visit, with its band.
    Node(u32, usize),
    /// A node at which the document ends.
    End(u32),
}

impl BucketQueue {
    /// Returns an empty queue.
    pub(super) fn new() -> Self {
        let costs = usize::from(costs::MOST) + 1;
        Self { nodes: vec![Vec::new(); costs], ends: vec![Vec::new(); costs], cost: 0 }
    }

    /// Adds a node. One that costs too much is dropped.
    pub(super) fn push(&mut self, cost: Cost, node: u32, band: u8) {
        if let Some(bucket) = self.nodes.get_mut(usize::from(cost)) {
            bucket.push((node, band));
        }
    }

    /// Adds a node at which the document ends. One that costs too much is dropped.
    pub(super) fn push_end(&mut self, cost: Cost, node: u32) {
        if let Some(bucket) = self.ends.get_mut(usize::from(cost)) {
            bucket.push(node);
        }
    }

    /// Removes the next node. `None` if no further node costs at most `most`.
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
