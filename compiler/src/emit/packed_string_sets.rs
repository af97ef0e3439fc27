//! Adds packed string sets to the tables of a grammar: all nodes in one list, and three states for each rule of a
//! set.
//!
//! Nodes refer to other nodes by relative offsets, so the nodes of a set may begin anywhere.
//!
//! Cost: O(states and edges, and bytes of the nodes).

use grammarc_artifacts::TablesData;
use grammarc_artifacts::packed_strings::{PackedRule, pack};
use grammarc_artifacts::sections::masks::HighFanoutRecord;

use crate::ir::ByteSet;
use crate::masks::HighFanoutMasks;
use crate::network::Network;

/// Facts about the packed sets of a grammar.
pub(super) struct Counts {
    pub(super) bytes: usize,
    pub(super) texts: usize,
    pub(super) high_fanout: usize,
}

/// Adds a network's packed sets to its tables. `None` if there are none.
pub(super) fn add(
    tables: &mut TablesData,
    network: &Network,
    masks: &HighFanoutMasks,
) -> Option<Counts> {
    if network.packed_sets.is_empty() {
        return None;
    }
    // Address 0 is not a node.
    let mut nodes: Vec<u8> = vec![0];
    let mut high_fanout: Vec<HighFanoutRecord> = Vec::new();
    let mut packed: Vec<PackedRule> = Vec::new();
    let mut texts = 0;
    for ((rule, set), stored) in network.packed_sets.iter().zip(&masks.nodes) {
        let before = nodes.len() as u32 - 1;
        nodes.extend_from_slice(&set.nodes[1..]);
        let moved =
            |stored: &HighFanoutRecord| HighFanoutRecord { node: before + stored.node, ..*stored };
        high_fanout.extend(stored.iter().map(moved));
        let (root, bytes) = (before + set.root, set.bytes);
        packed.push(PackedRule { rule: *rule, root, bytes: ByteSet::to_words(bytes) });
        texts += set.texts;
    }
    let counts = Counts { bytes: nodes.len(), texts, high_fanout: high_fanout.len() };
    pack(tables, &packed, masks.nothing);
    (tables.packed_strings, tables.high_fanout) = (nodes, high_fanout);
    Some(counts)
}
