//! Interning of exit classes. An exit class is a set of exits: trie nodes at which a rule returns to its caller within
//! a token.

use std::borrow::Cow;

use grammarc_artifacts::sections::masks::ClassRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use crate::interner::Interner;
use crate::masks::shared::exits::class_nodes;
use crate::masks::shared::facts::VocabularyFacts;

/// The exit classes (sets of trie nodes at which a rule returns) of a network. Those of the vocabulary come first, and
/// the grammar's own are numbered after them.
pub(crate) struct ExitClasses<'a> {
    /// The tables of the vocabulary: its states, rules and stored masks.
    shared: Tables<'a>,
    /// Indexes over the vocabulary, among them its exit classes (sets of trie nodes at which a rule returns) by their
    /// nodes.
    known: &'a VocabularyFacts,
    /// The node lists of the grammar's own exit classes (sets of trie nodes at which a rule returns), by the classes'
    /// ids from the first own class on.
    own: Interner,
}

impl<'a> ExitClasses<'a> {
    /// Returns the exit classes (sets of trie nodes at which a rule returns) of the vocabulary, with none of the
    /// grammar yet.
    pub(crate) fn new(shared: Tables<'a>, known: &'a VocabularyFacts) -> Self {
        Self { shared, known, own: Interner::default() }
    }

    /// Returns the id of the exit class with these exits (trie nodes at which the rule returns), which must ascend.
    /// Adds the class if it is new. [`NONE`] if the list is empty.
    pub(crate) fn intern(&mut self, nodes: &[u32]) -> u32 {
        if nodes.is_empty() {
            return NONE;
        }
        let shared = self.known.class(nodes);
        shared.unwrap_or_else(|| self.shared.classes.len() as u32 + self.own.number(nodes))
    }

    /// Returns the exits (trie nodes at which the rule returns) of the exit class with the id `class`, ascending. The
    /// result stays valid while classes are added; only the nodes of the grammar's own classes are copied.
    pub(crate) fn nodes(&self, class: u32) -> Cow<'a, [u32]> {
        match class.checked_sub(self.shared.classes.len() as u32) {
            Some(own) => self.own.get(own).to_vec().into(),
            None => class_nodes(self.shared, class).into(),
        }
    }

    /// Writes the grammar's own exit classes (sets of trie nodes at which a rule returns) into its tables. The nodes
    /// are written only if `with_nodes` is set, which is so for a vocabulary: only compilations read them. A grammar
    /// stores the number of nodes of each class alone.
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
