//! Call followers: the bytes that may follow a string of a rule of the vocabulary within a token.
//!
//! Two states that call one rule and return to different states mostly have the same masks. The masks differ only if
//! some token contains a string of the rule and then a byte with different targets in the return states. After a colon
//! hardly any token has a whole value, and none has a bracket behind it.
//!
//! The bytes are found once for a rule and the byte before it. The rule is walked from all trie nodes on that byte.
//! Letters and digits are on too many nodes, so every byte counts as a follower there. Cost: O(nodes) for each rule and
//! byte that is asked for, some 0.2 ms.

use std::sync::{Mutex, PoisonError};

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;

use crate::ir::ByteSet;
use crate::masks::trie::byte_bits::bits;
use crate::masks::trie::children::Children;
use crate::masks::trie::subtrees::Subtrees;
use crate::network::bytes_on;
use crate::network::lazy_dfa::{BOTTOM, Configurations, LazyDfa};

/// A cache of the bytes that may follow a string of a rule of the vocabulary within a token.
#[derive(Default)]
pub(crate) struct CallFollowers {
    /// Maps a rule of the vocabulary, and the byte before a string of the rule, to the bytes that may follow the string
    /// within a token.
    next: Mutex<FxHashMap<(u32, u8), ByteSet>>,
    /// Maps a rule of the vocabulary to the bytes with which its strings may end.
    last: Mutex<FxHashMap<u32, ByteSet>>,
}

impl CallFollowers {
    /// Returns the bytes that come, in any token of `trie`, after `byte` and a string of the vocabulary's rule `rule`.
    /// The result may contain more bytes. If `byte` is a letter or digit, it contains all.
    pub(crate) fn next(
        &self,
        network: Joined<'_>,
        (trie, children, nodes): (Trie<'_>, &Children, &Subtrees),
        (byte, rule): (u8, u32),
    ) -> ByteSet {
        if byte.is_ascii_alphanumeric() {
            return ByteSet::FULL;
        }
        let known = |this: &Self| {
            let next = this.next.lock().unwrap_or_else(PoisonError::into_inner);
            next.get(&(rule, byte)).copied()
        };
        known(self).unwrap_or_else(|| {
            let ends = bits(self.last(network, rule));
            let may_end = |node: u32| nodes.below(node) & ends != 0;
            let found = find_next(network, (trie, children), may_end, (byte, rule));
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            next.insert((rule, byte), found);
            found
        })
    }

    /// Returns the bytes with which the strings of a rule of the vocabulary end. The result may contain more bytes.
    pub(crate) fn last(&self, network: Joined<'_>, rule: u32) -> ByteSet {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last.entry(rule).or_insert_with(|| find_last(network, rule))
    }
}

/// Finds the bytes that come, in any token of `trie`, after `byte` and a string of the rule `rule`. `may_end` is false
/// only for nodes below which no string of the rule ends.
fn find_next(
    network: Joined<'_>,
    (trie, children): (Trie<'_>, &Children),
    may_end: impl Fn(u32) -> bool,
    (byte, rule): (u8, u32),
) -> ByteSet {
    let mut sets = LazyDfa::new(network);
    let begin = sets.after_returns(network.rule(rule).first_state, BOTTOM).at;
    let on_byte = (0..).zip(trie.byte).filter(|&(_, &other)| other == byte);
    let nodes = on_byte.map(|(node, _)| node).filter(|&node| node != 0 && may_end(node));
    let mut work: Vec<(u32, Configurations)> = nodes.map(|node| (node, begin)).collect();
    let mut next = ByteSet::EMPTY;
    while let Some((node, at)) = work.pop() {
        for (byte, child) in children.of(node) {
            let reached = sets.step(at, byte);
            if reached.exits {
                children.of(child).for_each(|(byte, _)| next.insert(byte));
            }
            if !reached.is_dead() && may_end(child) {
                work.push((child, reached.at));
            }
        }
    }
    next
}

/// Finds the bytes with which the strings of a rule may end. Returns all bytes if the rule, or a rule that it calls
/// last, has a register.
fn find_last(network: Joined<'_>, rule: u32) -> ByteSet {
    let shared = network.shared;
    let (mut rules, mut at, mut last) = (vec![rule], 0, ByteSet::EMPTY);
    let may_end = |state: u32| {
        let flags = shared.states[state as usize].flags;
        flags & (state_flags::FINAL | state_flags::POP_ONLY) != 0
    };
    while let Some(&rule) = rules.get(at) {
        at += 1;
        let record = &shared.rules[rule as usize];
        for state in record.first_state..record.first_state + record.state_count {
            if shared.states[state as usize].count_exit != NONE {
                return ByteSet::FULL;
            }
            let edges = shared.byte_edges_of(state as usize).iter();
            last = last.union(bytes_on(edges.filter(|edge| may_end(edge.target))));
            for call in shared.call_edges_of(state as usize) {
                let is_last = call.ret == NONE || may_end(call.ret);
                if is_last && !rules.contains(&call.callee) {
                    rules.push(call.callee);
                }
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::samples;

    #[test]
    fn what_comes_behind_a_string_is_what_tokens_have_there() {
        let texts = [
            ":0", ":0}", ":00,", ":{}", ":{}]", ":[],\"", ":\"\":", ",\"u\"", "\"u\":0,", ":[0]}",
            ":tru", ":true\"", "u:0u", "{\"u\":[", "\"\"",
        ];
        let texts = texts.map(|text| text.as_bytes().to_vec());
        let compiler = samples::compiler(texts.clone());
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let own = samples::network(&compiler, &front_end, "true").tables;
        let network = Joined { shared: compiler.vocabulary().tables(), own: own.as_tables() };
        let trie = compiler.vocabulary().trie();
        let (children, nodes) = (Children::new(trie), Subtrees::new(trie));
        let behind = CallFollowers::default();
        let mut found = 0;
        for rule in 0..network.shared.rules.len() as u32 {
            let last = behind.last(network, rule);
            for byte in *b":,\"[{" {
                let mut expected = ByteSet::EMPTY;
                for text in &texts {
                    let begins = (0..text.len()).filter(|&at| text[at] == byte);
                    for begin in begins {
                        let mut sets = LazyDfa::new(network);
                        let mut at = sets.after_returns(network.rule(rule).first_state, BOTTOM).at;
                        for (place, &byte) in text.iter().enumerate().skip(begin + 1) {
                            let reached = sets.step(at, byte);
                            at = reached.at;
                            if reached.exits {
                                assert!(last.contains(byte), "rule {rule} ends with {byte}");
                                expected = expected
                                    .union(text.get(place + 1).copied().into_iter().collect());
                            }
                        }
                    }
                }
                found += expected.len();
                assert_eq!(
                    behind.next(network, (trie, &children, &nodes), (byte, rule)),
                    expected,
                    "rule {rule} after {byte}"
                );
            }
        }
        assert!(found > 10, "{found}");
    }
}
