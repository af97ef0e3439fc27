//! FOLLOW sets of rules: the return states of their calls, tail calls followed, and the bytes that these go on with.
//!
//! A grammar's own calls add to what the vocabulary's rules know of each other ([`SharedRules`]), so the cost is that
//! of the grammar alone: O(own states and edges), and one byte set for each shared rule that more may come after.

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
    /// The vocabulary's rules after which more may come than where others of these call them, in ascending order.
    widened: Vec<u32>,
}

/// Bytes that may come after rules.
#[derive(Clone, Debug, Default)]
struct After {
    /// By index of the grammar's own rule.
    own: Vec<ByteSet>,
    /// Of the vocabulary's rules after which more may come than where others of these call them.
    wider: FxHashMap<u32, ByteSet>,
}

/// The same while it is found.
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
    /// The bytes after a rule; `shared` has those after the vocabulary's rules by their calls of each other.
    #[inline]
    fn of(&self, rule: u32, shared: &[ByteSet]) -> ByteSet {
        match shared.get(rule as usize) {
            None => self.own[rule as usize - shared.len()],
            Some(&set) => self.wider.get(&rule).copied().unwrap_or(set),
        }
    }
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

    /// The same facts of a network that they were found for before.
    pub(super) fn known(network: Joined<'a>, shared: &'a SharedRules, own: &'a OwnCalls) -> Self {
        Self { network, shared, own: Cow::Borrowed(own) }
    }

    /// The grammar's own calls, to be kept with the network.
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

    /// The callees that are followed by what follows a rule of the grammar's own.
    pub(crate) fn passes(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.passes(rule)
    }

    /// The vocabulary's rules after which more may come than where others of these call them, in ascending order.
    pub(super) fn widened(&self) -> &[u32] {
        &self.own.widened
    }

    /// Bytes that may come after a rule.
    #[inline]
    pub fn bytes(&self, rule: u32) -> ByteSet {
        self.own.after.of(rule, &self.shared.after)
    }

    /// The bytes that may come after each own rule.
    pub(super) fn own_bytes(&self) -> Vec<ByteSet> {
        self.network.own.rule_ids().map(|rule| self.bytes(rule)).collect()
    }

    /// Vocabulary rules that the network calls and goes on from with a byte that their exit classes do not know of.
    pub(super) fn misused(&self) -> Vec<u32> {
        let shared = self.network.shared;
        let knows = |rule: u32| ByteSet::from_words(shared.rules[rule as usize].after_bytes);
        let widened = self.widened().iter().copied();
        widened.filter(|&rule| !self.bytes(rule).minus(knows(rule)).is_empty()).collect()
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
