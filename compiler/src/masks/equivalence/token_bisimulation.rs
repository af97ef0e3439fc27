//! Token bisimulation: classes of states that are equivalent on every factor (contiguous part) of a token.
//!
//! The state after one member of an object differs from the state after the next in the keys that may still come.
//! Hardly any factor of a token continues from a comma to the end of a key. So no mask distinguishes these states, nor
//! the ends of keys whose values are equal, since they lead to such states. A *copy* has the base mask, the exit class
//! and the follow masks of another state of its class.
//!
//! Two steps find bisimilar states. First, candidates are the return states of calls and the states before wide ones.
//! Each is compared with the last candidate that has equal bytes and calls. Both are followed along the bytes on which
//! their targets differ, for as long as the bytes read are a [factor](crate::masks::trie::factors). The string of a
//! call is not followed. Instead, the return states of two calls of one rule have to be equivalent on every factor that
//! may [follow](crate::masks::shared::call_followers) a string of the rule.
//!
//! Then comes a partition by transitions: states that lead to bisimilar states on the same bytes and calls are
//! bisimilar. States are numbered along the texts that they read and taken from the last, so most targets are known.
//! Wide states are not compared, but a [default](super::default_transitions) represents its state.
//!
//! Cost: O(edges) for each state, some 40 ns, and some 60 ns for each reached pair of states.

use std::hash::{Hash, Hasher};

use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, StateRecord, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use super::default_transitions::DefaultTransitions;
use super::edge_diff::{EdgeDifference, all_apart};
use crate::budget::Budget;
use crate::ir::ByteSet;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shared::transitions::{WIDE, bytes_of};
use crate::masks::trie::factors::Factor;
use crate::network::follow::Follow;

/// The most pairs of states that one comparison of two states visits. Beyond it, the two count as not equivalent.
const MOST_PAIRS: usize = 48;

/// The most neighbouring bytes with the same two targets that are followed one by one. For more bytes, the two targets
/// have to be equivalent on every factor (substring) of a token.
const FEW: u32 = 4;

/// Steps of the budget that are charged for the comparison of two states: an estimate.
const STEPS_A_STATE: usize = 1 << 7;

/// Classes of the grammar's states that are equivalent on every factor (substring) of a token.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenBisimulation {
    /// Id of the first state of the grammar itself. States with lower ids belong to the vocabulary.
    base: u32,
    /// For each state of the grammar itself, by index from the first such state, the index of the state that represents
    /// its class.
    like: Vec<u32>,
    /// For each state of the grammar itself, by index from the first such state, whether it represents other states of
    /// its class.
    is_copied: Vec<bool>,
}

impl TokenBisimulation {
    /// Computes the classes of a grammar's states that are equivalent on every factor (substring) of a token, apart
    /// from their edges on whole tokens. States that are not reached before the budget is spent stay alone, unless they
    /// are equivalent to their default (target of the widest edge).
    pub(crate) fn new<'a>(
        follow: &Follow<'a>,
        defaults: &mut DefaultTransitions<'a>,
        known: &VocabularyFacts,
        trie: Trie<'_>,
        budget: &Budget,
    ) -> Self {
        let own = follow.network().own;
        let count = own.state_count();
        let base = own.bases.states;
        // Flatten chains: a representative is not mapped to another state.
        let default_state = |index| {
            let default_state = defaults
                .equivalent_to(base + index)
                .filter(|&default_state| defaults.equivalent_to(default_state).is_none());
            default_state.map_or(index, |default_state| default_state - base)
        };
        let like = (0..count).map(default_state).collect();
        let (work, seen) = (Vec::new(), Vec::new());
        let mut finder = Finder { follow, own, defaults, known, trie, like, work, seen };
        let is_narrow: Vec<bool> = (0..count as usize).map(|index| is_narrow(own, index)).collect();
        finder.compare_ends(&is_narrow, budget);
        finder.compare_all(&is_narrow, budget);
        let mut is_copied = vec![false; count as usize];
        for index in 0..count {
            let like = finder.like_of(index);
            finder.like[index as usize] = like;
            is_copied[like as usize] |= like != index;
        }
        Self { base: own.bases.states, like: finder.like, is_copied }
    }

    /// Returns the id of a state's class, if it has other states. The states of a class are equivalent on every factor
    /// (substring) of a token. `None` if the state is alone.
    pub(crate) fn class(&self, state: u32) -> Option<u32> {
        let like = *self.like.get((state - self.base) as usize)?;
        self.is_copied[like as usize].then_some(like)
    }
}

/// Whether a state, given by its index among the grammar's states, has fewer than [`WIDE`] bytes on its edges. Only
/// such states are compared.
fn is_narrow(own: Tables<'_>, index: usize) -> bool {
    bytes_of(own.byte_edges_of(index)) < WIDE
}

/// A search for states of a grammar that are equivalent on every factor (substring) of a token.
struct Finder<'f, 'a> {
    /// The automata of all rules, with the bytes that may follow each rule.
    follow: &'f Follow<'a>,
    /// The tables of the grammar itself.
    own: Tables<'a>,
    /// Finds states that are equivalent to the target of their widest edge on every token.
    defaults: &'f mut DefaultTransitions<'a>,
    /// Facts about the vocabulary, such as the factors (substrings) of its tokens.
    known: &'f VocabularyFacts,
    /// The token trie: the prefix tree of the tokens' byte strings.
    trie: Trie<'f>,
    /// For each state of the grammar itself, by index from the first such state, an equivalent state, or the state
    /// itself. The two are equivalent on every factor (substring) of a token. The other state may again have an entry
    /// for another state.
    like: Vec<u32>,
    /// Pairs of states to compare, by index, each with the bytes that were read before.
    work: Vec<([u32; 2], ReadSoFar)>,
    /// Pairs of states already compared, by index, each with the bytes that were read before.
    seen: Vec<([u32; 2], ReadSoFar)>,
}

/// The bytes read before two states were reached, and the bytes that may come next in a factor (substring) of a token.
#[derive(Clone, Copy)]
struct ReadSoFar {
    /// The last bytes read before the two states. Empty if these bytes are not known.
    piece: Factor,
    /// Bytes that may come next in a token, after the bytes read.
    next: ByteSet,
}

impl ReadSoFar {
    /// The description for unknown bytes read before, so that any byte may come next.
    const ANY: Self = Self { piece: Factor::EMPTY, next: ByteSet::FULL };

    /// Returns a description of the bytes read before: the last ones are `piece`, and any byte may come next.
    fn of(piece: Factor) -> Self {
        Self { piece, ..Self::ANY }
    }

    /// Whether every continuation after these bytes is also possible after the bytes of `other`.
    fn is_within(self, other: Self) -> bool {
        (other.piece == self.piece || other.piece == Factor::EMPTY)
            && self.next.minus(other.next).is_empty()
    }
}

impl<'a> Finder<'_, 'a> {
    /// Finds states that are equivalent on every factor (substring) of a token. Only return states of calls are
    /// compared, and states before those with many outgoing bytes. `is_narrow` says of each state, by index, whether it
    /// has few outgoing bytes. Stops once the budget is spent.
    fn compare_ends(&mut self, is_narrow: &[bool], budget: &Budget) {
        let base = self.own.bases.states;
        let is_wide = |edge: &ByteEdge| !is_narrow[(edge.target - base) as usize];
        let mut is_end: Vec<bool> = (0..is_narrow.len())
            .map(|index| is_narrow[index] && self.own.byte_edges_of(index).iter().any(is_wide))
            .collect();
        for call in self.own.call_edges {
            if let Some(is_end) = is_end.get_mut(call.ret.wrapping_sub(base) as usize) {
                *is_end = is_narrow[(call.ret - base) as usize];
            }
        }
        // Maps a hash of flags, bytes and calls of a state to the last state with it.
        let mut newest: FxHashMap<u64, u32> = FxHashMap::default();
        for index in (0..is_end.len() as u32).rev().filter(|&index| is_end[index as usize]) {
            if budget.spend(STEPS_A_STATE).is_err() {
                return;
            }
            let mut shape = FxHasher::default();
            (self.record(index).flags, self.after(index)).hash(&mut shape);
            for edge in self.edges(index) {
                (edge.range, self.record(edge.target - base).flags).hash(&mut shape);
            }
            self.calls(index).iter().for_each(|call| (call.callee, call.count).hash(&mut shape));
            if let Some(other) = newest.insert(shape.finish(), index)
                && self.do_the_same(index, other)
            {
                self.join(index, other);
            }
        }
    }

    /// Finds states that are equivalent on every factor (substring) of a token, among all states with few outgoing
    /// bytes. Two states are joined if their transitions lead to equal classes. `is_narrow` says of each state, by
    /// index, whether it has few outgoing bytes. Stops once the budget is spent.
    fn compare_all(&mut self, is_narrow: &[bool], budget: &Budget) {
        let mut by_content: HashTable<(u64, u32)> = HashTable::with_capacity(is_narrow.len());
        for index in (0..is_narrow.len() as u32).rev().filter(|&index| is_narrow[index as usize]) {
            if budget.spend(STEPS_A_STATE).is_err() {
                return;
            }
            let mut content = FxHasher::default();
            for edge in self.edges(index) {
                (edge.range, self.to(edge.target)).hash(&mut content);
            }
            for call in self.calls(index) {
                (call.callee, call.count, self.to(call.ret)).hash(&mut content);
            }
            let content = content.finish();
            let same =
                |&(hash, other): &(u64, u32)| hash == content && self.are_equal(index, other);
            match by_content.find(content, same) {
                Some(&(_, other)) => self.join(index, other),
                None => {
                    by_content.insert_unique(content, (content, index), |&(hash, _)| hash);
                }
            }
        }
    }

    /// Records that two states are equivalent on every factor (substring) of a token. Both are given by their indexes
    /// among the grammar's states.
    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.like_of(one), self.like_of(other));
        self.like[one as usize] = other;
    }

    /// Whether two states have the same flags, and the same bytes and calls that lead to states of equal classes.
    fn are_equal(&self, one: u32, other: u32) -> bool {
        let (edges, others) = (self.edges(one), self.edges(other));
        let leads_alike = |(a, b): (&ByteEdge, &ByteEdge)| {
            a.range == b.range && self.to(a.target) == self.to(b.target)
        };
        let returns_alike = |(a, b): (&CallEdge, &CallEdge)| self.to(a.ret) == self.to(b.ret);
        edges.len() == others.len()
            && edges.iter().zip(others).all(leads_alike)
            && self.call_alike(one, other)
            && self.calls(one).iter().zip(self.calls(other)).all(returns_alike)
            && self.stand_alike(one, other)
            && self.after(one) == self.after(other)
    }

    /// Whether two states call the same rules, with the same initial registers, in the same order.
    fn call_alike(&self, one: u32, other: u32) -> bool {
        let calls = |index: u32| self.calls(index).iter().map(|call| (call.callee, call.count));
        calls(one).eq(calls(other))
    }

    /// Whether two states have the same count exit (state after a counter's end) and the same flags: token ends,
    /// returns and register updates.
    fn stand_alike(&self, one: u32, other: u32) -> bool {
        let of = |record: &StateRecord| (record.flags, record.count_exit);
        of(self.record(one)) == of(self.record(other))
    }

    /// Returns the FOLLOW bytes of a state's rule if the rule, or one called in tail position, may return. These bytes
    /// select the exit nodes. Empty if the rule cannot return there.
    fn after(&self, index: u32) -> ByteSet {
        const LEAVES: u32 = state_flags::FINAL | state_flags::POP_ONLY;
        let is_left = self.record(index).flags & LEAVES != 0
            || self.calls(index).iter().any(|call| call.ret == NONE);
        match is_left {
            true => self.follow.bytes(self.follow.rule_of(self.own.bases.states + index)),
            false => ByteSet::EMPTY,
        }
    }

    /// Whether two states are equivalent on every factor (substring) of a token. All pairs of states visited on the way
    /// are assumed to be equivalent. False if more than [`MOST_PAIRS`] pairs are reached.
    fn do_the_same(&mut self, one: u32, other: u32) -> bool {
        if !self.stand_alike(one, other) {
            return false;
        }
        self.seen.clear();
        self.work.clear();
        self.work.push(([one, other], ReadSoFar::ANY));
        while let Some((pair, read)) = self.work.pop() {
            let is_seen =
                |&(seen, after): &([u32; 2], ReadSoFar)| seen == pair && read.is_within(after);
            if self.seen.iter().any(is_seen) {
                continue;
            }
            self.seen.push((pair, read));
            if self.after(pair[0]) != self.after(pair[1])
                || !self.go_on(pair, read)
                || self.seen.len() + self.work.len() > MOST_PAIRS
            {
                return false;
            }
        }
        true
    }

    /// Queues pairs of states to be compared: the targets of two states on the bytes and calls on which they have
    /// different ones. `read` has the bytes read before the two. Returns false if the two are certain not to be
    /// equivalent, or too different to be compared.
    fn go_on(&mut self, pair: [u32; 2], read: ReadSoFar) -> bool {
        let [mut one, mut other] = pair;
        if !self.call_alike(one, other) {
            // One state is in a named key, and the other in any key of another object. The named key's state may have a
            // bisimilar state in any key.
            [one, other] = pair.map(|index| self.like_of(index));
        }
        if !self.call_alike(one, other) {
            let states = [one, other].map(|index| self.own.bases.states + index);
            let Some(divergences) = self.defaults.divergences_between(states) else { return false };
            return divergences.into_iter().all(|divergence| {
                let (byte, to) = self.defaults.divergence(divergence);
                self.none_goes_on(read, byte) || self.add(to, ReadSoFar::of(read.piece.then(byte)))
            });
        }
        let mut calls = self.calls(one).iter().zip(self.calls(other));
        if !calls.all(|(call, other)| {
            self.to(call.ret) == self.to(other.ret)
                || self.add([call.ret, other.ret], self.read_by(call, read))
        }) {
            return false;
        }
        all_apart(self.edges(one), self.edges(other), |EdgeDifference { first, last, to }| {
            let mut bytes = first..=last;
            match u32::from(last - first) {
                0..FEW => bytes.all(|byte| {
                    self.none_goes_on(read, byte)
                        || self.add(to, ReadSoFar::of(read.piece.then(byte)))
                }),
                _ => {
                    bytes.all(|byte| self.none_goes_on(read, byte)) || self.add(to, ReadSoFar::ANY)
                }
            }
        })
    }

    /// Whether no factor (substring) of a token continues with `byte` after the bytes of `read`.
    fn none_goes_on(&self, read: ReadSoFar, byte: u8) -> bool {
        !read.next.contains(byte) || !self.known.pieces().may_have(read.piece.then(byte))
    }

    /// Returns the bytes read after a call has returned: the last byte of the callee's strings, if all end with one
    /// byte. The result also has the bytes that may follow these strings in a token. `before` has the bytes read before
    /// the call.
    fn read_by(&self, call: &CallEdge, before: ReadSoFar) -> ReadSoFar {
        let network = self.follow.network();
        if call.callee >= network.own.bases.rules || call.count != 0 {
            return ReadSoFar::ANY;
        }
        let behind = self.known.behind();
        let mut last = behind.last(network, call.callee).iter();
        let piece = match (last.next(), last.next()) {
            (Some(byte), None) => Factor::EMPTY.then(byte),
            _ => Factor::EMPTY,
        };
        let vocabulary = (self.trie, self.known.children(), self.known.nodes());
        let next = before
            .piece
            .last()
            .map_or(ByteSet::FULL, |byte| behind.next(network, vocabulary, (byte, call.callee)));
        ReadSoFar { piece, next }
    }

    /// Queues the pair `to` of target states to compare, unless both are in one class already. `read` has the bytes
    /// read before the two. Returns false if the two are certain not to be equivalent, or if one is no state of the
    /// grammar.
    fn add(&mut self, to: [u32; 2], read: ReadSoFar) -> bool {
        if to[0] == to[1] || self.to(to[0]) == self.to(to[1]) {
            return true;
        }
        let base = self.own.bases.states;
        let (one, other) = (to[0].wrapping_sub(base), to[1].wrapping_sub(base));
        let are_own = [one, other].iter().all(|&index| (index as usize) < self.like.len());
        if !are_own || !self.stand_alike(one, other) {
            return false;
        }
        self.work.push(([one, other], read));
        true
    }

    /// Returns the id of a state's class, as known so far. The states of a class are equivalent on every factor
    /// (substring) of a token. Each state of the vocabulary's rules has a class of its own.
    fn to(&self, state: u32) -> u32 {
        let own = state.wrapping_sub(self.own.bases.states);
        if (own as usize) < self.like.len() { self.like_of(own) } else { own }
    }

    /// Returns the index of the state that represents the class, as known so far, of a state of the grammar. The states
    /// of a class are equivalent on every factor (substring) of a token.
    fn like_of(&self, mut index: u32) -> u32 {
        while self.like[index as usize] != index {
            index = self.like[index as usize];
        }
        index
    }

    /// Returns the stored record (flags and ranges of edges) of a state of the grammar, given by its index among the
    /// grammar's states.
    fn record(&self, index: u32) -> &'a StateRecord {
        &self.own.states[index as usize]
    }

    /// Returns the byte edges of a state of the grammar, given by its index among the grammar's states.
    fn edges(&self, index: u32) -> &'a [ByteEdge] {
        self.own.byte_edges_of(index as usize)
    }

    /// Returns the calls of a state of the grammar, given by its index among the grammar's states.
    fn calls(&self, index: u32) -> &'a [CallEdge] {
        self.own.call_edges_of(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compile::Compiler;
    use crate::frontend::FrontEnd;
    use crate::frontend::gbnf::GbnfOptions;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::masks::shared::facts::{VocabularyFacts, walked};
    use crate::network::lazy_dfa::LazyDfa;
    use crate::samples;

    /// Returns a compiler with a vocabulary of all bytes and of texts of up to five characters. These end a value and
    /// begin a key, or end a key and begin a value. A few contain a whole key.
    fn compiler() -> Compiler {
        let texts = [
            "\",", "\",\"", "\"}", "\"},", "},\"", "}}", "],\"", ",\"", ",\"0", "{\"", "\":",
            "\":\"", "0\":", "\":{\"", "\"0\":", ",\"u\"", "u\":[", "[\"", "\":0", "0,\"", "0}",
            "0]", "00", "uu", "u0", "0u\"", "tr", "rue", "true,\"",
        ];
        samples::compiler(texts.map(|text| text.as_bytes().to_vec()))
    }

    /// Compiles a grammar text. Returns how many of its states are represented by another one, after checking that each
    /// has the same outcome at all trie nodes.
    fn bisimilar_states(compiler: &Compiler, front_end: &FrontEnd, text: &str) -> usize {
        let network = samples::network(compiler, front_end, text);
        let (vocabulary, known) =
            (compiler.vocabulary(), VocabularyFacts::new(compiler.vocabulary()));
        let (follow, trie) =
            (network.follow(vocabulary.tables(), known.rules()), vocabulary.trie());
        let bisimulation = TokenBisimulation::new(
            &follow,
            &mut DefaultTransitions::new(&follow, &known),
            &known,
            trie,
            &Budget::unlimited(),
        );
        let mut sets = LazyDfa::new(follow.network());
        let base = follow.network().own.bases.states;
        let mut found = 0;
        for state in base..base + follow.network().own.state_count() {
            let Some(class) = bisimulation.class(state).filter(|class| base + class != state)
            else {
                continue;
            };
            found += 1;
            let after = follow.bytes(follow.rule_of(state));
            for node in (0..trie.len() as u32).filter(|&node| !trie.is_leaf(node)) {
                let [one, other] =
                    [state, base + class].map(|state| walked(&mut sets, trie, after, state, node));
                assert_eq!(one, other, "state {} of {text} at node {node}", state - base);
            }
        }
        found
    }

    #[test]
    fn what_comes_after_members_are_copies() {
        let schema = r#"{"properties": {
            "uu0": {"type": "string"}, "u00": {"type": "string"}, "0uu": {"type": "string"},
            "0u0": {"properties": {"uu0": {"type": "string"}, "u00": {"type": "boolean"}}}
        }}"#;
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let found = bisimilar_states(&compiler(), &front_end, schema);
        assert!(found > 12, "{found} of some dozens");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn copies_do_the_same(
            keys in prop::collection::btree_map("[0u]{1,3}", 0usize..6, 1..6),
            inner in prop::collection::btree_map("[0u]{1,3}", 0usize..4, 1..4),
            any in 0usize..5,
            required: bool,
        ) {
            let members = |keys: &std::collections::BTreeMap<String, usize>, value: &dyn Fn(usize) -> String| {
                let members = keys.iter().map(|(key, &at)| format!(r#""{key}": {}"#, value(at)));
                members.collect::<Vec<_>>().join(", ")
            };
            let simple = |at: usize| {
                let kinds = ["true", r#"{"type":"integer"}"#, r#"{"type":"string"}"#, r#"{"enum":["0u","u0"]}"#];
                kinds[at].to_owned()
            };
            let inner = format!(r#"{{"properties": {{{}}}}}"#, members(&inner, &simple));
            let value = |at: usize| match at {
                4 => inner.clone(),
                5 => format!(r#"{{"type": "array", "items": {inner}}}"#),
                at => simple(at),
            };
            let rest = if any == 4 { "false".to_owned() } else { value(any) };
            let required = if required { keys.keys().next().cloned() } else { None };
            let required: Vec<String> = required.iter().map(|key| format!(r#""{key}""#)).collect();
            let schema = format!(
                r#"{{"type": "object", "properties": {{{}}}, "required": [{}], "additionalProperties": {rest}}}"#,
                members(&keys, &value), required.join(","),
            );
            bisimilar_states(&compiler(), &FrontEnd::JsonSchema(JsonSchemaOptions::default()), &schema);
        }

        #[test]
        fn copies_among_rules_do_the_same(
            ends in prop::collection::vec("[,}0]{1,3}", 2..5),
            words in prop::collection::btree_set("[0u]{1,3}", 1..4),
            many in r"(\[ -z\]|\[0a-u\]|\[\^u,\])[*+]",
        ) {
            let words: Vec<String> = words.iter().map(|word| format!(r#""{word}""#)).collect();
            let rules = (0..ends.len()).map(|at| format!("r{at}")).collect::<Vec<_>>().join(" | ");
            let rules = format!("root ::= {rules}\nword ::= {} | {many}\n", words.join(" | "));
            let bodies = ends.iter().enumerate();
            let bodies = bodies.map(|(at, end)| format!("r{at} ::= \"{at}\" word \"{end}\" (\",\" root | \"{end}\")?\n"));
            let text = rules + &bodies.collect::<String>();
            bisimilar_states(&compiler(), &FrontEnd::Gbnf(GbnfOptions::default()), &text);
        }
    }
}
