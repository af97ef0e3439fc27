//! Chains of follow entries: how long they get is part of the printed bound on the work of a step.
//!
//! A chain goes from the entry of a return state for a class to the entry, for the next class, of a return state that
//! the rule of the first may return to. Its length is bounded where these steps have no cycle; a cycle means that a
//! mask reads as much of the stack as there is, and is reported with a state on it.
//!
//! The next link of a chain depends on the rule of the entry and its next class alone. These pairs, its *ways out*, are
//! far fewer than the entries. The vocabulary's rules call none of a grammar's, so a chain is one part within the
//! vocabulary's tables and one within the grammar's; of the first, what every grammar needs is found once
//! ([`SharedChains`]). Cost: O(ways out and their steps).

use std::collections::{BTreeMap, BTreeSet};

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Tables;

use crate::network::SharedRules;

/// Lengths of the chains within the vocabulary's tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedChains {
    /// Length of the longest; a return state of one that grows with the stack.
    pub(crate) longest: Option<Result<u32, u32>>,
    /// By rule, the classes through which it can be left in the middle of a chain, in ascending order, with the most
    /// entries of the chain so far.
    pub(crate) through: Vec<Box<[(u32, u32)]>>,
}

impl SharedChains {
    /// The chains of the tables `shared`, whose rules are `rules`.
    pub(crate) fn new(shared: Tables<'_>, rules: &SharedRules) -> Self {
        let ways =
            ChainLinks::new(shared, |state| rules.rule_of(state), |rule| rules.returns(rule));
        let lengths = match ways.lengths() {
            Ok(lengths) => lengths,
            Err(ret) => return Self { longest: Some(Err(ret)), through: Vec::new() },
        };
        // The longest come first, so that the chains before a way out are known when it is its turn.
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

/// The ways out that the entries of one group of tables lead to, and the steps between them within these tables.
pub(crate) struct ChainLinks {
    /// Rule and class, ascending.
    all: Vec<(u32, u32)>,
    /// A return state of an entry that leads to each.
    rets: Vec<u32>,
    /// By way out, the numbers of the ways out that it goes on to.
    steps: Vec<Vec<usize>>,
    /// Whether an entry that is the last of its chain comes after each.
    ends: Vec<bool>,
}

impl ChainLinks {
    /// The links within the tables of one group of rules.
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

    /// For each way out, the entries of the longest chain from one that leads to it; or a return state of a cycle.
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

    /// The entries of the longest chain from one that leads to a way out.
    pub(crate) fn length(&self, lengths: &[u32], way: (u32, u32)) -> u32 {
        self.all.binary_search(&way).map_or(1, |at| lengths[at])
    }
}
