//! Input that was read and not yet told apart: for each byte, or token that a token edge took, the ways to read it.
//!
//! ```text
//! layer      1          2          3
//!         text <──── text <──── text          a node is the scope that read the layer in some way,
//!             └───── markup <── json          and the node before it
//! ```
//!
//! A layer is decided where all ways that are still open agree on it, and all before it are. While there is one way, nothing
//! stays open. Several ways are compared each time that half as much again is open, so the cost is linear in the nodes.

use std::ops::Range;

use super::markers::Symbol;

/// No node: all before is decided.
pub(super) const DECIDED: u32 = u32::MAX;

/// Up to this many open layers the ways are compared at each call.
const FEW: usize = 32;

/// A layer as it was read in one way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The node of the layer before.
    pub(super) before: u32,
    /// The scope that read it.
    pub(super) scope: u32,
    /// The symbol; none for a byte of a token that began in a layer before.
    pub(super) symbol: Option<Symbol>,
}

/// Layers that are not decided.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    nodes: Vec<Node>,
    /// By layer, the ends of its nodes and of its bytes.
    layers: Vec<(usize, usize)>,
    bytes: Vec<u8>,
    /// Number of layers at which the ways are compared again.
    due: usize,
}

/// How much there is, to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Pending {
    /// Adds a node to the layer that is being read.
    pub(super) fn node(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Ends the layer that is being read.
    pub(super) fn end_layer(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.layers.push((self.nodes.len(), self.bytes.len()));
    }

    /// How much there is.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.layers.len())
    }

    /// Takes back what was added since, layers that have not ended too.
    pub(super) fn back_to(&mut self, Mark(layers): Mark) {
        self.layers.truncate(layers);
        let (nodes, bytes) = self.layers.last().copied().unwrap_or_default();
        self.nodes.truncate(nodes);
        self.bytes.truncate(bytes);
    }

    /// Decides as many layers as the ways that end in `tips` agree on, hands them to `decided` and renumbers the tips.
    pub(super) fn decide<'t>(
        &mut self,
        tips: impl ExactSizeIterator<Item = &'t mut u32>,
        mut decided: impl FnMut(Node, &[u8]),
    ) {
        let is_one = tips.len() == 1;
        if self.layers.is_empty() || (!is_one && self.layers.len() < self.due) {
            return;
        }
        let mut tips: Vec<&mut u32> = tips.collect();
        let mut is_open = vec![false; self.nodes.len()];
        tips.iter().filter(|tip| ***tip != DECIDED).for_each(|tip| is_open[**tip as usize] = true);
        for node in (0..self.nodes.len()).rev() {
            if is_open[node]
                && let Some(open) = is_open.get_mut(self.nodes[node].before as usize)
            {
                *open = true;
            }
        }
        let mut before = (0, 0);
        let mut count = 0;
        for &(nodes, bytes) in &self.layers {
            let range: Range<usize> = before.0..nodes;
            let mut open = range.filter(|&node| is_open[node]).map(|node| self.nodes[node]);
            let Some(first) = open.next() else { break };
            if open.any(|node| (node.scope, node.symbol) != (first.scope, first.symbol)) {
                break;
            }
            decided(first, &self.bytes[before.1..bytes]);
            before = (nodes, bytes);
            count += 1;
        }
        self.drop_first(count, before, &mut tips);
        let left = self.layers.len();
        self.due = if left <= FEW { 0 } else { left + left / 2 };
    }

    fn drop_first(&mut self, layers: usize, (nodes, bytes): (usize, usize), tips: &mut [&mut u32]) {
        self.layers.drain(..layers);
        self.nodes.drain(..nodes);
        self.bytes.drain(..bytes);
        for end in &mut self.layers {
            *end = (end.0 - nodes, end.1 - bytes);
        }
        let moved = |node: u32| match node {
            DECIDED => DECIDED,
            node => node.checked_sub(nodes as u32).unwrap_or(DECIDED),
        };
        for node in &mut self.nodes {
            node.before = moved(node.before);
        }
        for tip in tips {
            **tip = moved(**tip);
        }
    }

    /// The scopes of all nodes.
    pub(super) fn scopes(&mut self) -> impl Iterator<Item = &mut u32> {
        self.nodes.iter_mut().map(|node| &mut node.scope)
    }
}
