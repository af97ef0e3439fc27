//! States equivalent to the target of their widest edge, their *default*, on every token. So both have the same mask.
//!
//! In an object that may have other keys, a state within a named key nearly equals the state within any key. The two
//! have different targets on the next byte of the name. Hardly any token continues from there to the end of the key,
//! where the two finally accept different values. So both are followed along the bytes with different targets. The
//! comparison ends at two states known to be equal, or where no [factor](crate::masks::trie::factors) of a token
//! continues from one byte to the next. If that is not conclusive, both are followed along the nodes of the trie. D2FA
//! (S. Kumar et al., "Algorithms to Accelerate Multiple Regular Expressions Matching for Deep Packet Inspection", 2006)
//! stores automata by such default transitions.
//!
//! The default has to loop on most of its bytes. Mostly it only calls the vocabulary's rule for the rest of a string;
//! its transitions are then those of the rule's first state. If the state lacks edges on some of these bytes, it must
//! have a call whose callee has the same transitions on them.
//!
//! Cost: O(edges) for each state, some 50 ns, and the look-up of a factor for each differing byte. At the ends of keys,
//! the look-up of a child for each differing byte of a node.

use std::ops::Range;
use std::rc::Rc;

use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, StateRecord, state_flags};
use grammarc_artifacts::tables::Joined;

use super::edge_diff::{EdgeDifference, all_apart};
use super::own_transitions::ENDS;
use crate::ir::ByteSet;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shared::transitions::{WIDE, speaks_of_bytes};
use crate::network::bytes_on;
use crate::network::follow::Follow;

/// The most bytes on which two compared states may have different targets. That is enough for object keys that may
/// continue with any letter, digit or other common character. With more such bytes, the two states count as not
/// equivalent.
const MOST_APART: usize = 64;

/// The most trie nodes that a comparison of two states along the trie visits. Beyond it, the two count as not
/// equivalent.
const MOST_NODES: usize = 256;

/// The most successive pairs of target states that are compared before one is known to be equivalent. Beyond it, the
/// two states count as not equivalent.
const MOST_AHEAD: usize = 64;

/// Marks a state for which it is not known yet whether it only calls a rule of the vocabulary.
const UNKNOWN: u32 = NONE - 1;

/// A byte on which two states lead to different states.
#[derive(Clone, Copy)]
struct Divergence {
    /// The byte on which the two states lead to different states.
    byte: u8,
    /// The targets of both states on the byte. One target may be [`NONE`].
    to: [u32; 2],
}

/// A state that does nothing but call a rule of the vocabulary. Its transitions are those of the rule's first state.
struct CalledState {
    /// Byte edges of the state, in ascending order. Bytes that lead the callee's first state back to itself lead back
    /// to the state. Bytes after which the callee must return lead to `ret`.
    edges: Vec<ByteEdge>,
    /// The bytes of all other transitions of the rule's first state.
    rest: ByteSet,
    /// Id of the first state of the rule that the state calls.
    first: u32,
    /// Id of the state to which the call returns.
    ret: u32,
}

/// A search for states of a grammar that are equivalent to their default, the target of their widest edge, on every
/// token.
pub(crate) struct DefaultTransitions<'a> {
    /// The automata of all rules, with the bytes that may follow each rule.
    follow: &'a Follow<'a>,
    /// The tables of the vocabulary and of the grammar.
    network: Joined<'a>,
    /// Facts about the vocabulary, such as the factors (substrings) of its tokens.
    known: &'a VocabularyFacts,
    /// For each state of the grammar itself, by index from the first such state, the state with which it was compared
    /// last. The range in `divergences` has the bytes on which the two have different targets. It is `None` if these
    /// are too many, or if the two also differ in calls or in tokens matched by id.
    divergences_of: Vec<(u32, Option<Range<u32>>)>,
    /// The bytes on which two compared states lead to different states, one pair of states after another.
    divergences: Vec<Divergence>,
    /// For each state of the grammar itself, by index from the first such state, the state with which it was compared
    /// last. The flag says whether the two are known to be equivalent on every factor (substring) of a token.
    equivalent: Vec<(u32, bool)>,
    /// For each state of the grammar itself, by index from the first such state, the index of its transitions in
    /// `begun`. [`NONE`] if the state does more than call a rule of the vocabulary, [`UNKNOWN`] if that is not computed
    /// yet.
    begun_of: Vec<u32>,
    /// The states that only call a rule of the vocabulary, with their transitions.
    begun: Vec<Rc<CalledState>>,
    /// The bytes on which two rules of the vocabulary begin alike, by the first rule and the first state of the second.
    /// `None` if they have different targets on a first byte of the first rule. Also `None` if the second rule may
    /// begin with some other byte.
    by_call: Vec<((u32, u32), Option<ByteSet>)>,
    /// Pairs of states to compare, each with the trie node at which both were reached.
    work: Vec<([u32; 2], u32)>,
}

impl<'a> DefaultTransitions<'a> {
    /// Creates a search for states of a grammar that are equivalent to their default (target of the widest edge),
    /// without results.
    pub(crate) fn new(follow: &'a Follow<'a>, known: &'a VocabularyFacts) -> Self {
        let network = follow.network();
        let divergences_of = vec![(NONE, None); network.own.state_count() as usize];
        Self {
            follow,
            network,
            known,
            divergences_of,
            divergences: Vec::with_capacity(network.own.state_count() as usize),
            equivalent: vec![(NONE, false); network.own.state_count() as usize],
            begun_of: vec![UNKNOWN; network.own.state_count() as usize],
            begun: Vec::new(),
            by_call: Vec::new(),
            work: Vec::new(),
        }
    }

    /// Returns the target of a state's widest edge, its *default*, if both are equivalent on every token. `None` if
    /// that is not certain. Cheapest if the targets of the state were compared before.
    pub(crate) fn of(&mut self, state: u32) -> Option<u32> {
        let other = self.widest(state).filter(|&other| other != state)?;
        let stays = self.widest(other) == Some(other) || self.begun(other).is_some();
        let states = [state, other];
        let do_the_same = stays
            && self.agree(states)
            && (self.are_equivalent(states, MOST_AHEAD) || self.are_same(states));
        do_the_same.then_some(other)
    }

    /// Returns the state to which a state of the grammar was found equivalent on every factor (substring) of a token.
    /// `None` if no such state was found, or none was searched for.
    pub(crate) fn equivalent_to(&self, state: u32) -> Option<u32> {
        let (other, are_equivalent) = self.equivalent[self.index(state)];
        are_equivalent.then_some(other)
    }

    /// Returns the target of a state's widest edge, if that edge has more than [`WIDE`] bytes.
    fn widest(&self, state: u32) -> Option<u32> {
        let edges = self.network.own.byte_edges_of(self.index(state)).iter();
        let widest = edges.max_by_key(|edge| edge.hi() - edge.lo())?;
        let is_wide = usize::from(widest.hi() - widest.lo()) >= WIDE;
        is_wide.then_some(widest.target)
    }

    /// Whether it follows from the targets of two states that the states are equivalent on every factor (substring) of
    /// a token. Most targets were compared before; the others are compared up to `ahead` steps ahead.
    fn are_equivalent(&mut self, states: [u32; 2], ahead: usize) -> bool {
        let index = self.index(states[0]);
        if self.equivalent[index].0 == states[1] {
            return self.equivalent[index].1;
        }
        let Some(ahead) = ahead.checked_sub(1) else { return false };
        let Some(mut divergences) = self.divergences_between(states) else { return false };
        // States that lead back here count as different.
        self.equivalent[index] = (states[1], false);
        let are_equivalent = divergences.all(|at| {
            let Divergence { byte, to } = self.divergences[at as usize];
            !to.contains(&NONE)
                && self.agree(to)
                && (self.none_part_after(byte, to) || self.are_equivalent(to, ahead))
        });
        self.equivalent[index] = (states[1], are_equivalent);
        are_equivalent
    }

    /// Whether two states have equal targets on every byte that may come directly after `byte` within a token.
    fn none_part_after(&mut self, byte: u8, states: [u32; 2]) -> bool {
        let Some(mut divergences) = self.divergences_between(states) else { return false };
        let after = self.known.pieces().after(byte);
        divergences.all(|at| !after.contains(self.divergences[at as usize].byte))
    }

    /// Whether two states are equivalent on all strings of the trie. False if the comparison takes more than
    /// [`MOST_NODES`] trie nodes.
    fn are_same(&mut self, states: [u32; 2]) -> bool {
        self.work.clear();
        self.work.push((states, 0));
        let mut nodes = 0;
        while let Some((states, node)) = self.work.pop() {
            let Some(divergences) = self.divergences_between(states) else {
                if self.begin_alike(states, node) {
                    continue;
                }
                return false;
            };
            for at in divergences {
                let Divergence { byte, to } = self.divergences[at as usize];
                let Some(child) = self.known.children().on(node, byte) else { continue };
                nodes += 1;
                if nodes > MOST_NODES || to.contains(&NONE) || !self.agree(to) {
                    return false;
                }
                if !self.known.children().is_leaf(child) {
                    self.work.push((to, child));
                }
            }
        }
        true
    }

    /// Whether two states have the same register updates, and the same answer to whether a token may end there or the
    /// rule may return.
    fn agree(&self, states: [u32; 2]) -> bool {
        let [one, other] = states;
        let (one, other) = (self.record(one), self.record(other));
        one.flags & ENDS == other.flags & ENDS && one.count_exit == other.count_exit
    }

    /// Whether two states are certain to be equivalent on the strings below a trie node. That holds if every string is
    /// a single byte, every byte is a token, and both states can begin with the same of these bytes. A token may then
    /// end after each byte.
    fn begin_alike(&self, states: [u32; 2], node: u32) -> bool {
        let [one, other] = states.map(|state| self.follow.first(state).0);
        let mut children = self.known.children().of(node);
        self.known.single_bytes() == ByteSet::FULL
            && children.all(|(byte, child)| {
                self.known.children().is_leaf(child) && one.contains(byte) == other.contains(byte)
            })
    }

    /// Compares two states. Returns the indexes of their [divergences](Self::divergence), the bytes on which they have
    /// different targets. `None` if there are more than [`MOST_APART`], or if the states also differ in calls or in
    /// tokens matched by id.
    #[inline]
    pub(crate) fn divergences_between(&mut self, states: [u32; 2]) -> Option<Range<u32>> {
        let index = self.index(states[0]);
        if self.divergences_of[index].0 != states[1] {
            self.divergences_of[index] = (states[1], self.part(states));
        }
        self.divergences_of[index].1.clone()
    }

    /// Returns the divergence with the index `number`: a byte on which two states have different targets, and both
    /// targets. One target may be [`NONE`].
    pub(crate) fn divergence(&self, number: u32) -> (u8, [u32; 2]) {
        let Divergence { byte, to } = self.divergences[number as usize];
        (byte, to)
    }

    /// Computes the divergences of two states (bytes with different targets), as a range of `divergences`. `None` if
    /// they are too many, or if the states also differ in calls or in tokens matched by id.
    fn part(&mut self, states: [u32; 2]) -> Option<Range<u32>> {
        let [one, other] = states;
        let (one, other) = (self.index(one), self.index(other));
        let own = self.network.own;
        let read_tokens = [one, other].iter().any(|&index| !own.token_edges_of(index).is_empty());
        if read_tokens {
            return None;
        }
        let (edges, others) = (own.byte_edges_of(one), own.byte_edges_of(other));
        let (calls, other_calls) = (own.call_edges_of(one), own.call_edges_of(other));
        let from = self.divergences.len();
        let is_decided = match self.begun(states[1]) {
            Some(begun) => {
                let by_calls = self.by_calls(&begun, calls)?;
                add_divergences([edges, &begun.edges], by_calls, &mut self.divergences)
            }
            None if calls == other_calls => {
                add_divergences([edges, others], ByteSet::EMPTY, &mut self.divergences)
            }
            None => false,
        };
        is_decided.then_some(from as u32..self.divergences.len() as u32)
    }

    /// Returns the bytes on which a state with the calls `calls` has the same targets as `begun`, a state that only
    /// calls a rule of the vocabulary. `None` if the targets differ on a first byte of the calls. Also `None` if the
    /// result lacks a byte of `begun.rest`.
    fn by_calls(&mut self, begun: &CalledState, calls: &[CallEdge]) -> Option<ByteSet> {
        let [call] = calls else {
            let is_all = calls.is_empty() && begun.rest.is_empty();
            return is_all.then_some(ByteSet::EMPTY);
        };
        if call.ret != begun.ret || call.count != 0 {
            return None;
        }
        let key = (call.callee, begun.first);
        if let Some(known) = self.by_call.iter().rev().find(|known| known.0 == key) {
            return known.1;
        }
        let bytes = self.find_by_call(begun, call);
        self.by_call.push((key, bytes));
        bytes
    }

    /// Compares the callee of `call` with the rule of the vocabulary that the state `begun` calls. Returns the bytes
    /// with which the callee may begin, if both rules have the same targets on them. `None` if a target differs, or if
    /// the result lacks a byte of `begun.rest`.
    fn find_by_call(&self, begun: &CalledState, call: &CallEdge) -> Option<ByteSet> {
        let shared = self.network.shared;
        let first = self.plainly_begun(call)?;
        let [one, other] = [first, begun.first].map(|state| self.known.moves(shared, state));
        let leads_alike = |byte: u8| one.to[usize::from(byte)] == other.to[usize::from(byte)];
        let is_part = one.leave.is_empty()
            && begun.rest.minus(one.on).is_empty()
            && one.ends == other.ends.intersect(one.on)
            && one.on.iter().all(leads_alike);
        is_part.then_some(one.on)
    }

    /// Returns the transitions of a state that only calls a rule of the vocabulary: those of the rule's first state.
    /// `None` if the state does more. Computed once for each state.
    fn begun(&mut self, state: u32) -> Option<Rc<CalledState>> {
        let index = self.index(state);
        if self.begun_of[index] == UNKNOWN {
            self.begun_of[index] = match self.find_begun(state) {
                Some(begun) => {
                    self.begun.push(Rc::new(begun));
                    self.begun.len() as u32 - 1
                }
                None => NONE,
            };
        }
        self.begun.get(self.begun_of[index] as usize).map(Rc::clone)
    }

    /// Computes the transitions of a state that only calls a rule of the vocabulary: those of the rule's first state.
    /// `None` if the state does more, or if a register is involved.
    fn find_begun(&self, state: u32) -> Option<CalledState> {
        let (own, shared) = (self.network.own, self.network.shared);
        let index = self.index(state);
        let [call] = own.call_edges_of(index) else { return None };
        let is_alone = own.byte_edges_of(index).is_empty() && own.token_edges_of(index).is_empty();
        if !is_alone || call.ret == NONE {
            return None;
        }
        let first = self.plainly_begun(call)?;
        // In all these states a token may end. So two such states are distinguished by the edges of the grammar's
        // states or of the shared state alone.
        let records = [state, call.ret].map(|state| self.record(state));
        let rests = |record: &StateRecord| record.flags & state_flags::RESTS != 0;
        let are_plain = records.iter().all(|record| rests(record) && record.count_exit == NONE);
        if !are_plain || !rests(&shared.states[first as usize]) {
            return None;
        }
        let moves = self.known.moves(shared, first);
        let like = self.known.like(first);
        let stays = moves.runs.iter().filter(|&&(.., to)| to == like);
        let stays: Vec<ByteEdge> = stays.map(|&(lo, hi, _)| ByteEdge::new(lo, hi, state)).collect();
        let rest = moves.on.minus(bytes_on(&stays));
        let leave = moves.leave.ranges().map(|(lo, hi)| ByteEdge::new(lo, hi, call.ret));
        let mut edges: Vec<ByteEdge> = stays.into_iter().chain(leave).collect();
        edges.sort_unstable_by_key(|edge| edge.lo());
        Some(CalledState { edges, rest, first, ret: call.ret })
    }

    /// Returns the first state of the vocabulary's rule that a call enters. `None` if the callee is a rule of the
    /// grammar, may return at once, or begins with calls or whole tokens. Also `None` if a register is involved.
    fn plainly_begun(&self, call: &CallEdge) -> Option<u32> {
        let shared = self.network.shared;
        let rule = shared.rules.get(call.callee as usize)?;
        let first = rule.first_state;
        let record = &shared.states[first as usize];
        let is_plain = call.count == 0
            && record.flags & state_flags::FINAL == 0
            && record.count_exit == NONE
            && speaks_of_bytes(shared, first)
            && self.known.moves(shared, first).calls.is_empty();
        is_plain.then_some(first)
    }

    /// Returns the stored record (flags and ranges of edges) of a state of the grammar.
    fn record(&self, state: u32) -> &'a StateRecord {
        &self.network.own.states[self.index(state)]
    }

    /// Returns the index of a state among the states of the grammar, from 0.
    fn index(&self, state: u32) -> usize {
        (state - self.network.own.bases.states) as usize
    }
}

/// Adds to `divergences` the bytes on which two lists of edges, `one` and `other`, lead to different targets. The bytes
/// of `by_calls` are left out: on these, calls of the first state equal edges of the second. Returns false if there are
/// too many other bytes, or if the first list has an edge on a byte of `by_calls`.
fn add_divergences(
    [one, other]: [&[ByteEdge]; 2],
    by_calls: ByteSet,
    divergences: &mut Vec<Divergence>,
) -> bool {
    if one.iter().any(|edge| by_calls.meets(edge.lo(), edge.hi())) {
        return false;
    }
    let most = divergences.len() + MOST_APART;
    all_apart(one, other, |EdgeDifference { first, last, to }| {
        (first..=last).all(|byte| {
            let part = to[0] != NONE || !by_calls.contains(byte);
            if part && divergences.len() < most {
                divergences.push(Divergence { byte, to });
                return true;
            }
            !part
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compile::Compiler;
    use crate::frontend::FrontEnd;
    use crate::frontend::gbnf::GbnfOptions;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::masks::shared::facts::walked;
    use crate::network::lazy_dfa::LazyDfa;
    use crate::samples;

    /// Returns a compiler with a vocabulary of all bytes, and of texts of up to three characters that lead out of a key
    /// and into a value.
    fn compiler() -> Compiler {
        let marks = br#"":0u{,"#;
        let pairs = marks.iter().flat_map(|&a| marks.map(|b| vec![a, b]));
        let triples = pairs.clone().flat_map(|pair| marks.map(|c| [&pair[..], &[c]].concat()));
        samples::compiler(pairs.clone().chain(triples))
    }

    /// Compiles a grammar text. Returns how many of its states have the outcome of the target of their widest edge,
    /// after checking that each does.
    fn defaults(compiler: &Compiler, front_end: &FrontEnd, text: &str) -> usize {
        let network = samples::network(compiler, front_end, text);
        let (vocabulary, known) =
            (compiler.vocabulary(), VocabularyFacts::new(compiler.vocabulary()));
        let (follow, trie) =
            (network.follow(vocabulary.tables(), known.rules()), vocabulary.trie());
        let mut defaults = DefaultTransitions::new(&follow, &known);
        let mut sets = LazyDfa::new(follow.network());
        let own = follow.network().own;
        let mut found = 0;
        for state in own.bases.states..own.bases.states + own.state_count() {
            let Some(other) = defaults.of(state) else { continue };
            found += 1;
            let after = follow.bytes(follow.rule_of(state));
            let [one, other] = [state, other].map(|state| walked(&mut sets, trie, after, state, 0));
            assert_eq!(one, other, "state {} of {text}", state - own.bases.states);
        }
        found
    }

    #[test]
    fn places_in_a_key_among_any_keys_have_defaults() {
        let schema = r#"{"properties": {"0uu0uu": true, "u0u0u0": {"type": "string"}}}"#;
        let found =
            defaults(&compiler(), &FrontEnd::JsonSchema(JsonSchemaOptions::default()), schema);
        assert!(found > 8, "{found} of some twenty");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn defaults_do_the_same(
            keys in prop::collection::btree_map("[0u{,]{1,4}", 0usize..4, 1..5),
            any in 0usize..4,
        ) {
            let value = |at: usize| ["true", r#"{"type":"integer"}"#, r#"{"type":"string"}"#, "{\"type\":\"object\"}"][at];
            let members = keys.iter().map(|(key, &at)| format!(r#""{key}": {}"#, value(at)));
            let members = members.collect::<Vec<_>>().join(", ");
            let schema =
                format!(r#"{{"properties": {{{members}}}, "additionalProperties": {}}}"#, value(any));
            defaults(&compiler(), &FrontEnd::JsonSchema(JsonSchemaOptions::default()), &schema);
        }

        #[test]
        fn defaults_within_rules_do_the_same(
            words in prop::collection::btree_set("[0u]{1,4}", 1..4),
            many in r"(\[ -z\]|\[0a-u\]|\[\^u,\])[*+]",
            then in "[0u]{0,2}",
        ) {
            let words: Vec<String> = words.iter().map(|word| format!(r#""{word}""#)).collect();
            let words = words.join(" | ");
            let text = format!(
                r#"root ::= "{{" rule ","
                rule ::= "{{" rule "," rule | {words} | {many} "{then}""#
            );
            defaults(&compiler(), &FrontEnd::Gbnf(GbnfOptions::default()), &text);
        }
    }
}
