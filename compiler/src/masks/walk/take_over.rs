//! Outcomes taken over from states of the vocabulary's rules. An outcome has the tokens consumed within a rule, and the
//! nodes at which the rule returns.
//!
//! Most wide masks of a grammar differ from a mask of the vocabulary in a few tokens. Before the rest of a string, the
//! mask is the one of any string, with the tokens that end the string and continue. Inside a key of an object with
//! other keys, the mask is the one of any string, without some tokens that continue the key. Such an outcome is that of
//! the vocabulary's state without some subtrees, plus the outcome walked there.
//!
//! The state `q` and the vocabulary state `k` run over the trie side by side. Suppose that at a node `q`'s
//! configuration is the state of `k`, or a bisimilar one, over one fixed frame `f`. Then the tokens below the node are
//! those of `k`, and at the exits of `k` the walk continues from `f`. Below any other node both continue side by side,
//! so only the path of their divergence is excluded.
//!
//! Walks that begin before a key or a string reach a child of the root. There the stored outcome of the strings below
//! that child is used in the same way.
//!
//! Cost: O(children of the nodes along that path), whatever the size of the mask.

use std::ops::Range;

use grammarc_artifacts::sections::network::NONE;

use super::cursor::Configuration;
use super::pair_table::{PairTable, SharedReference};
use super::pair_walk::PairWalk;
use super::returns::Returns;
use super::shared_reference::{MOST_DIFFERING, ReferenceFinder, ReferenceSearch};
use crate::masks::outcome::Delta;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::outcome::excluded::Excluded;
use crate::masks::outcome::spans::each_without;
use crate::masks::shared::exits::class_nodes;
use crate::masks::shortcuts::Shortcut;
use crate::network::lazy_dfa::{BOTTOM, Configurations};

/// A configuration (state and stack frame) of the grammar, and a state of the vocabulary's rules. Their outcomes differ
/// below few trie nodes.
pub(crate) struct NearReference {
    /// The configuration (state and stack frame) of the grammar.
    pub(crate) own: Configuration,
    /// The source of the outcome (consumed tokens and exit nodes) to take over: a state of the vocabulary's rules, with
    /// the stack frame to which its rule returns.
    pub(crate) reference: SharedReference,
}

/// The part of a walk that takes outcomes (consumed tokens and exit nodes) over from states of the vocabulary's rules.
pub(crate) struct TakeOver<'w, 'a> {
    /// The part of the walk that continues from return states, the states after a call.
    pub(crate) returns: Returns<'w, 'a>,
    /// Pairs of a grammar's configuration (state and stack frame) and a state of the vocabulary's rules, with the bytes
    /// on which their transitions differ.
    pub(crate) pairs: &'w mut PairTable,
    /// The cache of searches for a state of the vocabulary's rules whose stored outcome (consumed tokens and exit nodes)
    /// serves a state of the grammar.
    pub(crate) references: &'w mut ReferenceFinder,
}

impl<'a> TakeOver<'_, 'a> {
    /// Takes the outcome (consumed tokens and exit nodes) at the root over from a state of the vocabulary's rules, into
    /// `builder`. Returns false, and adds nothing, if no stored mask is worth it, or if `at` has several configurations
    /// (state and stack frame).
    pub(crate) fn take(&mut self, at: Configurations, builder: &mut OutcomeBuilder<'a>) -> bool {
        let Some((state, frame)) = self.only(at) else { return false };
        if state < self.returns.cursor.follow.network().own.bases.states {
            let reference = SharedReference { state, frame, after: None };
            let worth = self.references.is_worth(self.returns.cursor, &reference);
            if worth {
                self.take_over(reference, Excluded::default(), builder);
            }
            return worth;
        }
        let found = self.search().find((state, frame), u32::MAX);
        found
            .map(|reference| {
                self.take_from(NearReference { own: (state, frame), reference }, builder)
            })
            .is_some()
    }

    /// Returns a search for a state of the vocabulary's rules whose stored outcome (consumed tokens and exit nodes) is
    /// taken over.
    fn search(&mut self) -> ReferenceSearch<'_, 'a> {
        let Self { returns: Returns { cursor, .. }, pairs, references } = self;
        ReferenceSearch { cursor, pairs, finder: references }
    }

    /// Returns the only configuration (state and stack frame) of the set `at`. A state that can only call a rule is
    /// replaced by the callee's first state. `None` if there are several, or if outcomes (consumed tokens and exit
    /// nodes) of the vocabulary are not to be taken over.
    fn only(&mut self, at: Configurations) -> Option<Configuration> {
        let cursor = &mut *self.returns.cursor;
        let (state, frame) =
            cursor.sets.one(at).filter(|_| cursor.has(Shortcut::SharedReferences))?;
        Some(cursor.through(state, frame))
    }

    /// Returns a state of the vocabulary's rules whose outcome can be taken over for a state of the grammar. The two
    /// outcomes differ below at most [`MOST_DIFFERING`] trie nodes. Also returns the configuration (state and stack
    /// frame) of the grammar's state. `None` if there is no such state, or if there are several configurations.
    pub(crate) fn near(&mut self, state: u32) -> Option<NearReference> {
        let at = self.returns.cursor.sets.after_returns(state, BOTTOM).at;
        let own = self.only(at).filter(|own| self.returns.cursor.is_own(own.0))?;
        let reference = self.search().find(own, MOST_DIFFERING)?;
        Some(NearReference { own, reference })
    }

    /// Takes the outcome (consumed tokens and exit nodes) at the root over from a state of the vocabulary's rules that
    /// [`near`](Self::near) or a search found. Adds it to `builder`.
    pub(crate) fn take_from(&mut self, near: NearReference, builder: &mut OutcomeBuilder<'a>) {
        let NearReference { own, reference } = near;
        let mut excluded = Excluded::default();
        self.part(own, &reference, 0, &mut excluded, builder);
        self.take_over(reference, excluded, builder);
    }

    /// Finds the subtrees below `node` in which the configuration `own` (state and stack frame) and the reference state
    /// have different outcomes (consumed tokens and exit nodes). Adds these subtrees to `excluded`, and the outcome of
    /// `own` in them to `builder`.
    fn part(
        &mut self,
        own: Configuration,
        reference: &SharedReference,
        node: u32,
        excluded: &mut Excluded,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        let Self { returns: Returns { cursor, worklist, .. }, pairs, .. } = self;
        let mut walk = PairWalk { cursor, pairs, worklist, reference, excluded, builder };
        walk.part(own, node);
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of the strings below `node`, from the stored
    /// outcome of a state of the vocabulary's rules there. Returns false, and adds nothing, if no such state is found,
    /// or if a rule may return at once. Also false if `node` is not a child of the root.
    pub(crate) fn take_below(
        &mut self,
        place: Configuration,
        node: u32,
        builder: &mut OutcomeBuilder<'a>,
    ) -> bool {
        let byte = self.returns.cursor.trie.byte[node as usize];
        let is_final = self.returns.cursor.follow.is_final(place.0);
        let is_taken = self.returns.cursor.has(Shortcut::SharedReferences);
        if is_final || !is_taken || self.returns.cursor.facts.children().on(0, byte) != Some(node) {
            return false;
        }
        let Some(reference) = self.search().reference(place) else { return false };
        let Some(source) = self.returns.cursor.facts.source_on(reference.state, byte) else {
            return false;
        };
        if self.returns.cursor.follow.is_final(reference.state) {
            return false;
        }
        self.returns.cursor.count(Shortcut::SharedReferences);
        let mut excluded = Excluded::default();
        self.part(place, &reference, node, &mut excluded, builder);
        let shared = self.returns.cursor.follow.network().shared;
        let stored =
            self.returns.cursor.facts.stored(shared, self.returns.cursor.trie, source, node);
        let exits = stored.exits;
        let class = shared.states[source as usize].exits;
        if excluded.is_empty() {
            stored.spans().for_each(|span| builder.outcome.add_span(span));
            self.returns.go_on(reference.frame, exits.iter().copied(), builder);
            return true;
        }
        let spans: Vec<Range<u32>> = stored.spans().collect();
        let add = |span| builder.outcome.add_span(span);
        each_without(&spans, &excluded.ranks(self.returns.cursor.trie), add);
        if reference.frame == BOTTOM {
            self.leave_but(exits, &excluded, builder);
        } else {
            self.leave_over(reference.frame, class, exits, &excluded, builder);
        }
        true
    }

    /// Adds the stored outcome of the reference, a state of the vocabulary's rules, to `builder`, without the subtrees
    /// of the trie in `excluded`. Its tokens become the delta (tokens of another mask) of the outcome. With an empty
    /// local stack, its exits become exits of the walk. Otherwise the walk continues at them from the reference's
    /// frame.
    fn take_over(
        &mut self,
        reference: SharedReference,
        excluded: Excluded,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        self.returns.cursor.count(Shortcut::SharedReferences);
        let shared = self.returns.cursor.follow.network().shared;
        let class = shared.states[reference.state as usize].exits;
        let except = excluded.ranks(self.returns.cursor.trie);
        if reference.frame == BOTTOM {
            self.leave_but(class_nodes(shared, class), &excluded, builder);
        } else if class != NONE {
            self.leave_over(reference.frame, class, class_nodes(shared, class), &excluded, builder);
        }
        builder.outcome.delta = Some(Delta { reference: reference.state, excluded: except });
    }

    /// Adds the trie nodes `nodes`, without those in `excluded`, to the exits (nodes where the rule returns) in
    /// `builder`. `nodes` must ascend.
    fn leave_but(&self, nodes: &[u32], excluded: &Excluded, builder: &mut OutcomeBuilder<'a>) {
        let leave = |nodes: &[u32]| nodes.iter().for_each(|&node| builder.leave(node));
        excluded.split(nodes, leave, |_| ());
    }

    /// Continues from the local stack frame `frame` (pushed during the walk) at the trie nodes `nodes`, without those
    /// in `excluded`. The nodes belong to the vocabulary's set of exits (nodes where a callee returns) with the id
    /// `class`.
    fn leave_over(
        &mut self,
        frame: u32,
        class: u32,
        nodes: &[u32],
        excluded: &Excluded,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        let after = self.returns.cursor.sets.frame(frame);
        self.returns.leave_through(after, class, &excluded.kept(nodes), excluded, builder);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use crate::compile::Compiler;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::masks::equivalence::k_equivalence::KEquivalence;
    use crate::masks::equivalence::representatives::Representatives;
    use crate::masks::outcome::Outcome;
    use crate::masks::shared::facts::{VocabularyFacts, vocabulary, walked};
    use crate::masks::testing::inner;
    use crate::masks::walk::walker::Walker;
    use crate::network::follow::Follow;
    use crate::network::lazy_dfa::LazyDfa;
    use crate::samples;
    use crate::threads::Context;

    static COMPILER: LazyLock<Compiler> = LazyLock::new(|| Compiler::new(vocabulary(5)));

    static KNOWN: LazyLock<VocabularyFacts> = LazyLock::new(|| {
        let vocabulary = COMPILER.vocabulary();
        VocabularyFacts::new(vocabulary)
    });

    /// Compares the outcomes (consumed tokens and exit nodes) of all states of a schema's automata with walks byte by
    /// byte. Returns how many were taken over from a state of the vocabulary's rules.
    fn taken(schema: &Value) -> usize {
        taken_in_order(&COMPILER, &KNOWN, schema, 1)
    }

    /// Compares the outcomes (consumed tokens and exit nodes) of all states of a schema's automata with walks byte by
    /// byte. The states are visited in `step` passes, and each pass takes every `step`-th state. Returns how many
    /// outcomes were taken over from a state of the vocabulary's rules. `known` has facts about the vocabulary of
    /// `compiler`.
    fn taken_in_order(
        compiler: &Compiler,
        known: &VocabularyFacts,
        schema: &Value,
        step: usize,
    ) -> usize {
        let options = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let network = samples::network(compiler, &options, &schema.to_string());
        let vocabulary = compiler.vocabulary();
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let follow = Follow::new(network.joined(shared), known.rules(), &network.open);
        let equivalence = KEquivalence::new(
            &follow,
            Representatives::default,
            known.nodes().height(0),
            Context::unlimited(),
        );
        let mut walker = Walker::new(&follow, known, &equivalence, trie, 2);
        let mut sets = LazyDfa::new(follow.network());
        let base = network.tables.bases.states;
        let mut count = 0;
        let states: Vec<u32> = (base..base + network.tables.states.len() as u32 - 1).collect();
        let states = (0..step).flat_map(|from| states.iter().rev().skip(from).step_by(step));
        for &state in states {
            let outcome = walker.base(state);
            let taken = outcome.delta.as_ref();
            count += usize::from(taken.is_some());
            let stored = taken.map_or(&[][..], |taken| known.spans(shared, trie, taken.reference));
            let Outcome { spans, exits, .. } = outcome.over(stored);
            let after = follow.bytes(follow.rule_of(state));
            let (ranks, expected) = walked(&mut sets, trie, after, state, 0);
            assert_eq!(spans.into_iter().flatten().collect::<Vec<_>>(), ranks, "{state}: {schema}");
            assert_eq!(inner(&exits), inner(&expected), "{state}: {schema}");
        }
        count
    }

    /// States near the end of a chain lend their outcomes (consumed tokens and exit nodes) to those before. The result
    /// must not depend on the order of the states.
    #[test]
    fn outcomes_do_not_depend_on_the_order_of_the_states() {
        let compiler = Compiler::new(vocabulary(20));
        for schema in [
            json!({"type": "string", "maxLength": 36}),
            json!({"type": "string", "pattern": "^[^a]{0,36}$"}),
            json!({"type": "string", "pattern": "^[^a]{20,}$"}),
            json!({"type": "string", "pattern": "u0,-u0,-"}),
        ] {
            for step in [1, 2, 7, 13] {
                let known = VocabularyFacts::new(compiler.vocabulary());
                assert!(taken_in_order(&compiler, &known, &schema, step) > 0, "{schema}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn outcomes_are_those_of_walks(
            keys in prop::collection::btree_map("[u0,-]{1,4}", 0usize..11, 1..5),
            required in 0usize..3,
            others in any::<bool>(),
        ) {
            let values = [
                json!({"type": "string"}), json!({"type": "number"}), json!(true),
                json!({"enum": ["u0", "u,"]}), json!({"type": "string", "minLength": 2}),
                json!({"type": "object", "properties": {"u": {"type": "integer"}}}),
                json!({"type": "string", "pattern": "u0?,-"}),
                json!({"type": "string", "pattern": "^[^\\s)]+$"}),
                json!({"type": "string", "minLength": 1, "maxLength": 7}),
                json!({"type": "string", "minLength": 6}),
                json!({"type": "string", "minLength": 6, "maxLength": 30}),
            ];
            let members: BTreeMap<_, _> =
                keys.iter().map(|(key, &value)| (key, values[value].clone())).collect();
            let schema = json!({
                "type": "object", "properties": members, "additionalProperties": others,
                "required": keys.keys().take(required).collect::<Vec<_>>(),
            });
            let count = taken(&schema);
            prop_assert!(count > 0 || !others);
        }
    }
}
