//! Input that is not decided yet: for each byte, or token of a token edge, the scopes that read it in the open parses.
//!
//! ```text
//! layer      1          2          3
//!         text <──── text <──── text          a node has the scope that read the layer in some parse,
//!             └───── markup <── json          and the node before it
//! ```
//!
//! A layer is decided once all layers before it are, and all open parses agree on it. With one parse, no layer stays open.
//! Several parses are compared each time the number of open layers has grown by half.
//!
//! Cost: O(nodes) amortized.

use std::ops::Range;

use super::markers::Symbol;

/// The number in place of a node whose layer is decided.
pub(super) const DECIDED: u32 = u32::MAX;

/// Number of open layers up to which the parses are compared at each call. Beyond, they are compared less often.
const FEW: usize = 32;

/// A layer as one parse read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The node of the layer before, or [`DECIDED`].
    pub(super) before: u32,
    /// The scope that read the layer.
    pub(super) scope: u32,
    /// The symbol. `None` for a byte of a token that began in an earlier layer.
    pub(super) symbol: Option<Symbol>,
}

/// The end of a layer.
#[derive(Clone, Copy, Debug, Default)]
struct LayerEnd {
    /// Number of nodes up to here.
    nodes: usize,
    /// Number of bytes up to here.
    bytes: usize,
}

/// The layers that are not decided.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    nodes: Vec<Node>,
    layers: Vec<LayerEnd>,
    bytes: Vec<u8>,
    /// Number of layers at which the parses are compared again.
    due: usize,
}

/// A number of layers, to return to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Pending {
    /// Adds a node to the layer that is read, and returns its number.
    pub(super) fn node(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Ends the layer that is read.
    pub(super) fn end_layer(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.layers.push(LayerEnd { nodes: self.nodes.len(), bytes: self.bytes.len() });
    }

    /// The number of layers.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.layers.len())
    }

    /// Removes the layers that were added since a mark, and the nodes of the layer that is read.
    pub(super) fn back_to(&mut self, Mark(layers): Mark) {
        self.layers.truncate(layers);
        let LayerEnd { nodes, bytes } = self.layers.last().copied().unwrap_or_default();
        self.nodes.truncate(nodes);
        self.bytes.truncate(bytes);
    }

    /// Decides the layers on which all parses agree, calls `decided` with each, and renumbers the tips. A tip is the last node
    /// of a parse.
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
        let mut before = LayerEnd::default();
        let mut count = 0;
        for &end in &self.layers {
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

    /// Removes the first layers, which end at `end`, and renumbers nodes and tips.
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

    /// The scopes of all nodes, for a collection to renumber.
    pub(super) fn scopes(&mut self) -> impl Iterator<Item = &mut u32> {
        self.nodes.iter_mut().map(|node| &mut node.scope)
    }
}
