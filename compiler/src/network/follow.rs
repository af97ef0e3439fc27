//! What can come after a rule: its return states, tail calls followed, and the bytes they go on with.
//!
//! A grammar's own calls add to what the vocabulary's rules know of each other ([`SharedRules`]), so the cost is that
//! of the grammar alone: O(own states and edges), and a copy of one byte set for each shared rule.

use std::borrow::Cow;
use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::state_flags;
use grammarc_artifacts::tables::Joined;

use super::calls::Calls;
use super::shared::{SharedRules, spread};
use crate::ir::ByteSet;

/// What a grammar's own calls say.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnCalls {
    calls: Calls,
    /// Bytes that may come after each rule, by rule id.
    bytes: Vec<ByteSet>,
    /// The vocabulary's rules after which more may come than where others of these call them, in ascending order.
    widened: Vec<u32>,
}

/// Facts about returns, for every rule and state of the joined numbering.
pub struct Follow<'a> {
    network: Joined<'a>,
    shared: &'a SharedRules,
    own: Cow<'a, OwnCalls>,
}

impl<'a> Follow<'a> {
    /// The facts of a network over the shared rules' own. After the rules `open`, which others may call later, anything
    /// may come.
    pub fn new(network: Joined<'a>, shared: &'a SharedRules, open: &[u32]) -> Self {
        let calls = Calls::new(network.own, network);
        let count = shared.after.len() + network.own.rules.len();
        let mut bytes = Vec::with_capacity(count);
        bytes.extend_from_slice(&shared.after);
        bytes.resize(count, ByteSet::EMPTY);
        open.iter().for_each(|&rule| bytes[rule as usize] = ByteSet::FULL);
        let mut changed: Vec<u32> = open.to_vec();
        let base = network.own.bases.states;
        for &(callee, ret) in calls.all_returns() {
            let set = &mut bytes[callee as usize];
            let wider = set.union(calls.firsts[(ret - base) as usize].0);
            if std::mem::replace(set, wider) != wider {
                changed.push(callee);
            }
        }
        let mut widened = changed.clone();
        changed.extend(calls.all_passes().iter().map(|&(caller, _)| caller));
        changed.sort_unstable();
        changed.dedup();
        let first_own = network.own.bases.rules;
        widened.extend(spread(&mut bytes, changed, |rule, reach| match rule < first_own {
            true => shared.calls.passes(rule).for_each(reach),
            false => calls.passes(rule).for_each(reach),
        }));
        widened.retain(|&rule| rule < first_own);
        widened.sort_unstable();
        widened.dedup();
        Self { network, shared, own: Cow::Owned(OwnCalls { calls, bytes, widened }) }
    }

    /// The same facts of a network that they were found for before.
    pub(super) fn known(network: Joined<'a>, shared: &'a SharedRules, own: &'a OwnCalls) -> Self {
        Self { network, shared, own: Cow::Borrowed(own) }
    }

    /// What the grammar's own calls say, to be kept with the network.
    pub(super) fn into_own(self) -> OwnCalls {
        self.own.into_owned()
    }

    /// The network.
    #[inline]
    pub fn network(&self) -> Joined<'a> {
        self.network
    }

    /// The facts of the shared rules.
    pub(super) fn shared(&self) -> &'a SharedRules {
        self.shared
    }

    /// Rule of a state.
    #[inline]
    pub fn rule_of(&self, state: u32) -> u32 {
        let (calls, index) = self.locate(state);
        calls.rule_of[index]
    }

    /// States that a rule may return to, from tail calls on its way too. O(rules that lead to it by tail calls).
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

    /// The grammar's own states that a rule may return to, from the grammar's own tail calls on its way too.
    pub fn own_returns(&self, rule: u32) -> BTreeSet<u32> {
        self.own.calls.all_returns_of(rule)
    }

    /// The grammar's own states that its own calls of a rule return to.
    pub fn own_call_returns(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.returns(rule)
    }

    /// The grammar's own rules that call a rule in tail position.
    pub fn own_tail_callers(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.tail_callers(rule)
    }

    /// The shared rules that the grammar's own call.
    pub fn shared_callees(&self) -> BTreeSet<u32> {
        let mut callees = self.own.calls.callees();
        callees.split_off(&self.network.own.bases.rules);
        callees
    }

    /// The vocabulary's rules after which more may come than where others of these call them, in ascending order.
    pub(super) fn widened(&self) -> &[u32] {
        &self.own.widened
    }

    /// Bytes that may come after a rule.
    #[inline]
    pub fn bytes(&self, rule: u32) -> ByteSet {
        self.own.bytes[rule as usize]
    }

    /// Whether a state's rule may return there.
    #[inline]
    pub fn is_final(&self, state: u32) -> bool {
        self.network.state(state).flags & state_flags::FINAL != 0
    }

    /// Bytes with which a state goes on within its rule, and whether two of its ways share one.
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
