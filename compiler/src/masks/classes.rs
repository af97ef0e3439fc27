//! Interning of exit classes: the sets of trie nodes at which rules are left.

use grammarc_artifacts::sections::masks::ClassRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};
use rustc_hash::FxHashMap;

/// The classes of a network, numbered on from the vocabulary's.
pub struct Classes {
    ids: FxHashMap<Box<[u32]>, u32>,
    members: Vec<Box<[u32]>>,
    base: u32,
}

impl Classes {
    /// The vocabulary's classes and none of this network's own.
    pub fn new(shared: Tables<'_>) -> Self {
        let members: Vec<Box<[u32]>> = shared
            .classes
            .iter()
            .map(|class| shared.class_nodes[class.first as usize..][..class.len as usize].into())
            .collect();
        let ids =
            members.iter().enumerate().map(|(id, nodes)| (nodes.clone(), id as u32)).collect();
        Self { ids, base: members.len() as u32, members }
    }

    /// The class of these nodes, or [`NONE`] where there are none.
    pub fn intern(&mut self, nodes: &[u32]) -> u32 {
        if nodes.is_empty() {
            return NONE;
        }
        if let Some(&id) = self.ids.get(nodes) {
            return id;
        }
        let id = self.members.len() as u32;
        self.members.push(nodes.into());
        self.ids.insert(nodes.into(), id);
        id
    }

    /// Nodes of a class, ascending.
    pub fn nodes(&self, class: u32) -> &[u32] {
        &self.members[class as usize]
    }

    /// Number of classes, the vocabulary's included.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no class at all.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Writes the network's own classes. Only a compilation reads their nodes, and only the vocabulary's; a grammar's
    /// classes are stored by their size alone.
    pub fn store(&self, tables: &mut TablesData, with_nodes: bool) {
        for nodes in &self.members[self.base as usize..] {
            let mut first = NONE;
            if with_nodes {
                first = tables.class_nodes.len() as u32;
                tables.class_nodes.extend_from_slice(nodes);
            }
            tables.classes.push(ClassRecord { first, len: nodes.len() as u32 });
        }
    }
}
