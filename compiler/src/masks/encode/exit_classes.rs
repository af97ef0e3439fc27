//! Interning of exit classes. An exit class is a set of exits: the trie nodes at which a rule returns to its caller in
//! the middle of a token.

use std::borrow::Cow;

use grammarc_artifacts::sections::masks::ClassRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use crate::interner::Interner;
use crate::masks::shared::exits::class_nodes;
use crate::masks::shared::facts::VocabularyFacts;

/// The exit classes (trie nodes of returns) of a network. The grammar's own have the ids after the vocabulary's.
pub(crate) struct ExitClasses<'a> {
    /// The tables of the vocabulary: its states, rules and stored masks.
    shared: Tables<'a>,
    /// Indexes over the vocabulary, among them its exit classes (trie nodes of returns) by their nodes.
    known: &'a VocabularyFacts,
    /// The node lists of the grammar's own exit classes (trie nodes of returns). The index is the id of the class, less
    /// the number of the vocabulary's classes.
    own: Interner,
}

impl<'a> ExitClasses<'a> {
    /// Returns the exit classes (trie nodes of returns) of the vocabulary, with none of the grammar yet.
    pub(crate) fn new(shared: Tables<'a>, known: &'a VocabularyFacts) -> Self {
        Self { shared, known, own: Interner::default() }
    }

    /// Returns the id of the exit class with these exits (nodes where the rule returns), which must ascend. Adds the
    /// class if it is new. [`NONE`] if the list is empty.
    pub(crate) fn intern(&mut self, nodes: &[u32]) -> u32 {
        if nodes.is_empty() {
            return NONE;
        }
        let shared = self.known.class(nodes);
        shared.unwrap_or_else(|| self.shared.classes.len() as u32 + self.own.number(nodes))
    }

    /// Returns the exits (nodes where the rule returns) of the exit class with the id `class`, ascending. The result
    /// stays valid while classes are added; only the nodes of the grammar's own classes are copied.
    pub(crate) fn nodes(&self, class: u32) -> Cow<'a, [u32]> {
        match class.checked_sub(self.shared.classes.len() as u32) {
            Some(own) => self.own.get(own).to_vec().into(),
            None => class_nodes(self.shared, class).into(),
        }
    }

    /// Writes the grammar's own exit classes (trie nodes of returns) into its tables. If `with_nodes` is false, only
    /// the number of nodes of each class is written. A vocabulary needs the nodes, which only compilations read.
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
