//! Interning of exit classes: the sets of trie nodes at which rules are left.

use std::borrow::Cow;

use grammarc_artifacts::sections::masks::ClassRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use super::shared::{SharedOutcomes, class_nodes};
use crate::sequences::Sequences;

/// The classes of a network, numbered on from the vocabulary's.
pub struct Classes<'a> {
    shared: Tables<'a>,
    known: &'a SharedOutcomes,
    own: Sequences,
}

impl<'a> Classes<'a> {
    /// The vocabulary's classes and none of this network's own.
    pub fn new(shared: Tables<'a>, known: &'a SharedOutcomes) -> Self {
        Self { shared, known, own: Sequences::default() }
    }

    /// The class of these nodes, or [`NONE`] where there are none.
    pub fn intern(&mut self, nodes: &[u32]) -> u32 {
        if nodes.is_empty() {
            return NONE;
        }
        let shared = self.known.class(nodes);
        shared.unwrap_or_else(|| self.shared.classes.len() as u32 + self.own.number(nodes))
    }

    /// Nodes of a class, ascending, to be kept while classes are added. Those of the vocabulary's are not copied.
    pub fn nodes(&self, class: u32) -> Cow<'a, [u32]> {
        match class.checked_sub(self.shared.classes.len() as u32) {
            Some(own) => self.own.get(own).to_vec().into(),
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
        for nodes in (0..self.own.len() as u32).map(|own| self.own.get(own)) {
            let mut first = NONE;
            if with_nodes {
                first = tables.class_nodes.len() as u32;
                tables.class_nodes.extend_from_slice(nodes);
            }
            tables.classes.push(ClassRecord { first, len: nodes.len() as u32 });
        }
    }
}
