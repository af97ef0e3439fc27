//! Interning of exit classes: the sets of trie nodes at which rules are left.

use std::borrow::Cow;

use grammarc_artifacts::sections::masks::ClassRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use crate::interner::Interner;
use crate::masks::shared::exits::class_nodes;
use crate::masks::shared::facts::VocabularyFacts;

/// The classes of a network, numbered on from the vocabulary's.
pub(crate) struct ExitClasses<'a> {
    shared: Tables<'a>,
    known: &'a VocabularyFacts,
    own: Interner,
}

impl<'a> ExitClasses<'a> {
    /// The vocabulary's classes and none of this network's own.
    pub(crate) fn new(shared: Tables<'a>, known: &'a VocabularyFacts) -> Self {
        Self { shared, known, own: Interner::default() }
    }

    /// The class of these nodes, or [`NONE`] where there are none.
    pub(crate) fn intern(&mut self, nodes: &[u32]) -> u32 {
        if nodes.is_empty() {
            return NONE;
        }
        let shared = self.known.class(nodes);
        shared.unwrap_or_else(|| self.shared.classes.len() as u32 + self.own.number(nodes))
    }

    /// Nodes of a class, ascending, to be kept while classes are added. The nodes of the vocabulary's classes are not
    /// copied.
    pub(crate) fn nodes(&self, class: u32) -> Cow<'a, [u32]> {
        match class.checked_sub(self.shared.classes.len() as u32) {
            Some(own) => self.own.get(own).to_vec().into(),
            None => class_nodes(self.shared, class).into(),
        }
    }

    /// Writes the network's own classes. Only a compilation reads their nodes, and only the vocabulary's; a grammar's
    /// classes are stored by their size alone.
    pub(crate) fn store(&self, tables: &mut TablesData, with_nodes: bool) {
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
