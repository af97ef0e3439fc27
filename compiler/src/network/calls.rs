//! The calls of one group of tables, turned round: by callee, where they return to and who makes them.

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::{ByteEdge, NONE, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

use crate::ir::ByteSet;

/// The call graph of one group of tables: rules of states, callers and return states. O(states and edges).
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    /// Id of the rule of each state.
    pub(super) rule_of: Vec<u32>,
    /// Bytes with which each state goes on within its rule, and whether two of its ways share one.
    pub(super) firsts: Vec<(ByteSet, bool)>,
    /// Callees and the states that they return to: sorted, without repetition.
    returns: Vec<(u32, u32)>,
    /// Callees and the rules that call them in tail position: sorted, without repetition.
    tails: Vec<(u32, u32)>,
    /// Callers and the callees that are followed by what follows the caller: those in tail position or on the way to a
    /// final state. Sorted, without repetition.
    passes: Vec<(u32, u32)>,
}

impl Calls {
    /// The calls of `tables`, one of the two groups of `network`.
    pub(super) fn new(tables: Tables<'_>, network: Joined<'_>) -> Self {
        let states = tables.state_count() as usize;
        let mut this = Self {
            rule_of: Vec::with_capacity(states),
            firsts: Vec::with_capacity(states),
            ..Self::default()
        };
        for (rule, record) in (tables.bases.rules..).zip(tables.rules) {
            let first = (record.first_state - tables.bases.states) as usize;
            for state in first..first + record.state_count as usize {
                this.rule_of.push(rule);
                this.firsts.push(first_bytes(tables, network, state));
                for call in tables.call_edges_of(state) {
                    this.add(network, rule, call.callee, call.ret);
                }
            }
        }
        for pairs in [&mut this.returns, &mut this.tails, &mut this.passes] {
            pairs.sort_unstable();
            pairs.dedup();
        }
        this
    }

    fn add(&mut self, network: Joined<'_>, caller: u32, callee: u32, ret: u32) {
        if ret == NONE {
            self.tails.push((callee, caller));
            self.passes.push((caller, callee));
            return;
        }
        let mut add = |ret: u32| {
            self.returns.push((callee, ret));
            if network.state(ret).flags & state_flags::FINAL != 0 {
                self.passes.push((caller, callee));
            }
        };
        // A frame pushed when a counter runs out holds the state that takes the head's place.
        match network.state(ret).count_exit {
            NONE => add(ret),
            _ => network.arrivals(ret).into_iter().for_each(add),
        }
    }

    /// All callees and the states that they return to.
    pub(super) fn all_returns(&self) -> &[(u32, u32)] {
        &self.returns
    }

    /// All callees.
    pub(super) fn callees(&self) -> BTreeSet<u32> {
        self.returns.iter().chain(&self.tails).map(|&(callee, _)| callee).collect()
    }

    /// All callers and the callees that are followed by what follows the caller.
    pub(super) fn all_passes(&self) -> &[(u32, u32)] {
        &self.passes
    }

    /// States that calls of `callee` return to.
    pub(super) fn returns(&self, callee: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.returns, callee)
    }

    /// Rules that call `callee` in tail position.
    pub(super) fn tail_callers(&self, callee: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.tails, callee)
    }

    /// The rule and those that lead to it by tail calls.
    pub(super) fn with_tail_callers(&self, rule: u32) -> BTreeSet<u32> {
        let mut found = BTreeSet::from([rule]);
        let mut work = vec![rule];
        while let Some(rule) = work.pop() {
            work.extend(self.tail_callers(rule).filter(|&caller| found.insert(caller)));
        }
        found
    }

    /// States that a rule may return to, from these tail calls on its way too.
    pub(super) fn all_returns_of(&self, rule: u32) -> BTreeSet<u32> {
        self.with_tail_callers(rule).into_iter().flat_map(|rule| self.returns(rule)).collect()
    }

    /// Callees that are followed by what follows `caller`.
    pub(super) fn passes(&self, caller: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.passes, caller)
    }
}

/// Second members of the pairs that begin with `first`.
fn of(pairs: &[(u32, u32)], first: u32) -> impl Iterator<Item = u32> + '_ {
    let from = pairs.partition_point(|pair| pair.0 < first);
    pairs[from..].iter().take_while(move |pair| pair.0 == first).map(|pair| pair.1)
}

/// The bytes of some edges.
pub(crate) fn bytes_on<'a>(edges: impl IntoIterator<Item = &'a ByteEdge>) -> ByteSet {
    let sets = edges.into_iter().map(|edge| ByteSet::range(edge.lo(), edge.hi()));
    sets.fold(ByteSet::EMPTY, ByteSet::union)
}

/// Bytes with which the state of this index goes on within its rule, and whether two of its ways share one.
fn first_bytes(tables: Tables<'_>, network: Joined<'_>, state: usize) -> (ByteSet, bool) {
    let mut set = bytes_on(tables.byte_edges_of(state));
    let mut shared = false;
    for call in tables.call_edges_of(state) {
        let more = ByteSet::from_words(network.rule(call.callee).first_bytes);
        shared |= !set.intersect(more).is_empty();
        set = set.union(more);
    }
    (set, shared)
}
