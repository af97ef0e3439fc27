//! Replaces rules before a countdown by equal rules of the vocabulary without it, if no mask depends on the countdown.
//! A countdown is a loop with the number of its remaining repetitions in a register.
//!
//! A string of 22 to 4,096 characters is 22 states, a rule each, before a loop of the vocabulary with a countdown. In
//! these states no token reaches the end of the countdown, so the masks are those of a string of at least 22
//! characters. The vocabulary has such states; they differ in the countdown alone. So each state is compared with the
//! vocabulary's, from the last before the loop on. If the two are equal, the state has the mask and exit class of the
//! other. Walks then enter the other's rule in place of its own.
//!
//! The pairs of a return state and an exit class are still those of the original grammar. Near its end, the countdown
//! leads to other classes.
//!
//! Cost: O(edges) of the rules in question, and of the vocabulary's loops once for each vocabulary.

use grammarc_artifacts::sections::network::{CallEdge, NONE};
use grammarc_artifacts::tables::TablesData;
use rustc_hash::FxHashMap;

use crate::ir::ByteSet;
use crate::masks::shared::countdowns::{is_counted, is_loop, pairs};
use crate::masks::shared::facts::VocabularyFacts;
use crate::network::follow::Follow;

/// A grammar in which the rules before a countdown are replaced by equal rules of the vocabulary. A countdown is a
/// register with the number of repetitions left.
pub(crate) struct Uncounted {
    /// The tables, in which replaced rules have no edges. Calls of replaced rules go to the vocabulary's rules.
    pub(crate) tables: TablesData,
    /// Pairs of a state of a replaced rule and a state of the vocabulary's rules. Both have the same mask and set of
    /// exits (nodes where a rule returns).
    pub(crate) states: Vec<[u32; 2]>,
}

impl Uncounted {
    /// Finds the rules before countdowns (registers of repetitions left) and replaces them by rules of the vocabulary.
    /// `None` if no rule is replaced.
    pub(crate) fn new(
        follow: &Follow<'_>,
        known: &VocabularyFacts,
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

/// Returns the tables without the edges of replaced rules, and with calls of their replacements. `like` maps each
/// replaced rule to the vocabulary's rule.
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

#[cfg(test)]
mod tests {
    use grammarc_artifacts::tables::Joined;
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::compile::Compiler;
    use crate::masks::shared::exits::class_nodes;
    use crate::masks::testing::{Setting, inner};
    use crate::samples;

    /// A compiler with a vocabulary of texts that end strings, and of one text of 40 characters. The longest token
    /// decides which bounds of a string are near.
    static COMPILER: LazyLock<Compiler> = LazyLock::new(|| {
        let parts = ["a", "\\n", "\\", "u00", "\"", "\",", "\"}", "\u{e9}", " "];
        let pairs = parts.iter().flat_map(|one| parts.map(|other| format!("{one}{other}")));
        let pairs: Vec<String> = pairs.collect();
        let triples = pairs.iter().flat_map(|pair| parts.map(|part| format!("{pair}{part}")));
        let long = (4..12).map(|length| "a".repeat(length) + "\"").chain(["a".repeat(40)]);
        let texts: Vec<String> = pairs.iter().cloned().chain(triples).chain(long).collect();
        samples::compiler(texts.into_iter().map(String::into_bytes))
    });

    /// Checks the masks of all states of replaced rules against walks byte by byte. Returns the number of such states.
    fn held(schema: &serde_json::Value) -> usize {
        let setting = Setting::new(&COMPILER, schema);
        let Setting { known, network, .. } = &setting;
        let (shared, trie, follow) = (setting.shared(), setting.trie(), setting.follow());
        let Some(endless) = Uncounted::new(&follow, known, &network.tables) else { return 0 };
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
        // So few characters are within reach of a token.
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
