//! Reachable pairs of return state and exit class, from the classes through which each rule can be left.
//!
//! A rule can be left through the classes of its own states, those of rules it calls in tail position, and the next
//! classes of its return states' follow entries. Classes only go up the call graph, and a class met further up lies
//! deeper in the trie or is the same, so this ends.
//!
//! [`Follow`] knows which rule calls which. The vocabulary's rules are closed, so what they can be left through is
//! found once ([`left_through`](crate::masks::shared::exits::left_through)).

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::network::follow::Follow;

/// Pairs that there is room for from the beginning: few grammars have more.
const ROOM: usize = 512;

/// The classes through which each rule can be left, and the pairs that follow from them.
pub(crate) struct ReachablePairs<'a> {
    follow: &'a Follow<'a>,
    /// Rules, each with a class through which it can be left.
    known: FxHashSet<(u32, u32)>,
    /// Pairs that are not processed yet, neither by return states nor by rules that call these in tail position. A
    /// chain of hundreds of tail calls is followed once for each class, not once for each of its rules.
    fresh: Vec<(u32, u32)>,
    /// Pairs given out: a return state of several callees can meet one class from each of them.
    met: FxHashSet<(u32, u32)>,
}

impl<'a> ReachablePairs<'a> {
    /// The pairs of the grammar's calls of the vocabulary's rules, which are left through these classes.
    pub(crate) fn new(follow: &'a Follow<'a>, left_through: &[Box<[u32]>]) -> Self {
        let callees = follow.shared_callees().into_iter();
        let fresh = callees
            .flat_map(|rule| left_through[rule as usize].iter().map(move |&class| (rule, class)));
        let room = || FxHashSet::with_capacity_and_hasher(ROOM, FxBuildHasher);
        let (known, met) = (room(), room());
        Self { follow, known, fresh: fresh.collect(), met }
    }

    /// Notes that the rule of an own state can be left through a class.
    pub(crate) fn add(&mut self, state: u32, class: u32) {
        let rule = self.follow.rule_of(state);
        if class != NONE && self.known.insert((rule, class)) {
            self.fresh.push((rule, class));
        }
    }

    /// Returns the pairs that follow from what was added since the last call, each once in all.
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
