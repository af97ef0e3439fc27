//! Rules before a countdown that no mask depends on, and rules of the vocabulary without one that do the same.
//!
//! A string of 22 to 4,096 characters is 22 places, a rule each, before a loop that the vocabulary holds and a countdown
//! that tells when it ends. While there are places to come no token reaches the end of the countdown, so the masks are those
//! of a string of at least 22 characters, whose places the vocabulary holds: the countdown alone makes these others. So
//! such a place is held against the vocabulary's, from the last before the loop on; where the two do the same, it has the
//! mask and exit class of that one, and a walk that comes to a call of the one begins the other.
//!
//! The pairs of a return state and a class that can occur are those of the grammar as it is: near its end the countdown
//! leads to other classes.
//!
//! Cost: O(edges) of the rules in question, and of the vocabulary's loops once for each vocabulary.

use grammarc_artifacts::sections::network::{CallEdge, NONE, rule_flags, state_flags};
use grammarc_artifacts::tables::{Joined, Tables, TablesData};
use rustc_hash::{FxHashMap, FxHashSet};

use super::shared::SharedOutcomes;
use crate::ir::ByteSet;
use crate::network::follow::Follow;

/// Flags that tell two states apart.
const TOLD: u32 =
    state_flags::FINAL | state_flags::POP_ONLY | state_flags::RESTS | state_flags::CLEARS;

/// Rules before a loop of the vocabulary's that are tried for it.
const DEEPEST: usize = 16;

/// What a vocabulary's rules say.
#[derive(Debug, Default)]
pub(super) struct Loops {
    /// By rule with a countdown, one without that does the same until it ends.
    like: FxHashMap<u32, u32>,
    /// Rules and what they go on with at their ends; ascending.
    before: Vec<(u32, u32)>,
}

impl Loops {
    /// Those of a vocabulary.
    pub(super) fn new(shared: Tables<'_>) -> Self {
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
    fn before(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.before.partition_point(|&(rest, _)| rest < rule);
        self.before[from..].iter().take_while(move |pair| pair.0 == rule).map(|pair| pair.1)
    }
}

/// A network whose own rules before a loop are replaced.
pub(super) struct Endless {
    /// The tables without what these rules do, and with calls of others in their place.
    pub(super) tables: TablesData,
    /// The states of these rules, and the vocabulary's that do the same.
    pub(super) states: Vec<[u32; 2]>,
}

impl Endless {
    /// That of a network in which there are such rules.
    pub(super) fn new(
        follow: &Follow<'_>,
        known: &SharedOutcomes,
        tables: &TablesData,
    ) -> Option<Self> {
        let network = follow.network();
        let own = network.own.bases;
        let is_known = |rule: u32| rule < own.rules && is_loop(network, rule);
        let ends = |call: &&CallEdge| call.ret == NONE && is_known(call.callee);
        let mut work: Vec<u32> =
            tables.call_edges.iter().filter(ends).map(|call| call.callee).collect();
        if work.is_empty() {
            return None;
        }
        work.sort_unstable();
        work.dedup();
        let loops = known.loops(network.shared);
        let mut like = loops.like.clone();
        let mut states = Vec::new();
        while let Some(rest) = work.pop() {
            let Some(&other) = like.get(&rest) else { continue };
            for rule in follow.own_tail_callers(rest).filter(|&rule| !is_counted(network, rule)) {
                let after = follow.bytes(rule);
                let mut fitting = loops.before(other).filter_map(|other| {
                    let known = ByteSet::from_words(network.rule(other).after_bytes);
                    let is_left_alike = after.minus(known).is_empty();
                    let pairs = is_left_alike.then(|| pairs(network, &like, [rule, other]))?;
                    Some((other, pairs?))
                });
                if let Some((other, pairs)) = fitting.next()
                    && like.insert(rule, other).is_none()
                {
                    states.extend(pairs);
                    work.push(rule);
                }
            }
        }
        (!states.is_empty()).then(|| Self { tables: replaced(tables, &like), states })
    }
}

/// Tables without what some own rules do, and with calls of others in their place.
fn replaced(tables: &TablesData, like: &FxHashMap<u32, u32>) -> TablesData {
    let old = tables.as_tables();
    let bases = old.bases;
    let mut new = TablesData {
        bases,
        row_words: old.row_words,
        rules: old.rules.to_vec(),
        states: old.states.to_vec(),
        ..TablesData::default()
    };
    for (rule, record) in (bases.rules..).zip(old.rules) {
        let is_replaced = like.contains_key(&rule);
        let first = (record.first_state - bases.states) as usize;
        for index in first..first + record.state_count as usize {
            let state = &mut new.states[index];
            state.byte_edges = new.byte_edges.len() as u32;
            state.call_edges = new.call_edges.len() as u32;
            state.token_edges = new.token_edges.len() as u32;
            if is_replaced {
                continue;
            }
            new.byte_edges.extend_from_slice(old.byte_edges_of(index));
            new.token_edges.extend_from_slice(old.token_edges_of(index));
            new.call_edges.extend(old.call_edges_of(index).iter().map(|call| {
                let callee = like.get(&call.callee).filter(|_| call.callee >= bases.rules);
                callee.map_or(*call, |&callee| CallEdge { callee, count: 0, ..*call })
            }));
        }
    }
    if let Some(end) = new.states.last_mut() {
        end.byte_edges = new.byte_edges.len() as u32;
        end.call_edges = new.call_edges.len() as u32;
        end.token_edges = new.token_edges.len() as u32;
    }
    new
}

fn is_counted(network: Joined<'_>, rule: u32) -> bool {
    network.rule(rule).flags & rule_flags::COUNTED != 0
}

/// Whether a rule may be left before its countdown ends.
fn is_loop(network: Joined<'_>, rule: u32) -> bool {
    network.rule(rule).flags & rule_flags::MONOTONE != 0
}

/// What a rule goes on with at all of its ends, if anything; none of one that is not bytes and such calls alone.
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
        && tables.states[index].flags & TOLD == state_flags::RESTS;
    (is_alone && call.ret == NONE).then_some(call.callee)
}

/// The states that two rules come to side by side, where these do the same: all of the first rule's, each with one of the
/// other's or of the rules that it goes on with. A rule does what another does that it is `like`.
fn pairs(
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
        let stand_alike = (ours.states[index].flags ^ theirs.states[at].flags) & TOLD == 0;
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

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::setting::{Setting, inner};
    use super::super::shared::class_nodes;
    use super::*;
    use crate::compile::Compiler;
    use crate::samples;

    /// For a vocabulary of texts that end strings, and of so long a one that no bound below is near.
    static COMPILER: LazyLock<Compiler> = LazyLock::new(|| {
        let parts = ["a", "\\n", "\\", "u00", "\"", "\",", "\"}", "\u{e9}", " "];
        let pairs = parts.iter().flat_map(|one| parts.map(|other| format!("{one}{other}")));
        let pairs: Vec<String> = pairs.collect();
        let triples = pairs.iter().flat_map(|pair| parts.map(|part| format!("{pair}{part}")));
        let long = (4..12).map(|length| "a".repeat(length) + "\"").chain(["a".repeat(40)]);
        let texts: Vec<String> = pairs.iter().cloned().chain(triples).chain(long).collect();
        samples::compiler(texts.into_iter().map(String::into_bytes))
    });

    /// Holds the states that have a like against walks. Returns how many there are.
    fn held(schema: &serde_json::Value) -> usize {
        let setting = Setting::new(&COMPILER, schema);
        let Setting { known, network, .. } = &setting;
        let (shared, trie, follow) = (setting.shared(), setting.trie(), setting.follow());
        let Some(endless) = Endless::new(&follow, known, &network.tables) else { return 0 };
        for &[state, like] in &endless.states {
            let (ranks, exits) = setting.walked(&follow, state);
            let spans = known.spans(shared, trie, like).iter().cloned();
            assert_eq!(ranks, spans.flatten().collect::<Vec<u32>>(), "{state}: {schema}");
            let nodes = class_nodes(shared, shared.states[like as usize].exits);
            assert_eq!(inner(nodes), inner(&exits), "{state}: {schema}");
        }
        let replaced = Joined { shared, own: endless.tables.as_tables() };
        let is_left = |call: &CallEdge| {
            endless.states.iter().any(|&[state, _]| replaced.rule(call.callee).first_state == state)
        };
        assert!(!endless.tables.call_edges.iter().any(is_left), "{schema}");
        endless.states.len()
    }

    #[test]
    fn places_before_a_countdown_are_those_before_any_more() {
        let count = held(&json!({"type": "string", "minLength": 22, "maxLength": 4096}));
        assert!(count > 2 * (22 - 8), "{count}");
        // Within so few the end is near.
        assert_eq!(held(&json!({"type": "string", "minLength": 22, "maxLength": 30})), 0);
        assert_eq!(held(&json!({"type": "string", "minLength": 22})), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn likes_do_the_same(
            bounds in prop::collection::vec((1u32..60, 0u32..400), 1..4),
            required in any::<bool>(),
        ) {
            let string = |(min, more)| json!({"type": "string", "minLength": min, "maxLength": min + more});
            let members = bounds.into_iter().zip(["a", "b", "c"]);
            let members: serde_json::Map<_, _> =
                members.map(|(bounds, key)| (key.to_owned(), string(bounds))).collect();
            let required: &[&str] = if required { &["a"] } else { &[] };
            held(&json!({"type": "object", "properties": members, "required": required}));
        }
    }
}
