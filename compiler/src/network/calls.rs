//! The calls of one group of tables (the vocabulary's or the grammar's), indexed by callee.

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::{ByteEdge, NONE, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

use crate::ir::ByteSet;

/// The call graph of one group of tables: the rule of each state, the callers and the return
/// states. O(states and edges).
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    /// For each state, by index in the tables, the id of its rule.
    pub(super) rule_of: Vec<u32>,
    /// For each state, by index in the tables, its first bytes within its rule. The flag says
    /// whether two of its edges and calls share a first byte.
    pub(super) firsts: Vec<(ByteSet, bool)>,
    /// Pairs (callee, return state), sorted, each once.
    returns: Vec<(u32, u32)>,
    /// Pairs (callee, caller) of calls in tail position, sorted, each once.
    tails: Vec<(u32, u32)>,
    /// Pairs (caller, callee) with FOLLOW(caller) ⊆ FOLLOW(callee), because the call is in tail
    /// position or returns to a final state. Sorted, each once.
    passes: Vec<(u32, u32)>,
}

impl Calls {
    /// Collects the calls in `tables`, which are one of the two groups of `network`.
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

    /// Adds a call by a rule. `ret` is the return state, or `NONE` in tail position.
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
        // If a counter runs out when the frame is pushed, the frame has the exit instead of the
        // return state.
        match network.state(ret).count_exit {
            NONE => add(ret),
            _ => network.arrivals(ret).into_iter().for_each(add),
        }
    }

    /// Returns all pairs (callee, return state), sorted, each once.
    pub(super) fn all_returns(&self) -> &[(u32, u32)] {
        &self.returns
    }

    /// Returns the ids of all rules that are called.
    pub(super) fn callees(&self) -> BTreeSet<u32> {
        self.returns.iter().chain(&self.tails).map(|&(callee, _)| callee).collect()
    }

    /// Returns all pairs (caller, callee) with FOLLOW(caller) ⊆ FOLLOW(callee), sorted, each once.
    pub(super) fn all_passes(&self) -> &[(u32, u32)] {
        &self.passes
    }

    /// Returns the states that calls of `callee` return to, in ascending order. Calls in tail
    /// position have none.
    pub(super) fn returns(&self, callee: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.returns, callee)
    }

    /// Returns the rules that call `callee` in tail position, in ascending order.
    pub(super) fn tail_callers(&self, callee: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.tails, callee)
    }

    /// Returns `rule`, and all rules that reach it by tail calls alone.
    pub(super) fn with_tail_callers(&self, rule: u32) -> BTreeSet<u32> {
        let mut found = BTreeSet::from([rule]);
        let mut work = vec![rule];
        while let Some(rule) = work.pop() {
            work.extend(self.tail_callers(rule).filter(|&caller| found.insert(caller)));
        }
        found
    }

    /// Returns the states that a rule may return to, also through the tail calls of this group.
    pub(super) fn all_returns_of(&self, rule: u32) -> BTreeSet<u32> {
        self.with_tail_callers(rule).into_iter().flat_map(|rule| self.returns(rule)).collect()
    }

    /// Returns the callees whose FOLLOW sets include the FOLLOW set of `caller`.
    pub(super) fn passes(&self, caller: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.passes, caller)
    }
}

/// Returns the second members of all pairs whose first member is `first`. The pairs are sorted.
fn of(pairs: &[(u32, u32)], first: u32) -> impl Iterator<Item = u32> + '_ {
    let from = pairs.partition_point(|pair| pair.0 < first);
    pairs[from..].iter().take_while(move |pair| pair.0 == first).map(|pair| pair.1)
}

/// Returns the bytes that some of the edges read.
pub(crate) fn bytes_on<'a>(edges: impl IntoIterator<Item = &'a ByteEdge>) -> ByteSet {
    let sets = edges.into_iter().map(|edge| ByteSet::range(edge.lo(), edge.hi()));
    sets.fold(ByteSet::EMPTY, ByteSet::union)
}

/// Returns the first bytes of a state within its rule, and whether two of the state's edges and
/// calls share a first byte. `state` is an index in `tables`.
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
