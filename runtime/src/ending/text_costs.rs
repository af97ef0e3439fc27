//! For every node of a catalogue, the bytes of the shortest text from there on.
//!
//! Most nodes are single bytes of a tail, which lead to one node each. So the number is kept for nodes with a head alone,
//! and found for the others by going on to the next of these.
//!
//! Cost: once for a grammar, O(nodes with a head, with a search each); 8 bytes for each of them.

use grammarc_artifacts::catalogue::Catalogue;

/// The costs of a grammar's catalogues.
#[derive(Clone, Debug)]
pub(super) struct TextCosts {
    /// Address and cost of each node with a head, ascending.
    nodes: Vec<(u32, u32)>,
}

impl TextCosts {
    /// The costs of valid nodes.
    pub(super) fn new(catalogue: Catalogue<'_>) -> Self {
        let mut nodes = Vec::new();
        let (mut at, end) = (1, catalogue.len() as u32);
        while at < end {
            if catalogue.tail_byte(at).is_none() {
                nodes.push((at, 0));
            }
            at = catalogue.node(at).end();
        }
        let mut costs = Self { nodes };
        // Transitions lead to higher addresses, whose costs are known then.
        for index in (0..costs.nodes.len()).rev() {
            let node = catalogue.node(costs.nodes[index].0);
            if !node.is_final() {
                let targets = (0..node.labels().len()).map(|at| node.target(at));
                let least = targets.filter_map(|target| costs.of(catalogue, target)).min();
                costs.nodes[index].1 = least.map_or(0, |least| least + 1);
            }
        }
        costs
    }

    /// The bytes of the shortest text from a node on; `None` where there is no node.
    pub(super) fn of(&self, catalogue: Catalogue<'_>, mut node: u32) -> Option<u32> {
        let mut read = 0;
        while catalogue.tail_byte(node).is_some() {
            node += 1;
            read += 1;
        }
        let at = self.nodes.binary_search_by_key(&node, |known| known.0).ok()?;
        Some(read + self.nodes[at].1)
    }
}
