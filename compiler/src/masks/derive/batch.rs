//! Base masks of a grammar's own states, as differences from the masks of their references: many states in one pass
//! over the token trie. An own state is a state of the grammar itself, not of the vocabulary's rules. Its reference is
//! the state from whose mask its mask is derived.
//!
//! A state and its reference run over the trie side by side. Let `h` be the height of a node: the bytes of the longest
//! string below it. If two configurations are equivalent for `h` bytes, they have the same outcome below the node. The
//! pass skips the node then, and takes over the outcome of the reference; it visits every other node. In a chain of 255
//! characters nearly all nodes are skipped. A state far from the end of the chain differs from its reference in no
//! token, or in a few long runs of one character. A state near the end differs in the tokens that are longer than the
//! rest of the chain.
//!
//! The states of a batch are the members of one [product automaton](super::product), so a node is visited once for all
//! of them.
//!
//! Cost: O(children of the nodes visited), some 10 ns each. Besides, O(nodes at which a state differs from its
//! reference).

use std::ops::Range;

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::FxHashMap;

use super::product::{Divergence, Product, Replaced};
use crate::ir::ByteSet;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::outcome::excluded::Excluded;
use crate::masks::outcome::{Delta, Outcome};
use crate::masks::trie::byte_bits::bits;
use crate::masks::trie::children::Children;
use crate::masks::walk::cursor::NODES_A_LOOK;
use crate::masks::walk::walker::Walker;
use crate::network::follow::Follow;
use crate::network::lazy_dfa::{Arrival, BOTTOM, Configurations};

/// A state whose outcome (consumed tokens and exit nodes) is computed from the outcome of another state, its reference.
pub(crate) struct Derivation<'a> {
    /// The derived state: a state of the grammar itself, not of the vocabulary's rules.
    pub(crate) state: u32,
    /// The state from whose outcome (consumed tokens and exit nodes) the outcome of `state` is derived.
    pub(crate) reference: u32,
    /// The outcome (consumed tokens and exit nodes) of `reference` for all tokens, from the root of the trie on.
    pub(crate) known: &'a Outcome,
}

/// The difference between the outcomes (consumed tokens and exit nodes) of a derived state and of its reference, from
/// which it is derived.
#[derive(Clone, Default)]
pub(crate) struct Difference {
    /// The trie nodes at which the outcomes (consumed tokens and exit nodes) of the derived state and of its reference
    /// differ. There nothing is taken over from the outcome of the reference (source of the mask).
    excluded: Excluded,
    /// Additions of the derived state's outcome to its reference's: consumed tokens and exit nodes at the excluded trie
    /// nodes, and others that the reference lacks.
    outcome: Outcome,
}

impl Difference {
    /// Appends the difference `more`. All trie nodes of `more` must come after all nodes of this difference.
    pub(crate) fn append(&mut self, more: &Self) {
        self.excluded.append(&more.excluded);
        self.outcome.spans.extend_from_slice(&more.outcome.spans);
        self.outcome.exits.extend_from_slice(&more.outcome.exits);
    }

    /// Returns the outcome (consumed tokens and exit nodes) of the derived state: the outcome of its reference (source
    /// of its mask) with this difference applied.
    pub(crate) fn over(
        &self,
        derived: &Derivation<'_>,
        follow: &Follow<'_>,
        trie: Trie<'_>,
    ) -> Outcome {
        let &Derivation { state, reference, known } = derived;
        let Self { excluded, outcome } = self;
        let mut outcome = outcome.clone();
        let at_root = usize::from(known.exits.first() == Some(&0));
        outcome.exits.extend(excluded.kept(&known.exits[at_root..]));
        if follow.is_final(state) {
            outcome.exits.push(0);
        }
        outcome.delta = Some(Delta { reference, excluded: excluded.ranks(trie) });
        outcome.normalize();
        outcome
    }
}

/// The difference of one state from its reference (source of its mask), while a pass over the trie collects it.
struct DifferenceBuilder<'a> {
    /// Trie nodes found so far at which nothing is taken over from the outcome (consumed tokens and exit nodes) of the
    /// reference.
    excluded: Excluded,
    /// Collects the derived state's own tokens and exits (nodes where the rule returns).
    builder: OutcomeBuilder<'a>,
}

/// A cache of outcomes (consumed tokens and exit nodes) at the current trie node, by reached configuration (state and
/// stack frame). Several derived states often differ from their references at one node. Most of them then reach the
/// same configuration.
#[derive(Default)]
struct SharedVisits {
    /// Maps a state and a byte to the configurations (state and stack frame) that the state reaches on the byte.
    steps: FxHashMap<(u32, u8), Arrival>,
    /// The current trie node. When another node is asked for, the cached outcomes (consumed tokens and exit nodes) are
    /// dropped.
    node: u32,
    /// Each entry has the reached configurations (state and stack frame) and the FOLLOW bytes of the derived state's
    /// rule. It also has the outcome (consumed tokens and exit nodes) at the trie node `node`. Only the first `count`
    /// entries are in use; the others keep their memory for later nodes.
    known: Vec<(Arrival, ByteSet, Outcome)>,
    /// The number of entries of `known` that are in use for the current trie node.
    count: usize,
}

impl SharedVisits {
    /// Returns the outcome (tokens and exits) of the configurations `reached` (state and stack frame) at a node.
    /// `after` has the FOLLOW bytes of the walk's rule. On the first call with these arguments at the node, `find` adds
    /// the outcome to the builder that it is given.
    fn outcome<'a>(
        &mut self,
        node: u32,
        reached: Arrival,
        after: ByteSet,
        children: &'a Children,
        find: impl FnOnce(&mut OutcomeBuilder<'a>),
    ) -> &Outcome {
        if std::mem::replace(&mut self.node, node) != node {
            self.count = 0;
        }
        let known = self.known[..self.count].iter();
        let mut of = known.map(|(at, bytes, _)| (at, bytes));
        let at = of.position(|of| of == (&reached, &after)).unwrap_or_else(|| {
            let at = self.count;
            self.count += 1;
            self.known.resize_with(self.count.max(self.known.len()), || {
                (Arrival::DEAD, ByteSet::EMPTY, Outcome::default())
            });
            let (.., outcome) = &mut self.known[at];
            let mut outcome = std::mem::take(outcome);
            outcome.clear();
            let mut builder = OutcomeBuilder::new(outcome, after, children);
            find(&mut builder);
            self.known[at] = (reached, after, builder.outcome);
            at
        });
        &self.known[at].2
    }
}

/// Returns a function that returns the range of trie nodes `nodes` on its first call, and `None` on every later call.
pub(crate) fn once(mut nodes: Option<Range<u32>>) -> impl FnMut() -> Option<Range<u32>> {
    move || nodes.take()
}

impl<'a> Walker<'a> {
    /// Returns, for each derivation, the difference between its state and its reference (source of its mask). The
    /// differences cover the trie nodes that `more` returns, in ascending ranges. Each state must have a row, by
    /// `KEquivalence::row_of`. If the product of the states grows too large, it is split into two halves, each with its
    /// own pass. Returns an empty vector if the budget is spent.
    pub(crate) fn apart(
        &mut self,
        derived: &[&Derivation<'_>],
        more: &mut dyn FnMut() -> Option<Range<u32>>,
    ) -> Vec<Difference> {
        let mut nodes: Option<Range<u32>> = None;
        let mut next = || {
            let more = more()?;
            let from = nodes.as_ref().map_or(more.start, |nodes| nodes.start);
            nodes = Some(from..more.end);
            Some(more)
        };
        if let Some(apart) = self.depart(derived, &mut next, usize::MAX) {
            return apart;
        }
        if derived.len() < 2 {
            return Vec::new();
        }
        // The product of all states is too large: each half gets a pass of its own.
        while next().is_some() {}
        let (one, other) = derived.split_at(derived.len() / 2);
        let mut apart = self.apart(one, &mut once(nodes.clone()));
        apart.extend(self.apart(other, &mut once(nodes)));
        apart
    }

    /// Returns, for each derivation, the difference between its state and its reference (source of its mask) at the
    /// trie nodes that `more` returns. `None` if more than `most` nodes have to be visited, or the product has too many
    /// states. Also `None` if the budget is spent, or a state has no row of the transition table.
    pub(crate) fn depart(
        &mut self,
        derived: &[&Derivation<'_>],
        more: &mut dyn FnMut() -> Option<Range<u32>>,
        mut most: usize,
    ) -> Option<Vec<Difference>> {
        let (trie, equivalence) = (self.cursor.trie, self.equivalence);
        let (nodes, children) = (self.cursor.facts.nodes(), self.cursor.facts.children());
        let builders = derived.iter().map(|one| {
            // Most differences have no spans, so no memory is reserved for them.
            let after = self.cursor.follow.bytes(self.cursor.follow.rule_of(one.state));
            let builder = OutcomeBuilder::new(Outcome::default(), after, children);
            DifferenceBuilder { excluded: Excluded::default(), builder }
        });
        let mut apart: Vec<DifferenceBuilder<'a>> = builders.collect();
        let rows = |one: &Derivation<'_>| -> Option<[u32; 2]> {
            Some([equivalence.row_of(one.state)?, equivalence.row_of(one.reference)?])
        };
        let pairs = derived.iter().zip(&apart);
        let pairs = pairs.map(|(one, found)| Some((rows(one)?, bits(found.builder.after))));
        let pairs: Vec<_> = pairs.collect::<Option<_>>()?;
        let (mut product, first) = Product::new(equivalence.rows(), &pairs, nodes.height(0));
        let mut states = vec![first; nodes.height(0) + 1];
        let mut visited = SharedVisits::default();
        let mut steps = 0;
        let (mut next, mut end) = more().map_or((0, 0), |nodes| {
            (self.enter(&mut product, &mut states, nodes.start), nodes.end)
        });
        loop {
            if next >= end {
                let Some(nodes) = more() else { break };
                end = nodes.end;
                continue;
            }
            most = most.checked_sub(1).filter(|_| !product.are_too_many())?;
            steps += 1;
            if usize::is_multiple_of(steps, NODES_A_LOOK) && self.cursor.sets.is_late(NODES_A_LOOK)
            {
                return None;
            }
            let child = next;
            let depth = nodes.depth(child);
            let (product_state, divergences) =
                product.step(states[depth - 1], trie.byte[child as usize]);
            let below = child..trie.end[child as usize];
            next = below.end;
            for at in divergences {
                let (member, divergence) = product.divergence(at);
                let leaves = nodes.below(child) & product.after(member) != 0;
                let apart = &mut apart[member as usize];
                self.part_from(divergence, below.clone(), leaves, apart, &mut visited);
            }
            if product_state == NONE || below.len() == 1 {
                continue;
            }
            let product_state =
                product.within(product_state, nodes.height(child), nodes.below(child));
            if product_state != NONE {
                states[depth] = product_state;
                next = child + 1;
            }
        }
        let found = apart.into_iter().map(|DifferenceBuilder { excluded, builder }| Difference {
            excluded,
            outcome: builder.outcome,
        });
        Some(found.collect())
    }

    /// Computes the product state (pairs of reached rows) of each trie node between the root and `node`. Stores it in
    /// `states` at the node's depth. Returns `node`, at which the pass over the trie begins. If no state continues in a
    /// subtree on the path, returns the end of that subtree instead.
    fn enter(&self, product: &mut Product<'_>, states: &mut [u32], node: u32) -> u32 {
        let (trie, nodes) = (self.cursor.trie, self.cursor.facts.nodes());
        if states[0] == NONE {
            return trie.end[0];
        }
        let mut above = 0;
        loop {
            let child = trie.children(above).find(|&child| node < trie.end[child as usize]);
            let Some(child) = child.filter(|&child| child < node) else { return node };
            let depth = nodes.depth(child);
            let (mut product_state, _) = product.step(states[depth - 1], trie.byte[child as usize]);
            if product_state != NONE {
                product_state =
                    product.within(product_state, nodes.height(child), nodes.below(child));
            }
            if product_state == NONE {
                return trie.end[child as usize];
            }
            states[depth] = product_state;
            above = child;
        }
    }

    /// Records `divergence` in `found`: how one state differs from its reference (source of its mask) at the trie node
    /// at which the two diverge. `below` is the range of the node and its descendants. `leaves` is false only if no
    /// byte below the node may follow the state's rule. `visited` caches outcomes at the node.
    fn part_from(
        &mut self,
        divergence: Divergence,
        below: Range<u32>,
        leaves: bool,
        found: &mut DifferenceBuilder<'a>,
        visited: &mut SharedVisits,
    ) {
        let DifferenceBuilder { excluded, builder } = found;
        let child = below.start;
        match divergence {
            Divergence::Gone => excluded.add(below),
            Divergence::Last if below.len() == 1 => {}
            Divergence::Last => excluded.add(child + 1..below.end),
            Divergence::Other { to, replaces } => {
                match replaces {
                    Replaced::Nothing => {}
                    Replaced::Node => excluded.add(child..child + 1),
                    Replaced::Subtree => excluded.add(below.clone()),
                }
                if to.ends() {
                    builder.outcome.add_span(self.cursor.trie.tokens_at(child));
                }
                if to.exits() && leaves {
                    builder.leave(child);
                }
            }
            Divergence::Unclear([row, like]) => {
                let rows = self.equivalence.rows();
                let byte = self.cursor.trie.byte[child as usize];
                let [to, stored] = [row, like].map(|row| rows.on(row, byte));
                let states = [row, like].map(|row| rows.state(row));
                let network = self.cursor.follow.network();
                let children = self.cursor.facts.children();
                // The call consumes the byte into the child too, so it is compared on strings of one byte more.
                let length = self.cursor.facts.nodes().height(child) + 1;
                let are_calls = to.is_call() && stored.is_call();
                if are_calls && self.equivalence.call_alike(network, states, length) {
                    return;
                }
                if !stored.is_dead() {
                    excluded.add(below);
                }
                if !to.is_dead() {
                    let step = || self.sets().step(Configurations::One(states[0], BOTTOM), byte);
                    let reached = *visited.steps.entry((states[0], byte)).or_insert_with(step);
                    let find =
                        |builder: &mut OutcomeBuilder<'a>| self.visit_from(child, reached, builder);
                    let outcome = visited.outcome(child, reached, builder.after, children, find);
                    let spans = outcome.spans.iter().cloned();
                    spans.for_each(|span| builder.outcome.add_span(span));
                    builder.outcome.exits.extend_from_slice(&outcome.exits);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::char_runs::CharRuns;
    use super::super::early;
    use super::*;
    use crate::budget::Budget;
    use crate::compile::Compiler;
    use crate::diagnostics::Source;
    use crate::frontend::json_schema::{JsonSchemaOptions, lower};
    use crate::masks::equivalence::k_equivalence::KEquivalence;
    use crate::masks::equivalence::representatives::Representatives;
    use crate::masks::fixpoint::derived::ranges;
    use crate::masks::shared::facts::{VocabularyFacts, vocabulary};
    use crate::network::NetworkLimits;
    use crate::threads::Context;

    /// Derives the outcomes (consumed tokens and exit nodes) of all states of a schema's automata, and checks them
    /// against walks of each state. Returns the number of states with a reference, from which they are derived.
    fn derived(compiler: &Compiler, known: &VocabularyFacts, schema: &str) -> usize {
        let options = JsonSchemaOptions::default();
        let Ok(lowered) = lower(Source::new("source", schema), &options, &Budget::new()) else {
            return 0;
        };
        let network = compiler.network(&lowered.grammar, NetworkLimits::default(), &Budget::new());
        let Ok(network) = network else { return 0 };
        let vocabulary = compiler.vocabulary();
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let follow = Follow::new(network.joined(shared), known.rules(), &network.open);
        let none = KEquivalence::default();
        let equivalence = KEquivalence::new(
            &follow,
            Representatives::default,
            known.nodes().height(0),
            Context::unlimited(),
        );
        let mut plain = Walker::new(&follow, known, &none, trie, 2);
        let mut walker = Walker::new(&follow, known, &equivalence, trie, 2);
        let whole = |outcome: Outcome| {
            let taken = outcome.delta.as_ref();
            outcome.over(taken.map_or(&[][..], |taken| known.spans(shared, trie, taken.reference)))
        };
        let base = network.tables.bases.states;
        let states = base..base + network.tables.states.len() as u32 - 1;
        let expected: Vec<Outcome> = states.clone().map(|state| whole(plain.base(state))).collect();
        let of = |state: u32| &expected[(state - base) as usize];
        let mut members = Vec::new();
        for state in states {
            assert_eq!(whole(walker.base(state)), *of(state), "state {state} of {schema}");
            if let Some(reference) = equivalence.reference(state) {
                members.push(Derivation { state, reference, known: of(reference) });
            }
        }
        let is_like = |member: &Derivation<'_>, outcome: &Outcome, beside: usize| {
            let taken = outcome.delta.as_ref().map(|taken| taken.reference);
            let outcome = match taken == Some(member.reference) {
                true => outcome.over(&member.known.spans),
                false => whole(outcome.clone()),
            };
            let &Derivation { state, reference, .. } = member;
            assert_eq!(
                outcome,
                *of(state),
                "{state} like {reference}, {beside} beside, of {schema}"
            );
        };
        let runs = CharRuns::default();
        let far =
            members.iter().filter_map(|one| Some((one, early::outcome(&mut walker, &runs, one)?)));
        far.for_each(|(one, outcome)| is_like(one, &outcome, 0));
        for beside in [1, 3, members.len().max(1)] {
            for members in members.chunks(beside) {
                let members: Vec<&Derivation<'_>> = members.iter().collect();
                let mut apart: Vec<Difference> =
                    members.iter().map(|_| Difference::default()).collect();
                for nodes in ranges(trie, beside) {
                    let more = walker.apart(&members, &mut once(Some(nodes)));
                    assert_eq!(more.len(), members.len());
                    apart.iter_mut().zip(&more).for_each(|(apart, more)| apart.append(more));
                }
                for (one, apart) in members.into_iter().zip(apart) {
                    let outcome = apart.over(one, &follow, trie);
                    is_like(one, &outcome, beside);
                }
            }
        }
        members.len()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn outcomes_do_not_depend_on_how_they_are_found(
            first in r"(\[0u-\]|\[\^0\]|0u|,|\.)(\{1,7\}|\*|)",
            then in r"(\[0u\]|\(0\|u,\)|-)(\{2,9\}|\+)(u|\[0,\]|)",
            begins in any::<bool>(),
            ends in any::<bool>(),
            most in 3u32..20,
        ) {
            let compiler = Compiler::new(vocabulary(5));
            let vocabulary = compiler.vocabulary();
            let known = VocabularyFacts::new(vocabulary);
            let begin = if begins { "^" } else { "" };
            let end = if ends { "$" } else { "" };
            let text = format!(
                r#"{{"pattern": "{begin}{first}{then}{end}", "type": "string", "maxLength": {most}}}"#
            );
            derived(&compiler, &known, &text);
        }
    }

    #[test]
    fn places_in_a_chain_have_references() {
        let compiler = Compiler::new(vocabulary(5));
        let vocabulary = compiler.vocabulary();
        let known = VocabularyFacts::new(vocabulary);
        let schema = r#"{"pattern": "^([0-9u,-]{2}:?)+0?$", "type": "string", "maxLength": 40}"#;
        let references = derived(&compiler, &known, schema);
        assert!(references > 10, "{references} of 40");
    }
}
