//! The network in normal form: flat records, with the fields that belong to the masks still empty.
//!
//! The records are those of the artifact (plain data, see `grammarc_artifacts::sections::network`). Numbers continue
//! those of the vocabulary's shared rules.

use std::sync::Arc;

use grammarc_artifacts::ExpressionRecord;
use grammarc_artifacts::tables::{Joined, Tables, TablesData};

use super::follow::{Follow, OwnCalls};
use super::packed_string_set::PackedStringSet;
use super::rule::CountDependent;
use super::shared::SharedRules;
use crate::ir::{ByteSet, Origin};

/// A network in normal form.
#[derive(Clone, Debug)]
pub struct Network {
    /// Rules, states and edges. The fields of the masks are empty: every base mask is
    /// [`NONE`](grammarc_artifacts::sections::network::NONE), and the token field of a token edge is an index into
    /// [`token_sets`](Self::token_sets) instead of a mask id.
    pub tables: TablesData,
    /// Name and origin of each own rule.
    pub rules: Vec<(String, Origin)>,
    /// The sets that token edges match, ascending ids each.
    pub token_sets: Vec<Vec<u32>>,
    /// Ids of the rules to start from.
    pub roots: Vec<u32>,
    /// Ids of the rules that other networks may call, so that any byte may follow them.
    pub open: Vec<u32>,
    /// Own rules that are packed string sets, by ascending index.
    pub packed_sets: Vec<(usize, Arc<PackedStringSet>)>,
    /// The count-dependent own states.
    pub count_dependent: Vec<CountDependent>,
    /// The calls of its own states.
    pub(super) own_calls: OwnCalls,
    /// The expressions that the rules of a vocabulary were compiled from; empty for a grammar.
    pub expressions: Vec<ExpressionRecord>,
}

impl Network {
    /// Joins this network and the vocabulary's shared rules into one numbering.
    pub fn joined<'a>(&'a self, shared: Tables<'a>) -> Joined<'a> {
        Joined { shared, own: self.tables.as_tables() }
    }

    /// Returns the FOLLOW sets of its rules, given the `facts` of the vocabulary's rules.
    pub fn follow<'a>(&'a self, shared: Tables<'a>, facts: &'a SharedRules) -> Follow<'a> {
        Follow::known(self.joined(shared), facts, &self.own_calls)
    }

    /// Adds the calls of its own states, and the FOLLOW bytes of each own rule.
    #[must_use]
    pub(super) fn with_calls(mut self, own_calls: OwnCalls, after: Vec<ByteSet>) -> Self {
        self.own_calls = own_calls;
        for (rule, after) in self.tables.rules.iter_mut().zip(after) {
            rule.after_bytes = after.to_words();
        }
        self
    }

    /// Returns the id of the initial state of a root.
    pub fn start(&self, root: usize) -> u32 {
        let bases = self.tables.bases;
        self.tables.rules[(self.roots[root] - bases.rules) as usize].first_state
    }

    /// Returns the index of the own rule of an own state.
    pub fn rule_of(&self, state: u32) -> usize {
        self.tables.rules.partition_point(|rule| rule.first_state <= state) - 1
    }
}
