//! Catalogues in the tables of a grammar: their nodes one behind the other, and rules of three states in place of what the
//! network has of them.
//!
//! Nodes lead to others by how far these are behind them, so those of a catalogue may begin anywhere.
//!
//! Cost: O(states and edges, and bytes of the nodes).

use grammarc_artifacts::TablesData;
use grammarc_artifacts::catalogue::{Packed, pack};
use grammarc_artifacts::sections::masks::CrowdedRecord;

use crate::ir::ByteSet;
use crate::masks::CrowdedMasks;
use crate::network::Network;

/// Facts about the catalogues of a grammar.
pub(super) struct Counts {
    pub(super) bytes: usize,
    pub(super) texts: usize,
    pub(super) crowded: usize,
}

/// Puts a network's catalogues into its tables; none where there are none.
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
    let mut packed: Vec<Packed> = Vec::new();
    let mut texts = 0;
    for ((rule, catalogue), stored) in network.catalogues.iter().zip(&masks.nodes) {
        let before = nodes.len() as u32 - 1;
        nodes.extend_from_slice(&catalogue.nodes[1..]);
        let moved =
            |stored: &CrowdedRecord| CrowdedRecord { node: before + stored.node, ..*stored };
        crowded.extend(stored.iter().map(moved));
        let (root, bytes) = (before + catalogue.root, catalogue.letters);
        packed.push(Packed { rule: *rule, root, bytes: ByteSet::to_words(bytes) });
        texts += catalogue.texts;
    }
    let counts = Counts { bytes: nodes.len(), texts, crowded: crowded.len() };
    pack(tables, &packed, masks.nothing);
    (tables.catalogue, tables.crowded) = (nodes, crowded);
    Some(counts)
}
