//! Packed string sets in the tables of a grammar: one table of nodes, and rules of three states in place of those of the
//! network.
//!
//! Transitions hold distances between nodes, so the nodes of a set may begin at any address.
//!
//! Cost: O(states and edges, and bytes of the nodes).

use grammarc_artifacts::TablesData;
use grammarc_artifacts::packed_strings::{PackedRule, pack};
use grammarc_artifacts::sections::masks::CrowdedRecord;

use crate::ir::ByteSet;
use crate::masks::CrowdedMasks;
use crate::network::Network;

/// Statistics of the packed string sets of a grammar.
pub(super) struct Counts {
    pub(super) bytes: usize,
    pub(super) texts: usize,
    pub(super) crowded: usize,
}

/// Adds the packed string sets of a network to its tables. `None` if the network has none.
pub(super) fn add(
    tables: &mut TablesData,
    network: &Network,
    masks: &CrowdedMasks,
) -> Option<Counts> {
    if network.catalogues.is_empty() {
        return None;
    }
    // The byte at address 0 is no node.
    let mut nodes: Vec<u8> = vec![0];
    let mut crowded: Vec<CrowdedRecord> = Vec::new();
    let mut packed: Vec<PackedRule> = Vec::new();
    let mut texts = 0;
    for ((rule, strings), stored) in network.catalogues.iter().zip(&masks.nodes) {
        let before = nodes.len() as u32 - 1;
        nodes.extend_from_slice(&strings.nodes[1..]);
        let moved =
            |stored: &CrowdedRecord| CrowdedRecord { node: before + stored.node, ..*stored };
        crowded.extend(stored.iter().map(moved));
        let (root, bytes) = (before + strings.root, strings.letters);
        packed.push(PackedRule { rule: *rule, root, bytes: ByteSet::to_words(bytes) });
        texts += strings.texts;
    }
    let counts = Counts { bytes: nodes.len(), texts, crowded: crowded.len() };
    pack(tables, &packed, masks.nothing);
    (tables.packed_strings, tables.crowded) = (nodes, crowded);
    Some(counts)
}
