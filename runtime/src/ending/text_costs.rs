//! For every node of a packed string set, the length of the shortest text from the node on.
//!
//! Most nodes are single bytes of a tail, a chain of nodes with one successor each. So the length is stored only for
//! nodes with a head. For another node, the tail is followed up to the next node with a head.
//!
//! Cost: O(n log n) for n nodes with a head, once for a grammar; 8 bytes for each of them.

use grammarc_artifacts::packed_strings::PackedStrings;

/// The lengths of the shortest texts in a grammar's packed string sets.
#[derive(Clone, Debug)]
pub(super) struct TextCosts {
    /// For each node with a head, its address and the length in bytes of the shortest text from there. Ascending by
    /// address.
    nodes: Vec<(u32, u32)>,
}

impl TextCosts {
    /// Computes the lengths for all nodes with a head. The caller has checked the nodes.
    pub(super) fn new(strings: PackedStrings<'_>) -> Self {
        let mut nodes = Vec::new();
        let (mut at, end) = (1, strings.len() as u32);
        while at < end {
            if strings.tail_byte(at).is_none() {
                nodes.push((at, 0));
            }
            at = strings.node(at).end();
        }
        let mut costs = Self { nodes };
        // Transitions lead to higher addresses, whose lengths are known.
        for index in (0..costs.nodes.len()).rev() {
            let node = strings.node(costs.nodes[index].0);
            if !node.is_final() {
                let targets = (0..node.labels().len()).map(|at| node.target(at));
                let least = targets.filter_map(|target| costs.of(strings, target)).min();
                costs.nodes[index].1 = least.map_or(0, |least| least + 1);
            }
        }
        costs
    }

    /// Returns the length of the shortest text from a node on, in bytes. `None` for an address at which no node begins.
    pub(super) fn of(&self, strings: PackedStrings<'_>, mut node: u32) -> Option<u32> {
        let mut read = 0;
        while strings.tail_byte(node).is_some() {
            node += 1;
            read += 1;
        }
        let at = self.nodes.binary_search_by_key(&node, |known| known.0).ok()?;
        Some(read + self.nodes[at].1)
    }
}
