//! Reachable pairs of a return state and an exit class of the callee. An exit class is a set of trie nodes at which a
//! rule returns. The pairs follow from the exit classes of each rule.
//!
//! A rule can return through the classes of its own states, and through those of the rules that it calls in tail
//! position. It can also return through the exit classes of its return states, if these are reached by a return within
//! the token. Classes propagate only up the call graph. A class that is met further up lies deeper in the trie or is
//! the same, so the propagation ends.
//!
//! [`Follow`] has the calls of each rule. The vocabulary's rules call no rule of a grammar, so the classes through
//! which they return are found once ([`left_through`](crate::masks::shared::exits::left_through)).

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::network::follow::Follow;

/// The initial capacity of the sets of pairs. A pair is a state or rule, and a set of exits (nodes where a rule
/// returns). Few grammars have more.
const ROOM: usize = 512;

/// The sets of exits (nodes where a rule returns) of each rule, by id. Also the pairs of a return state (state after a
/// call) and a set of exits of the callee.
pub(crate) struct ReachablePairs<'a> {
    /// The calls between rules: the callees of each rule, and the states to which calls return.
    follow: &'a Follow<'a>,
    /// All pairs of a rule and the id of a set of exits (nodes where a rule returns) such that the rule can return at
    /// these nodes.
    known: FxHashSet<(u32, u32)>,
    /// The pairs of a rule and the id of a set of exits (nodes where a rule returns) not yet propagated to return
    /// states and to tail callers. So a chain of hundreds of tail calls is followed once for each set, not once for
    /// each of its rules.
    fresh: Vec<(u32, u32)>,
    /// The pairs of a return state and the id of a set of exits (nodes where a callee returns) that
    /// [`pairs`](Self::pairs) has returned already. A return state of several callees can have one set with each of
    /// them.
    met: FxHashSet<(u32, u32)>,
}

impl<'a> ReachablePairs<'a> {
    /// Begins with the sets of exits (nodes where a rule returns) of the vocabulary's rules that the grammar calls.
    /// `left_through` has for each rule of the vocabulary the ids of its sets.
    pub(crate) fn new(follow: &'a Follow<'a>, left_through: &[Box<[u32]>]) -> Self {
        let callees = follow.shared_callees().into_iter();
        let fresh = callees
            .flat_map(|rule| left_through[rule as usize].iter().map(move |&class| (rule, class)));
        let room = || FxHashSet::with_capacity_and_hasher(ROOM, FxBuildHasher);
        let (known, met) = (room(), room());
        Self { follow, known, fresh: fresh.collect(), met }
    }

    /// Records that the rule of a state can return at the exits (trie nodes) of the set with the id `class`. Does
    /// nothing if `class` is [`NONE`].
    pub(crate) fn add(&mut self, state: u32, class: u32) {
        let rule = self.follow.rule_of(state);
        if class != NONE && self.known.insert((rule, class)) {
            self.fresh.push((rule, class));
        }
    }

    /// Returns the new pairs of a return state and the id of a set of exits (nodes where a callee returns). Only sets
    /// added since the last call are looked at. Each pair is returned only once, over all calls.
    pub(crate) fn pairs(&mut self) -> Vec<(u32, u32)> {
        let Self { follow, known, fresh, met } = self;
        let mut pairs = Vec::with_capacity(fresh.len());
        while let Some((rule, class)) = fresh.pop() {
            let returns = follow.own_call_returns(rule).map(|ret| (ret, class));
            pairs.extend(returns.filter(|&pair| met.insert(pair)));
            let callers = follow.own_tail_callers(rule).map(|caller| (caller, class));
            fresh.extend(callers.filter(|&way| known.insert(way)));
        }
        pairs
    }
}
