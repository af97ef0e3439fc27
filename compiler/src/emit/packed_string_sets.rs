//! Adds packed string sets to the tables of a grammar. A packed string set is a rule that accepts a finite set of
//! strings; its nodes form a minimal acyclic automaton. The nodes of all sets become one list, and each rule of a set
//! gets three states.
//!
//! Nodes refer to other nodes by relative offsets, so the nodes of a set may begin anywhere in the list.
//!
//! Cost: O(states and edges, and bytes of the nodes).

use grammarc_artifacts::TablesData;
use grammarc_artifacts::packed_strings::{PackedRule, pack};
use grammarc_artifacts::sections::masks::HighFanoutRecord;

use crate::ir::ByteSet;
use crate::masks::HighFanoutMasks;
use crate::network::Network;

/// The sizes of a grammar's packed string sets together, for the artifact's statistics.
pub(super) struct Counts {
    /// The length of the node list, in bytes.
    pub(super) bytes: usize,
    /// The number of strings in all sets.
    pub(super) texts: usize,
    /// The number of high-fanout nodes, whose masks are stored.
    pub(super) high_fanout: usize,
}

/// Adds the packed string sets of a network and the masks of their high-fanout nodes to its tables. `None` if there are
/// no sets.
pub(super) fn add(
    tables: &mut TablesData,
    network: &Network,
    masks: &HighFanoutMasks,
) -> Option<Counts> {
    if network.packed_sets.is_empty() {
        return None;
    }
    // Address 0 never denotes a node, so the list begins with an unused byte.
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
