//! States equal to the target of their widest edge, their *default*: the two differ in no token.
//!
//! In an object that may have other keys, a state within a named key equals the state within any key, except for the
//! next byte of the name and what follows it. Hardly any token continues from there to the end of the key, where the
//! two differ at last. So both are followed along the bytes on which they differ. This stops when no
//! [factor](crate::masks::trie::factors) of a token continues from one byte to the next, or at two states known to be
//! equal. If that decides nothing, both are followed along the nodes of the trie. D2FA (S. Kumar et al., "Algorithms to
//! Accelerate Multiple Regular Expressions Matching for Deep Packet Inspection", 2006) stores automata by such default
//! transitions.
//!
//! The default has to loop on most of its bytes. Mostly it only calls the vocabulary's rule for the rest of a string;
//! its transitions are then those of the rule's first state. If the state has no edge on one of these bytes, it has a
//! call of a rule that begins with nothing else.
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

/// Bytes on which two states may part: a letter, digit or another for each key that may come.
const MOST_APART: usize = 64;

/// Nodes that two are followed to.
const MOST_NODES: usize = 256;

/// States one behind the other that are followed before it is known what they do.
const MOST_AHEAD: usize = 64;

/// Not asked yet.
const UNKNOWN: u32 = NONE - 1;

/// A byte on which two states part, and where they go, one of them perhaps nowhere.
#[derive(Clone, Copy)]
struct Divergence {
    byte: u8,
    to: [u32; 2],
}

/// The transitions of a state that only calls a shared rule, copied from the rule's first state.
struct CalledState {
    /// The bytes that lead back to the state, and those by which the rule is left.
    edges: Vec<ByteEdge>,
    /// The other bytes.
    rest: ByteSet,
    /// The first state, and where the call returns to.
    first: u32,
    ret: u32,
}

/// Looks for such states.
pub(crate) struct DefaultTransitions<'a> {
    follow: &'a Follow<'a>,
    network: Joined<'a>,
    known: &'a VocabularyFacts,
    /// By index of the state, the state it was compared with last, and the range of their divergences. `None` if these
    /// are too many or do not decide.
    divergences_of: Vec<(u32, Option<Range<u32>>)>,
    divergences: Vec<Divergence>,
    /// By index of the state, the state it was compared with last, and whether they are known to be equal on every
    /// factor of a token.
    equivalent: Vec<(u32, bool)>,
    /// By index of the state, where it stands among those that do nothing but call; [`NONE`] where it does more, and
    /// [`UNKNOWN`] where that was not asked.
    begun_of: Vec<u32>,
    begun: Vec<Rc<CalledState>>,
    /// By called rule and the first state of another rule: the first bytes of the called rule, if the state has the
    /// same transitions on them and every other byte leads back to the state.
    by_call: Vec<((u32, u32), Option<ByteSet>)>,
    /// Two states at a node that both have reached.
    work: Vec<([u32; 2], u32)>,
}

impl<'a> DefaultTransitions<'a> {
    /// Among the own states of a network.
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

    /// Returns the default state that an own state equals. Costs least if the targets of the state were asked for
    /// before.
    pub(crate) fn of(&mut self, state: u32) -> Option<u32> {
        let other = self.widest(state).filter(|&other| other != state)?;
        let stays = self.widest(other) == Some(other) || self.begun(other).is_some();
        let states = [state, other];
        let do_the_same = stays
            && self.agree(states)
            && (self.are_equivalent(states, MOST_AHEAD) || self.are_same(states));
        do_the_same.then_some(other)
    }

    /// The state that one which was asked for does the same as with every piece of a token, as far as that is known.
    pub(crate) fn equivalent_to(&self, state: u32) -> Option<u32> {
        let (other, are_equivalent) = self.equivalent[self.index(state)];
        are_equivalent.then_some(other)
    }

    /// Target of the widest edge of a state, if it is wide.
    fn widest(&self, state: u32) -> Option<u32> {
        let edges = self.network.own.byte_edges_of(self.index(state)).iter();
        let widest = edges.max_by_key(|edge| edge.hi() - edge.lo())?;
        let is_wide = usize::from(widest.hi() - widest.lo()) >= WIDE;
        is_wide.then_some(widest.target)
    }

    /// Whether two states have the same outcome for every factor of a token, as far as that follows from their targets.
    /// Most targets are known; the others are asked for so many steps ahead.
    fn are_equivalent(&mut self, states: [u32; 2], ahead: usize) -> bool {
        let index = self.index(states[0]);
        if self.equivalent[index].0 == states[1] {
            return self.equivalent[index].1;
        }
        let Some(ahead) = ahead.checked_sub(1) else { return false };
        let Some(mut divergences) = self.divergences_between(states) else { return false };
        // States that lead back here are taken to differ.
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

    /// Whether two states part on none of the bytes that may come after a byte in a piece of a token.
    fn none_part_after(&mut self, byte: u8, states: [u32; 2]) -> bool {
        let Some(mut divergences) = self.divergences_between(states) else { return false };
        let after = self.known.pieces().after(byte);
        divergences.all(|at| !after.contains(self.divergences[at as usize].byte))
    }

    /// Whether two states in corresponding positions are equal on all strings of the trie.
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

    /// Whether two states agree on token ends, on exits and on register updates.
    fn agree(&self, states: [u32; 2]) -> bool {
        let [one, other] = states;
        let (one, other) = (self.record(one), self.record(other));
        one.flags & ENDS == other.flags & ENDS && one.count_exit == other.count_exit
    }

    /// Whether two states agree on the strings below a node, where none has two bytes: a token may end in every
    /// target.
    fn begin_alike(&self, states: [u32; 2], node: u32) -> bool {
        let [one, other] = states.map(|state| self.follow.first(state).0);
        let mut children = self.known.children().of(node);
        self.known.single_bytes() == ByteSet::FULL
            && children.all(|(byte, child)| {
                self.known.children().is_leaf(child) && one.contains(byte) == other.contains(byte)
            })
    }

    /// Returns the bytes on which two states diverge, if these decide and are few: numbers of
    /// [divergences](Self::divergence).
    #[inline]
    pub(crate) fn divergences_between(&mut self, states: [u32; 2]) -> Option<Range<u32>> {
        let index = self.index(states[0]);
        if self.divergences_of[index].0 != states[1] {
            self.divergences_of[index] = (states[1], self.part(states));
        }
        self.divergences_of[index].1.clone()
    }

    /// A byte on which two states part, and where they go, one of them perhaps nowhere.
    pub(crate) fn divergence(&self, number: u32) -> (u8, [u32; 2]) {
        let Divergence { byte, to } = self.divergences[number as usize];
        (byte, to)
    }

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

    /// Returns the bytes on which some calls cover the remaining transitions of a state.
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

    /// The transitions of a state that only calls a shared rule and stays there on some bytes.
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

    fn find_begun(&self, state: u32) -> Option<CalledState> {
        let (own, shared) = (self.network.own, self.network.shared);
        let index = self.index(state);
        let [call] = own.call_edges_of(index) else { return None };
        let is_alone = own.byte_edges_of(index).is_empty() && own.token_edges_of(index).is_empty();
        if !is_alone || call.ret == NONE {
            return None;
        }
        let first = self.plainly_begun(call)?;
        // Between two of these, bytes are distinguished by edges of the own states or of the shared one, which is the
        // same where a token may end in all.
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

    /// The first state of a shared rule that a call begins, where the state is not left at once and only bytes
    /// determine what it does.
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

    fn record(&self, state: u32) -> &'a StateRecord {
        &self.network.own.states[self.index(state)]
    }

    fn index(&self, state: u32) -> usize {
        (state - self.network.own.bases.states) as usize
    }
}

/// Adds the bytes on which edges lead to different states, if they are few. On some bytes, on which the first have to
/// lead nowhere, they do the same by calls.
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

    /// For a vocabulary of all bytes and texts of up to three characters that lead out of a key and into a value.
    fn compiler() -> Compiler {
        let marks = br#"":0u{,"#;
        let pairs = marks.iter().flat_map(|&a| marks.map(|b| vec![a, b]));
        let triples = pairs.clone().flat_map(|pair| marks.map(|c| [&pair[..], &[c]].concat()));
        samples::compiler(pairs.clone().chain(triples))
    }

    /// Returns how many states of a text's network have an equal default state, and checks that each equals it.
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
