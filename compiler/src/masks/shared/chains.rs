//! Bounds on the number of returns that one token makes. They are part of the printed bound on the work of a step at
//! run time, which reads one stored mask for each return.
//!
//! The stored mask, a *follow entry*, belongs to a return state and an exit class, a set of trie nodes at which a
//! callee returns. It has the tokens that continue there. It also has a next class: the nodes of later returns from the
//! rule of the return state. The next follow entry belongs to that class and to a return state of the rule's callers.
//! The length of such chains is bounded if these steps have no cycle. With a cycle, a mask may read the whole stack.
//! The error then names a return state on the cycle.
//!
//! The next step of a chain depends only on the rule of the entry and its next class. Such a pair is a *link*; links
//! are far fewer than entries. The vocabulary's rules call none of a grammar's, so a chain has one part within the
//! vocabulary's tables and then one within the grammar's. The lengths of the first part are computed once, for all
//! grammars ([`SharedChains`]). Cost: O(links and their steps).

use std::collections::{BTreeMap, BTreeSet};

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Tables;

use crate::network::SharedRules;

/// Bounds on the number of returns that one token makes, each to another stack frame. They hold for the vocabulary's
/// rules alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedChains {
    /// A bound on the number of returns that one token makes, each to another stack frame. The runtime reads one stored
    /// mask for each of them. The error is a state after a call at which the number is unbounded. `None` only in a
    /// default value.
    pub(crate) longest: Option<Result<u32, u32>>,
    /// For each rule of the vocabulary, the sets of exits (nodes where the rule returns) that a token may reach after
    /// earlier returns. A set is given by its id, ascending, and comes with the greatest number of these earlier
    /// returns.
    pub(crate) through: Vec<Box<[(u32, u32)]>>,
}

impl SharedChains {
    /// Computes bounds on the number of returns that one token makes within the vocabulary's rules. Each return leads
    /// to another stack frame. `rules` has the calls between these rules.
    pub(crate) fn new(shared: Tables<'_>, rules: &SharedRules) -> Self {
        let ways =
            ChainLinks::new(shared, |state| rules.rule_of(state), |rule| rules.returns(rule));
        let lengths = match ways.lengths() {
            Ok(lengths) => lengths,
            Err(ret) => return Self { longest: Some(Err(ret)), through: Vec::new() },
        };
        // A link with a longer chain comes first. This is a topological order, so all predecessors of a link precede
        // it.
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&way| std::cmp::Reverse(lengths[way]));
        let mut before = vec![1u32; lengths.len()];
        for way in order {
            for &next in &ways.steps[way] {
                before[next] = before[next].max(before[way] + 1);
            }
        }
        let mut through = vec![BTreeMap::new(); shared.rules.len()];
        for (&(rule, class), &before) in ways.all.iter().zip(&before) {
            for caller in rules.with_tail_callers(rule) {
                let most = through[caller as usize].entry(class).or_insert(before);
                *most = before.max(*most);
            }
        }
        let any = !shared.follows.is_empty();
        let longest = lengths.into_iter().max().unwrap_or(u32::from(any));
        let through = through.into_iter().map(|classes| classes.into_iter().collect());
        Self { longest: Some(Ok(longest)), through: through.collect() }
    }
}

/// A graph whose longest path bounds the number of returns that one token makes. A node, a *link*, is a rule with a set
/// of exits (nodes where it returns) that tokens reach after an earlier return. An edge leads to a link that may come
/// directly after, one stack frame further down.
pub(crate) struct ChainLinks {
    /// The nodes of the graph, ascending: pairs of a rule and the id of a set of exits (nodes where the rule returns).
    all: Vec<(u32, u32)>,
    /// For each node of the graph (rule and its exits), a state of the rule after a call. After a token has returned to
    /// this state, the rule itself may return at these exits. Of several such states, the lowest.
    rets: Vec<u32>,
    /// For each node of the graph (rule and its exits), the indexes in `all` of the nodes that may come directly after
    /// it. They belong to callers: a token returns at these exits to a caller, which then returns itself.
    steps: Vec<Vec<usize>>,
    /// For each node of the graph (rule and its exits), whether some token makes exactly one more return. It returns at
    /// these exits to a caller and ends there.
    ends: Vec<bool>,
}

impl ChainLinks {
    /// Builds the graph from the stored masks of tokens that continue after a return, in `tables`. `rule_of` returns
    /// the rule of a state. `returns` returns the states to which a rule can return, also through tail calls.
    pub(crate) fn new(
        tables: Tables<'_>,
        rule_of: impl Fn(u32) -> u32,
        returns: impl Fn(u32) -> BTreeSet<u32>,
    ) -> Self {
        let base = tables.bases.states;
        let mut first = BTreeMap::new();
        for index in 0..tables.state_count() {
            let ret = base + index;
            for entry in tables.follows_of(index as usize).iter().filter(|e| e.next != NONE) {
                first.entry((rule_of(ret), entry.next)).or_insert(ret);
            }
        }
        let (all, rets): (Vec<(u32, u32)>, Vec<u32>) = first.into_iter().unzip();
        let mut steps = vec![Vec::new(); all.len()];
        let mut ends = vec![false; all.len()];
        let mut below: (u32, BTreeSet<u32>) = (NONE, BTreeSet::new());
        for (at, &(rule, class)) in all.iter().enumerate() {
            if below.0 != rule {
                below = (rule, returns(rule));
            }
            for &ret in &below.1 {
                let entries = tables.follows_of((ret - base) as usize);
                let Ok(entry) = entries.binary_search_by_key(&class, |entry| entry.class) else {
                    continue;
                };
                match entries[entry].next {
                    NONE => ends[at] = true,
                    next => steps[at].extend(all.binary_search(&(rule_of(ret), next))),
                }
            }
            steps[at].sort_unstable();
            steps[at].dedup();
        }
        Self { all, rets, steps, ends }
    }

    /// Returns, for each node of the graph (rule and its exits), a bound on the number of returns of one token. Counted
    /// are the return before the node and all later ones. The error is a state after a call on a cycle of the graph;
    /// the number is then unbounded.
    pub(crate) fn lengths(&self) -> Result<Vec<u32>, u32> {
        let component =
            crate::graph::components_by(self.all.len(), |way| self.steps[way].iter().copied());
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        order.sort_by_key(|&way| component[way]);
        let mut lengths: Vec<u32> = self.ends.iter().map(|&ends| 1 + u32::from(ends)).collect();
        for way in order {
            for &next in &self.steps[way] {
                if component[next] == component[way] {
                    return Err(self.rets[way]);
                }
                lengths[way] = lengths[way].max(lengths[next] + 1);
            }
        }
        Ok(lengths)
    }

    /// Returns a bound on the number of returns of one token: the one before the node `way` (rule and its exits), and
    /// all later ones. `lengths` is the result of [`lengths`](Self::lengths). Returns 1 if the graph has no such node.
    pub(crate) fn length(&self, lengths: &[u32], way: (u32, u32)) -> u32 {
        self.all.binary_search(&way).map_or(1, |at| lengths[at])
    }
}
