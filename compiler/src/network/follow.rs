//! FOLLOW sets of rules: the bytes that can come after a rule's strings. They are the first bytes
//! of the states that calls of the rule return to, also through tail calls.
//!
//! The FOLLOW sets of the vocabulary's rules among each other are known ([`SharedRules`]). A
//! grammar's calls add to them. So the cost is that of the grammar alone: O(states and edges of the
//! grammar), and one byte set for each shared rule whose FOLLOW set grows.

use std::borrow::Cow;
use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::state_flags;
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;

use super::calls::Calls;
use super::shared::{ByteSets, SharedRules, spread};
use crate::ir::ByteSet;

/// The calls of a grammar's states, and the FOLLOW bytes that these calls add.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnCalls {
    /// The call graph of the grammar's rules.
    calls: Calls,
    /// The FOLLOW bytes of the grammar's rules, and of shared rules (of the vocabulary) whose bytes
    /// grew.
    after: After,
    /// The ids of the vocabulary's rules whose FOLLOW sets the grammar's calls widen, in ascending
    /// order.
    widened: Vec<u32>,
}

/// The FOLLOW bytes of the rules that a grammar affects.
#[derive(Clone, Debug, Default)]
struct After {
    /// For each rule of the grammar, by index, its FOLLOW bytes.
    own: Vec<ByteSet>,
    /// Maps each vocabulary's rule whose FOLLOW set the grammar's calls widen to its complete
    /// FOLLOW set, with the bytes from the vocabulary.
    wider: FxHashMap<u32, ByteSet>,
}

/// The FOLLOW bytes while the fixpoint is computed.
struct Widening<'a> {
    /// The FOLLOW bytes so far.
    after: After,
    /// For each vocabulary's rule, its FOLLOW bytes from the calls of other vocabulary's rules.
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
    /// Returns the FOLLOW bytes of a rule. `shared` has, for each vocabulary's rule, the bytes that
    /// follow calls of it within the vocabulary.
    #[inline]
    fn of(&self, rule: u32, shared: &[ByteSet]) -> ByteSet {
        match shared.get(rule as usize) {
            None => self.own[rule as usize - shared.len()],
            Some(&set) => self.wider.get(&rule).copied().unwrap_or(set),
        }
    }
}

/// The FOLLOW sets of all rules of a network, with the vocabulary's rules. Rules and states are
/// numbered jointly: the vocabulary's first, then the grammar's.
pub struct Follow<'a> {
    /// The tables of the vocabulary and of the grammar.
    network: Joined<'a>,
    /// The facts about the vocabulary's rules.
    shared: &'a SharedRules,
    /// The calls of the grammar's states.
    own: Cow<'a, OwnCalls>,
}

impl<'a> Follow<'a> {
    /// Computes the FOLLOW sets of a network, given the facts about the shared rules (of the
    /// vocabulary). Any byte may follow the rules `open`, because other grammars may call them.
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

    /// Returns the FOLLOW sets of a network from calls that were computed before.
    pub(super) fn known(network: Joined<'a>, shared: &'a SharedRules, own: &'a OwnCalls) -> Self {
        Self { network, shared, own: Cow::Borrowed(own) }
    }

    /// Returns the calls of the grammar's states, to be stored in the network.
    pub(super) fn into_own(self) -> OwnCalls {
        self.own.into_owned()
    }

    /// Returns the tables of the vocabulary and of the grammar.
    #[inline]
    pub fn network(&self) -> Joined<'a> {
        self.network
    }

    /// Returns the facts about the vocabulary's rules.
    pub(super) fn shared(&self) -> &'a SharedRules {
        self.shared
    }

    /// Returns the id of the rule that a state belongs to.
    #[inline]
    pub fn rule_of(&self, state: u32) -> u32 {
        let (calls, index) = self.locate(state);
        calls.rule_of[index]
    }

    /// Returns the states that a rule may return to, also through tail calls. O(rules that reach
    /// the rule by tail calls).
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

    /// Returns the states of the grammar itself (not of the vocabulary's rules) that a rule may
    /// return to, also through the grammar's tail calls.
    pub fn own_returns(&self, rule: u32) -> BTreeSet<u32> {
        self.own.calls.all_returns_of(rule)
    }

    /// Returns the states of the grammar itself that the grammar's calls of a rule return to,
    /// without tail calls.
    pub fn own_call_returns(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.returns(rule)
    }

    /// Returns the grammar's rules that call `rule` in tail position.
    pub fn own_tail_callers(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.tail_callers(rule)
    }

    /// Returns the vocabulary's rules that the grammar's rules call.
    pub fn shared_callees(&self) -> BTreeSet<u32> {
        let mut callees = self.own.calls.callees();
        callees.split_off(&self.network.own.bases.rules);
        callees
    }

    /// Returns the callees whose FOLLOW sets include the FOLLOW set of `rule`, a rule of the
    /// grammar.
    pub(crate) fn passes(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.own.calls.passes(rule)
    }

    /// Returns the ids of the vocabulary's rules whose FOLLOW sets the grammar's calls widen, in
    /// ascending order.
    pub(super) fn widened(&self) -> &[u32] {
        &self.own.widened
    }

    /// Returns the FOLLOW bytes of a rule: the bytes that can come after its strings.
    #[inline]
    pub fn bytes(&self, rule: u32) -> ByteSet {
        self.own.after.of(rule, &self.shared.after)
    }

    /// For each rule of the grammar, returns its FOLLOW bytes.
    pub(super) fn own_bytes(&self) -> Vec<ByteSet> {
        self.network.own.rule_ids().map(|rule| self.bytes(rule)).collect()
    }

    /// Returns the vocabulary's rules that this grammar misuses: some FOLLOW byte is not among
    /// those for which the rule's exit classes were computed.
    pub(super) fn misused(&self) -> Vec<u32> {
        let shared = self.network.shared;
        let knows = |rule: u32| ByteSet::from_words(shared.rules[rule as usize].after_bytes);
        let widened = self.widened().iter().copied();
        widened.filter(|&rule| !self.bytes(rule).minus(knows(rule)).is_empty()).collect()
    }

    /// Whether a state is final: its rule may return to the caller there.
    #[inline]
    pub fn is_final(&self, state: u32) -> bool {
        self.network.state(state).flags & state_flags::FINAL != 0
    }

    /// Returns the first bytes of a state within its rule, and whether two of the state's edges and
    /// calls share a first byte.
    #[inline]
    pub fn first(&self, state: u32) -> (ByteSet, bool) {
        let (calls, index) = self.locate(state);
        calls.firsts[index]
    }

    /// Returns the call graph that contains a state, and the state's index in it.
    #[inline]
    fn locate(&self, state: u32) -> (&Calls, usize) {
        match state.checked_sub(self.network.own.bases.states) {
            Some(index) => (&self.own.calls, index as usize),
            None => (&self.shared.calls, state as usize),
        }
    }
}
