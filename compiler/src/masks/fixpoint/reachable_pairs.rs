//! Reachable pairs of return state and exit class, found from the exit classes through which each rule can return.
//!
//! A rule can return through the classes of its own states, and through those of the rules that it calls in tail
//! position. It can also return through the next classes of its return states' follow entries. Classes propagate only
//! up the call graph. A class that is met further up lies deeper in the trie or is the same, so the propagation ends.
//!
//! [`Follow`] has the calls of each rule. The vocabulary's rules call no rule of a grammar, so the classes through
//! which they return are found once ([`left_through`](crate::masks::shared::exits::left_through)).

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::network::follow::Follow;

/// The initial capacity of the sets, in pairs of a state or rule and an exit class (nodes where a rule returns). Few
/// grammars have more.
const ROOM: usize = 512;

/// The exit classes (trie nodes of returns) through which each rule can return, and the pairs of a return state and
/// such a class.
pub(crate) struct ReachablePairs<'a> {
    /// The calls of the network: the callees of each rule, and the return states of calls.
    follow: &'a Follow<'a>,
    /// All pairs of a rule and an exit class (nodes where a rule returns) such that the rule can return through the
    /// class.
    known: FxHashSet<(u32, u32)>,
    /// The pairs of a rule and an exit class (nodes where a rule returns) not yet propagated to return states and to
    /// tail callers. So a chain of hundreds of tail calls is followed once for each class, not once for each of its
    /// rules.
    fresh: Vec<(u32, u32)>,
    /// The pairs of a return state and an exit class (nodes where a rule returns) that [`pairs`](Self::pairs) has
    /// returned already. A return state of several callees can meet one class from each of them.
    met: FxHashSet<(u32, u32)>,
}

impl<'a> ReachablePairs<'a> {
    /// Begins with the exit classes (trie nodes of returns) of the vocabulary rules that the grammar calls.
    /// `left_through` has for each vocabulary rule the classes through which it can return.
    pub(crate) fn new(follow: &'a Follow<'a>, left_through: &[Box<[u32]>]) -> Self {
        let callees = follow.shared_callees().into_iter();
        let fresh = callees
            .flat_map(|rule| left_through[rule as usize].iter().map(move |&class| (rule, class)));
        let room = || FxHashSet::with_capacity_and_hasher(ROOM, FxBuildHasher);
        let (known, met) = (room(), room());
        Self { follow, known, fresh: fresh.collect(), met }
    }

    /// Records that the rule of a state can return through an exit class (nodes where a rule returns). [`NONE`] is
    /// ignored.
    pub(crate) fn add(&mut self, state: u32, class: u32) {
        let rule = self.follow.rule_of(state);
        if class != NONE && self.known.insert((rule, class)) {
            self.fresh.push((rule, class));
        }
    }

    /// Returns the new pairs of a return state and an exit class (nodes where a rule returns) through which the callee
    /// can return. Only classes added since the last call are looked at. Each pair is returned only once, over all
    /// calls.
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
