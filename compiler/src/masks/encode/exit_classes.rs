//! Interning of exit classes. An exit class is a set of exits: the trie nodes at which a rule returns to its caller in
//! the middle of a token.

use std::borrow::Cow;

use grammarc_artifacts::sections::masks::ClassRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use crate::interner::Interner;
use crate::masks::shared::exits::class_nodes;
use crate::masks::shared::facts::VocabularyFacts;

/// The sets of exits (nodes where a rule returns) of a vocabulary and a grammar. The grammar's own have the ids after
/// the vocabulary's.
pub(crate) struct ExitClasses<'a> {
    /// The tables of the vocabulary: its states, rules and stored masks.
    shared: Tables<'a>,
    /// Indexes over the vocabulary, among them its sets of exits (nodes where a rule returns) by their nodes.
    known: &'a VocabularyFacts,
    /// The trie nodes of the grammar's own sets of exits (nodes where a rule returns). The index is the id of the set,
    /// less the number of the vocabulary's sets.
    own: Interner,
}

impl<'a> ExitClasses<'a> {
    /// Returns the sets of exits (nodes where a rule returns) of the vocabulary, with none of the grammar yet.
    pub(crate) fn new(shared: Tables<'a>, known: &'a VocabularyFacts) -> Self {
        Self { shared, known, own: Interner::default() }
    }

    /// Returns the id of the set of exits (nodes where a rule returns) `nodes`, which must ascend. Adds the set if it
    /// is new. Returns [`NONE`] if there are no nodes.
    pub(crate) fn intern(&mut self, nodes: &[u32]) -> u32 {
        if nodes.is_empty() {
            return NONE;
        }
        let shared = self.known.class(nodes);
        shared.unwrap_or_else(|| self.shared.classes.len() as u32 + self.own.number(nodes))
    }

    /// Returns the trie nodes of the set of exits (nodes where a rule returns) with the id `class`, ascending. The
    /// result stays valid while sets are added; only the nodes of the grammar's own sets are copied.
    pub(crate) fn nodes(&self, class: u32) -> Cow<'a, [u32]> {
        match class.checked_sub(self.shared.classes.len() as u32) {
            Some(own) => self.own.get(own).to_vec().into(),
            None => class_nodes(self.shared, class).into(),
        }
    }

    /// Writes the grammar's own sets of exits (nodes where a rule returns) into its tables. If `with_nodes` is false,
    /// only the number of nodes of each set is written. A vocabulary needs the nodes, which only compilations read.
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
