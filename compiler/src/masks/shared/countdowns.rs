//! Rules of the vocabulary with a countdown, and rules without one that do the same until it ends.
//!
//! Cost: O(edges) of the vocabulary's loops, once.

use grammarc_artifacts::sections::network::{NONE, rule_flags, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};
use rustc_hash::{FxHashMap, FxHashSet};

/// Flags that distinguish two states.
const COMPARED: u32 =
    state_flags::FINAL | state_flags::POP_ONLY | state_flags::RESTS | state_flags::CLEARS;

/// Rules before a loop of the vocabulary's that are tried for it.
const DEEPEST: usize = 16;

/// The loops of a vocabulary that end with a countdown.
#[derive(Debug, Default)]
pub(crate) struct CountdownLoops {
    /// By rule with a countdown, one without that does the same until it ends.
    pub(crate) like: FxHashMap<u32, u32>,
    /// Rules and what they go on with at their ends; ascending.
    before: Vec<(u32, u32)>,
}

impl CountdownLoops {
    /// The loops of a vocabulary.
    pub(crate) fn new(shared: Tables<'_>) -> Self {
        let network = Joined { shared, own: shared };
        let plain = (0..shared.rules.len() as u32).filter(|&rule| !is_counted(network, rule));
        let (mut before, mut last) = (Vec::new(), Vec::new());
        for rule in plain {
            match rest_of(network, rule) {
                Some(Some(rest)) => before.push((rest, rule)),
                Some(None) => last.push(rule),
                None => {}
            }
        }
        before.sort_unstable();
        let mut this = Self { like: FxHashMap::default(), before };
        let none = FxHashMap::default();
        for rule in (0..shared.rules.len() as u32).filter(|&rule| is_loop(network, rule)) {
            let fits = |&other: &u32| pairs(network, &none, [rule, other]).is_some();
            let mut rules = last.clone();
            for _ in 0..DEEPEST {
                if let Some(&found) = rules.iter().find(|other| fits(other)) {
                    this.like.insert(rule, found);
                    break;
                }
                rules = rules.iter().flat_map(|&rule| this.before(rule)).collect();
            }
        }
        this
    }

    /// Rules that go on with a rule at their ends.
    pub(crate) fn before(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.before.partition_point(|&(rest, _)| rest < rule);
        self.before[from..].iter().take_while(move |pair| pair.0 == rule).map(|pair| pair.1)
    }
}

/// Whether a rule has a countdown.
pub(crate) fn is_counted(network: Joined<'_>, rule: u32) -> bool {
    network.rule(rule).flags & rule_flags::COUNTED != 0
}

/// Whether a rule may be left before its countdown ends.
pub(crate) fn is_loop(network: Joined<'_>, rule: u32) -> bool {
    network.rule(rule).flags & rule_flags::MONOTONE != 0
}

/// The rule that a rule calls at all of its ends, if any; none of one that is not bytes and such calls alone.
fn rest_of(network: Joined<'_>, rule: u32) -> Option<Option<u32>> {
    let record = network.rule(rule);
    let mut rest = None;
    for state in record.first_state..record.first_state + record.state_count {
        let (tables, index) = network.locate(state);
        match tables.call_edges_of(index) {
            [] => {}
            _ => {
                let callee = tail(network, state)?;
                rest = match rest {
                    Some(other) if other != callee => return None,
                    _ => Some(callee),
                };
            }
        }
    }
    Some(rest)
}

/// The rule that a state calls in tail position and does nothing else.
fn tail(network: Joined<'_>, state: u32) -> Option<u32> {
    let (tables, index) = network.locate(state);
    let [call] = tables.call_edges_of(index) else { return None };
    let is_alone = tables.byte_edges_of(index).is_empty()
        && tables.token_edges_of(index).is_empty()
        && tables.states[index].flags & COMPARED == state_flags::RESTS;
    (is_alone && call.ret == NONE).then_some(call.callee)
}

/// Returns the states that two rules reach side by side, if the rules are equal: all of the first rule's, each with one
/// of the other's or of the rules that replace it.
pub(crate) fn pairs(
    network: Joined<'_>,
    like: &FxHashMap<u32, u32>,
    rules: [u32; 2],
) -> Option<Vec<[u32; 2]>> {
    let mut found = vec![rules.map(|rule| network.rule(rule).first_state)];
    let mut seen: FxHashSet<[u32; 2]> = found.iter().copied().collect();
    let mut work = found.clone();
    while let Some([one, mut other]) = work.pop() {
        match (tail(network, one), tail(network, other)) {
            (Some(rest), Some(callee)) if like.get(&rest) == Some(&callee) => continue,
            (None, Some(callee)) => other = network.rule(callee).first_state,
            (None, None) => {}
            _ => return None,
        }
        let [(ours, index), (theirs, at)] = [one, other].map(|state| network.locate(state));
        let [our_edges, their_edges] = [ours.byte_edges_of(index), theirs.byte_edges_of(at)];
        let stand_alike = (ours.states[index].flags ^ theirs.states[at].flags) & COMPARED == 0;
        let read_bytes = [(ours, index), (theirs, at)].iter().all(|(tables, index)| {
            tables.call_edges_of(*index).is_empty() && tables.token_edges_of(*index).is_empty()
        });
        if !stand_alike || !read_bytes || our_edges.len() != their_edges.len() {
            return None;
        }
        for (edge, another) in our_edges.iter().zip(their_edges) {
            if edge.range != another.range {
                return None;
            }
            let to = [edge.target, another.target];
            if seen.insert(to) {
                found.push(to);
                work.push(to);
            }
        }
    }
    Some(found)
}
