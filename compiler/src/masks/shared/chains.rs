//! Chains of follow entries. Their greatest length is part of the printed bound on the work of a step at run time.
//!
//! A follow entry belongs to a return state and an exit class. It has the tokens that continue there, and the class of
//! the returns from the state's rule as the next class. The next entry of the chain belongs to that class, and to a
//! return state of a call of the rule. The length of chains is bounded if these steps have no cycle. With a cycle, a
//! mask may read the whole stack. The error then names a return state on the cycle.
//!
//! The next step of a chain depends only on the rule of the entry and its next class. Such a pair is a *link*; links
//! are far fewer than entries. The vocabulary's rules call none of a grammar's, so a chain has one part within the
//! vocabulary's tables and then one within the grammar's. The lengths of the first part are computed once, for all
//! grammars ([`SharedChains`]). Cost: O(links and their steps).

use std::collections::{BTreeMap, BTreeSet};

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Tables;

use crate::network::SharedRules;

/// The greatest lengths of the chains of follow entries within the vocabulary's tables. A follow entry has the tokens
/// that leave a callee and continue in one return state. A chain is the sequence of follow entries that one mask reads,
/// one for each stack frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedChains {
    /// The number of follow entries in the longest chain. A chain has the entries that one mask reads, one for each
    /// stack frame. The error is a return state on a chain of unbounded length. `None` only in a default value.
    pub(crate) longest: Option<Result<u32, u32>>,
    /// For each rule, the exit classes (trie nodes of returns) through which a chain of follow entries may continue
    /// into a caller, ascending. Each class comes with the greatest number of entries of a chain up to that point.
    pub(crate) through: Vec<Box<[(u32, u32)]>>,
}

impl SharedChains {
    /// Computes the greatest lengths of chains of follow entries in the vocabulary's tables. A chain has the entries
    /// that one mask reads, one for each stack frame.
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

/// A graph whose longest path is the longest chain of follow entries of a mask. Its nodes are *links*: pairs of a rule
/// and an exit class (nodes where a rule returns) of the rule. An edge leads to a link that may come directly after,
/// one stack frame further down.
pub(crate) struct ChainLinks {
    /// The links, ascending: pairs of a rule and an exit class (nodes where a rule returns).
    all: Vec<(u32, u32)>,
    /// For each link (rule and exit class), a return state of the rule with a follow entry that names the class as the
    /// next one. Of several, the lowest.
    rets: Vec<u32>,
    /// For each link (rule and exit class), the indexes in `all` of the links that may come directly after it in a
    /// chain.
    steps: Vec<Vec<usize>>,
    /// For each link (rule and exit class), whether a chain may end one entry later. Some return state then has a
    /// follow entry for the class that names no next class.
    ends: Vec<bool>,
}

impl ChainLinks {
    /// Builds the links (rule and exit class) from the follow entries of `tables`. `rule_of` returns the rule of a
    /// state. `returns` returns the states to which a rule can return, also through tail calls.
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

    /// Returns, for each link (rule and exit class), the length of the longest chain of follow entries that begins with
    /// an entry before the link. The error is a return state on a cycle of links; chains are then unbounded.
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

    /// Returns the number of follow entries in the longest chain that begins with an entry before the link `way` (rule
    /// and exit class). `lengths` is the result of [`lengths`](Self::lengths). Returns 1 if these tables have no such
    /// link.
    pub(crate) fn length(&self, lengths: &[u32], way: (u32, u32)) -> u32 {
        self.all.binary_search(&way).map_or(1, |at| lengths[at])
    }
}
