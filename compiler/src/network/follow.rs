//! FOLLOW sets of rules: the return states of their calls, through tail calls, and the first bytes of these.
//!
//! A grammar's own calls add to the FOLLOW sets that the vocabulary's rules have among each other ([`SharedRules`]). So
//! the cost is that of the grammar alone: O(own states and edges), and one byte set for each shared rule whose FOLLOW
//! set grows.

use std::borrow::Cow;
use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::state_flags;
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;

use super::calls::Calls;
use super::shared::{ByteSets, SharedRules, spread};
use crate::ir::ByteSet;

/// The calls of a grammar's own states, and the FOLLOW bytes that they add.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnCalls {
    calls: Calls,
    after: After,
    /// The vocabulary's rules whose FOLLOW sets the grammar's calls widen, in ascending order.
    widened: Vec<u32>,
}

/// FOLLOW bytes of rules.
#[derive(Clone, Debug, Default)]
struct After {
    /// By index of the grammar's own rule.
    own: Vec<ByteSet>,
    /// Of the vocabulary's rules with FOLLOW sets that the grammar's calls widen.
    wider: FxHashMap<u32, ByteSet>,
}

/// FOLLOW bytes while the fixpoint is computed.
struct Widening<'a> {
    after: After,
    shared: &'a [ByteSet],
}

impl ByteSets for Widening<'_> {
    fn of(&self, rule: u32) -> ByteSet {
        self.after.of(rule, self.shared)
    }

    fn set(&mut self, rule: u32, bytes: ByteSet) {
        match (rule as usize).checked_sub(self.shared.len()) {
            Some(own) => self.after.own[own] = bytes,
            None => _ = self.after.wider.insert(rule, bytes),
        }
    }
}

impl After {
    /// Returns the FOLLOW bytes of a rule. `shared` has those of the vocabulary's rules by their calls of each other.
    #[inline]
    fn of(&self, rule: u32, shared: &[ByteSet]) -> ByteSet {
        match shared.get(rule as usize) {
            None => self.own[rule as usize - shared.len()],
            Some(&set) => self.wider.get(&rule).copied().unwrap_or(set),
        }
    }
}

/// FOLLOW sets, for every rule and state of the joined numbering.
pub struct Follow<'a> {
    network: Joined<'a>,
    shared: &'a SharedRules,
    own: Cow<'a, OwnCalls>,
}

impl<'a> Follow<'a> {
    /// Computes the FOLLOW sets of a network, given those of the shared rules. Other grammars may call the rules `open`
    /// later, so these are followed by any byte.
    pub fn new(network: Joined<'a>, shared: &'a SharedRules, open: &[u32]) -> Self {
        let calls = Calls::new(network.own, network);
        let own = vec![ByteSet::EMPTY; network.own.rules.len()];
        let after = After { own, wider: FxHashMap::default() };
        let mut sets = Widening { after, shared: &shared.after };
        let mut changed: Vec<u32> = open.to_vec();
        open.iter().for_each(|&rule| _ = sets.widen(rule, ByteSet::FULL));
        let base = network.own.bases.states;
        for &(callee, ret) in calls.all_returns() {
            if sets.widen(callee, calls.firsts[(ret - base) as usize].0) {
                changed.push(callee);
            }
        }
        changed.extend(calls.all_passes().iter().map(|&(caller, _)| caller));
        changed.sort_unstable();
        changed.dedup();
        let first_own = network.own.bases.rules;
        spread(&mut sets, changed, |rule, reach| match rule < first_own {
            true => shared.calls.passes(rule).for_each(reach),
            false => calls.passes(rule).for_each(reach),
        });
        let after = sets.after;
        let mut widened: Vec<u32> = after.wider.keys().copied().collect();
        widened.sort_unstable();
        Self { network, shared, own: Cow::Owned(OwnCalls { calls, after, widened }) }
    }

    /// Returns the FOLLOW sets of a network for which they were computed before.
    pub(super) fn known(network: Joined<'a>, shared: &'a SharedRules, own: &'a OwnCalls) -> Self {
        Self { network, shared, own: Cow::Borrowed(own) }
    }

    /// Returns the grammar's own calls, to be kept with the network.
    pub(super) fn into_own(self) -> OwnCalls {
        self.own.into_owned()
    }

    /// Returns the network.
    #[inline]
    pub fn network(&self) -> Joined<'a> {
        self.network
    }

    /// Returns the facts of the shared rules.
    pub(super) fn shared(&self) -> &'a SharedRules {
        self.shared
    }

    /// Returns the rule of a state.
    #[inline]
    pub fn rule_of(&self, state: u32) -> u32 {
        let (calls, index) = self.locate(state);
        calls.rule_of[index]
    }

    /// Returns the states that a rule may return to, through tail calls. O(rules that reach it by tail calls).
    pub fn returns(&self, rule: u32) -> BTreeSet<u32> {
        let mut returns = BTreeSet::new();
        let mut seen = BTreeSet::from([rule]);
        let mut work = vec![rule];
        while let Some(rule) = work.pop() {
            for calls in [&self.shared.calls, &self.own.calls] {
                returns.extend(calls.returns(rule));
                work.extend(calls.tail_callers(rule).filter(|&caller| seen.insert(caller)));
            }
        }
        returns
    }

    /// Returns the grammar's own states that a rule may return to, through the grammar's own tail calls.
    pub fn own_returns(&self, rule: u32) -> BTreeSet<u32> {
        self.own.calls.all_returns_of(rule)
    }

    /// Returns the grammar's own states that its own calls of a rule return to.
    pub fn own_call_returns(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.returns(rule)
    }

    /// Returns the grammar's own rules that call a rule in tail position.
    pub fn own_tail_callers(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.tail_callers(rule)
    }

    /// Returns the shared rules that the grammar's own rules call.
    pub fn shared_callees(&self) -> BTreeSet<u32> {
        let mut callees = self.own.calls.callees();
        callees.split_off(&self.network.own.bases.rules);
        callees
    }

    /// Returns the callees whose FOLLOW sets include that of a rule of the grammar.
    pub(crate) fn passes(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.passes(rule)
    }

    /// Returns the vocabulary's rules whose FOLLOW sets the grammar's calls widen, in ascending order.
    pub(super) fn widened(&self) -> &[u32] {
        &self.own.widened
    }

    /// Returns the FOLLOW bytes of a rule.
    #[inline]
    pub fn bytes(&self, rule: u32) -> ByteSet {
        self.own.after.of(rule, &self.shared.after)
    }

    /// Returns the FOLLOW bytes of each own rule.
    pub(super) fn own_bytes(&self) -> Vec<ByteSet> {
        self.network.own.rule_ids().map(|rule| self.bytes(rule)).collect()
    }

    /// Returns the vocabulary's rules with a FOLLOW byte that their exit classes were not computed for.
    pub(super) fn misused(&self) -> Vec<u32> {
        let shared = self.network.shared;
        let knows = |rule: u32| ByteSet::from_words(shared.rules[rule as usize].after_bytes);
        let widened = self.widened().iter().copied();
        widened.filter(|&rule| !self.bytes(rule).minus(knows(rule)).is_empty()).collect()
    }

    /// Whether a state is final: its rule may return there.
    #[inline]
    pub fn is_final(&self, state: u32) -> bool {
        self.network.state(state).flags & state_flags::FINAL != 0
    }

    /// Returns the first bytes of a state within its rule, and whether two of its edges and calls share one.
    #[inline]
    pub fn first(&self, state: u32) -> (ByteSet, bool) {
        let (calls, index) = self.locate(state);
        calls.firsts[index]
    }

    #[inline]
    fn locate(&self, state: u32) -> (&Calls, usize) {
        match state.checked_sub(self.network.own.bases.states) {
            Some(index) => (&self.own.calls, index as usize),
            None => (&self.shared.calls, state as usize),
        }
    }
}
