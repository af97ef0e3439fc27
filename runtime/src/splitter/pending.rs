//! Input that is not decided yet. For each byte, or token of a token edge, the scopes that read it in the open parses.
//! A scope is a call of a region in progress.
//!
//! ```text
//! layer      1          2          3
//!         text <──── text <──── text          a node has the scope that read the layer in some parse,
//!             └───── markup <── json          and the node before it
//! ```
//!
//! A layer is decided once all layers before it are, and all open parses agree on it. With one parse, no layer stays
//! open. Several parses are compared each time the number of open layers has grown by half.
//!
//! Cost: O(nodes) amortized.

use std::ops::Range;

use super::markers::Symbol;

/// Number in place of a node whose layer is decided and removed.
pub(super) const DECIDED: u32 = u32::MAX;

/// Largest number of open layers at which the parses are compared after each call. With more layers they are compared
/// each time the number has grown by half.
const FEW: usize = 32;

/// One layer as one or more parses read it. A layer is one byte or one special token of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Number of the node of the layer before in the same parse, or [`DECIDED`].
    pub(super) before: u32,
    /// Number of the scope that read the layer.
    pub(super) scope: u32,
    /// The byte or token of the layer. `None` for a byte of a token whose symbol stands in an earlier layer.
    pub(super) symbol: Option<Symbol>,
}

/// The end of a layer, as counts over all open layers up to and including it.
#[derive(Clone, Copy, Debug, Default)]
struct LayerEnd {
    /// Number of nodes in the layers up to this end.
    nodes: usize,
    /// Number of bytes in the layers up to this end.
    bytes: usize,
}

/// The layers on which the parses do not agree yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    nodes: Vec<Node>,
    layers: Vec<LayerEnd>,
    bytes: Vec<u8>,
    /// Number of layers from which on the parses are compared again.
    due: usize,
}

/// A number of layers, to return to by [`Pending::back_to`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Pending {
    /// Adds a node to the layer that is being read, and returns the node's number.
    pub(super) fn node(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Ends the layer that is being read. `bytes` are the bytes of the layer.
    pub(super) fn end_layer(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.layers.push(LayerEnd { nodes: self.nodes.len(), bytes: self.bytes.len() });
    }

    /// Returns a mark for the current number of layers.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.layers.len())
    }

    /// Removes the layers that were added since the mark, and the nodes of the layer that is being read.
    pub(super) fn back_to(&mut self, Mark(layers): Mark) {
        self.layers.truncate(layers);
        let LayerEnd { nodes, bytes } = self.layers.last().copied().unwrap_or_default();
        self.nodes.truncate(nodes);
        self.bytes.truncate(bytes);
    }

    /// Decides the layers on which all parses agree, in order, but not the newest `held`. Calls `decided` with a node of
    /// each decided layer and the layer's bytes. Then removes these layers and renumbers the tips. A tip is the number of
    /// the last node of a parse.
    pub(super) fn decide<'t>(
        &mut self,
        held: usize,
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
        let mut before = LayerEnd::default();
        let mut count = 0;
        let most = self.layers.len().saturating_sub(held);
        for &end in self.layers.iter().take(most) {
            let range: Range<usize> = before.nodes..end.nodes;
            let mut open = range.filter(|&node| is_open[node]).map(|node| self.nodes[node]);
            let Some(first) = open.next() else { break };
            if open.any(|node| (node.scope, node.symbol) != (first.scope, first.symbol)) {
                break;
            }
            decided(first, &self.bytes[before.bytes..end.bytes]);
            before = end;
            count += 1;
        }
        self.drop_first(count, before, &mut tips);
        let left = self.layers.len();
        self.due = if left <= FEW { 0 } else { left + left / 2 };
    }

    /// Removes the first `layers` layers, which end at `end`. Renumbers the remaining nodes and the tips.
    fn drop_first(&mut self, layers: usize, end: LayerEnd, tips: &mut [&mut u32]) {
        let LayerEnd { nodes, bytes } = end;
        self.layers.drain(..layers);
        self.nodes.drain(..nodes);
        self.bytes.drain(..bytes);
        for end in &mut self.layers {
            *end = LayerEnd { nodes: end.nodes - nodes, bytes: end.bytes - bytes };
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

    /// Returns the scopes of all nodes, so that a collection can renumber them.
    pub(super) fn scopes(&mut self) -> impl Iterator<Item = &mut u32> {
        self.nodes.iter_mut().map(|node| &mut node.scope)
    }
}
