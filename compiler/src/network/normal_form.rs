//! The network in normal form: flat records, in which the fields for masks are still empty.
//!
//! The records have the form of the artifact: plain data, see
//! `grammarc_artifacts::sections::network`. Rules and states are numbered from the end of the
//! vocabulary's shared rules and states on.

use std::sync::Arc;

use grammarc_artifacts::ExpressionRecord;
use grammarc_artifacts::tables::{Joined, Tables, TablesData};

use super::follow::{Follow, OwnCalls};
use super::packed_string_set::PackedStringSet;
use super::rule::CountDependent;
use super::shared::SharedRules;
use crate::ir::{ByteSet, Origin};

/// The network of a grammar or of a vocabulary, in normal form.
#[derive(Clone, Debug)]
pub struct Network {
    /// The records of rules, states and edges. The fields for masks are empty: every base mask is
    /// [`NONE`](grammarc_artifacts::sections::network::NONE). The token field of a token edge is an
    /// index into [`token_sets`](Self::token_sets) instead of a mask id.
    pub tables: TablesData,
    /// For each rule of this network, its name and its origin in the source.
    pub rules: Vec<(String, Origin)>,
    /// The token sets of token edges, each as token ids in ascending order.
    pub token_sets: Vec<Vec<u32>>,
    /// The ids of the rules to start from.
    pub roots: Vec<u32>,
    /// The ids of the rules that other networks may call. Any byte may follow these rules.
    pub open: Vec<u32>,
    /// The rules of this network that are packed string sets (texts as a packed automaton), by
    /// index in ascending order.
    pub packed_sets: Vec<(usize, Arc<PackedStringSet>)>,
    /// The states of this network whose masks depend on a counter, one entry for each rule and
    /// counter.
    pub count_dependent: Vec<CountDependent>,
    /// The calls of this network's states, without those of the vocabulary's shared rules.
    pub(super) own_calls: OwnCalls,
    /// The expressions that the rules of a vocabulary were compiled from. Empty for a grammar.
    pub expressions: Vec<ExpressionRecord>,
}

impl Network {
    /// Joins the tables of this network with those of the vocabulary's shared rules, for lookups by
    /// id.
    pub fn joined<'a>(&'a self, shared: Tables<'a>) -> Joined<'a> {
        Joined { shared, own: self.tables.as_tables() }
    }

    /// Returns the FOLLOW sets of all rules. `facts` are the facts about the vocabulary's shared
    /// rules.
    pub fn follow<'a>(&'a self, shared: Tables<'a>, facts: &'a SharedRules) -> Follow<'a> {
        Follow::known(self.joined(shared), facts, &self.own_calls)
    }

    /// Sets the calls of this network's states. Sets the FOLLOW bytes of each of its rules from
    /// `after`.
    #[must_use]
    pub(super) fn with_calls(mut self, own_calls: OwnCalls, after: Vec<ByteSet>) -> Self {
        self.own_calls = own_calls;
        for (rule, after) in self.tables.rules.iter_mut().zip(after) {
            rule.after_bytes = after.to_words();
        }
        self
    }

    /// Returns the id of the initial state of a root, given the index of the root in `roots`.
    pub fn start(&self, root: usize) -> u32 {
        let bases = self.tables.bases;
        self.tables.rules[(self.roots[root] - bases.rules) as usize].first_state
    }

    /// Returns the index of the rule that a state of this network belongs to. `state` is the id of
    /// the state.
    pub fn rule_of(&self, state: u32) -> usize {
        self.tables.rules.partition_point(|rule| rule.first_state <= state) - 1
    }
}
