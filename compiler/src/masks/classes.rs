//! Interning of exit classes: the sets of trie nodes at which rules are left.

use std::borrow::Cow;

use grammarc_artifacts::sections::masks::ClassRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};
use rustc_hash::FxHashMap;

use super::shared::{SharedOutcomes, class_nodes};

/// The classes of a network, numbered on from the vocabulary's.
pub struct Classes<'a> {
    shared: Tables<'a>,
    known: &'a SharedOutcomes,
    ids: FxHashMap<Box<[u32]>, u32>,
    own: Vec<Box<[u32]>>,
}

impl<'a> Classes<'a> {
    /// The vocabulary's classes and none of this network's own.
    pub fn new(shared: Tables<'a>, known: &'a SharedOutcomes) -> Self {
        Self { shared, known, ids: FxHashMap::default(), own: Vec::new() }
    }

    /// The class of these nodes, or [`NONE`] where there are none.
    pub fn intern(&mut self, nodes: &[u32]) -> u32 {
        if nodes.is_empty() {
            return NONE;
        }
        if let Some(id) = self.known.class(nodes).or_else(|| self.ids.get(nodes).copied()) {
            return id;
        }
        let id = self.len() as u32;
        self.own.push(nodes.into());
        self.ids.insert(nodes.into(), id);
        id
    }

    /// Nodes of a class, ascending, to be kept while classes are added. Those of the vocabulary's are not copied.
    pub fn nodes(&self, class: u32) -> Cow<'a, [u32]> {
        match (class as usize).checked_sub(self.shared.classes.len()) {
            Some(own) => self.own[own].to_vec().into(),
            None => class_nodes(self.shared, class).into(),
        }
    }

    /// Number of classes, the vocabulary's included.
    pub fn len(&self) -> usize {
        self.shared.classes.len() + self.own.len()
    }

    /// Whether there is no class at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the network's own classes. Only a compilation reads their nodes, and only the vocabulary's; a grammar's
    /// classes are stored by their size alone.
    pub fn store(&self, tables: &mut TablesData, with_nodes: bool) {
        for nodes in &self.own {
            let mut first = NONE;
            if with_nodes {
                first = tables.class_nodes.len() as u32;
                tables.class_nodes.extend_from_slice(nodes);
            }
            tables.classes.push(ClassRecord { first, len: nodes.len() as u32 });
        }
    }
}
