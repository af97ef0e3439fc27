//! Rules of the vocabulary with a countdown, and rules without one that accept the same strings until the countdown
//! ends. A countdown is a register with the number of repetitions left.
//!
//! Cost: O(edges) of the vocabulary's loops, once.

use grammarc_artifacts::sections::network::{NONE, rule_flags, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};
use rustc_hash::{FxHashMap, FxHashSet};

/// The state flags that must be equal in two states for their rules to be equal.
const COMPARED: u32 =
    state_flags::FINAL | state_flags::POP_ONLY | state_flags::RESTS | state_flags::CLEARS;

/// The most rounds of the search for a rule that equals a loop with a countdown (register of repetitions left). Each
/// round goes from some rules to the rules that end with a tail call of them. Beyond this limit, the loop counts as
/// having no equal rule.
const DEEPEST: usize = 16;

/// The loops of a vocabulary that end with a countdown: a register with the number of repetitions left.
#[derive(Debug, Default)]
pub(crate) struct CountdownLoops {
    /// Maps a rule with a countdown (register of repetitions left) to a rule without one. The two accept the same
    /// strings until the countdown ends.
    pub(crate) like: FxHashMap<u32, u32>,
    /// Pairs of rules, ascending: the second ends with a tail call (as its last step) of the first.
    before: Vec<(u32, u32)>,
}

impl CountdownLoops {
    /// Finds the loops of a vocabulary, and their equal rules without a countdown (register of repetitions left).
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

    /// Returns the rules that end with a tail call (as their last step) of `rule`.
    pub(crate) fn before(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.before.partition_point(|&(rest, _)| rest < rule);
        self.before[from..].iter().take_while(move |pair| pair.0 == rule).map(|pair| pair.1)
    }
}

/// Whether a call of the rule begins with a nonzero register: a countdown (register of repetitions left), or a set of
/// required keys.
pub(crate) fn is_counted(network: Joined<'_>, rule: u32) -> bool {
    network.rule(rule).flags & rule_flags::COUNTED != 0
}

/// Whether a rule is a loop with a countdown (register of repetitions left). With a larger countdown, such a rule
/// accepts all strings that it accepts with a smaller one.
pub(crate) fn is_loop(network: Joined<'_>, rule: u32) -> bool {
    network.rule(rule).flags & rule_flags::MONOTONE != 0
}

/// Returns the rule that `rule` calls as its last step, if there is only one. `Some(None)` if it makes no call. `None`
/// if it calls several rules, or if a state does more than such a call.
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

/// For a state that does nothing but a tail call, returns the callee. `None` for every other state.
fn tail(network: Joined<'_>, state: u32) -> Option<u32> {
    let (tables, index) = network.locate(state);
    let [call] = tables.call_edges_of(index) else { return None };
    let is_alone = tables.byte_edges_of(index).is_empty()
        && tables.token_edges_of(index).is_empty()
        && tables.states[index].flags & COMPARED == state_flags::RESTS;
    (is_alone && call.ret == NONE).then_some(call.callee)
}

/// Compares two rules. If they are equal, returns the pairs of states that both reach on equal strings. There is a pair
/// for every state of the first rule. Two tail calls are equal if `like` maps the callee of the first rule to the
/// callee of the second. `None` if the rules are not equal.
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
