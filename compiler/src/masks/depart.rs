//! The base mask of a state of the grammar, derived from that of another.
//!
//! The state and its model run over the trie side by side. Below a node that they come to in states which do the same
//! for as many bytes as any string below it has, what the model does holds. Elsewhere both go on, so that the only nodes
//! visited are those from which some token is long enough, or goes the way, to tell the two apart: for a place in a
//! chain of 255 characters none, or the few runs of one character; near its end the tokens that are longer than the rest.
//!
//! Cost: O(children of the nodes visited), a few ns each.

use super::nodes::bits;
use super::outcome::{Outcome, Taken};
use super::take::Excepted;
use super::walk::{Building, Walker};
use crate::network::local::{At, BOTTOM};

/// Bytes for which a state does the same as its model, below which a shared state may be nearer.
const FAR: usize = 16;

/// Nodes to look at, some 4 ns each, after which the outcome of a shared state is taken over where one is near.
const LONG: usize = 1 << 12;

impl Walker<'_> {
    /// The outcome of `state` at the root, where that of `model` is `known`; both have rows. Where that takes long and a
    /// shared state is nearer, its outcome is taken over instead.
    pub(super) fn base_like(&mut self, state: u32, model: u32, known: &Outcome) -> Outcome {
        let (mut excepted, mut building) = (Excepted::default(), self.begin(state));
        if let (Some(row), Some(like)) =
            (self.agreement.row_of(state), self.agreement.row_of(model))
        {
            let is_far = self.agreement.length(state, model).is_none_or(|length| length < FAR);
            let near = is_far.then(|| self.near(state)).flatten();
            let most = if near.is_some() { LONG } else { usize::MAX };
            let is_done = self.depart(row, like, most, &mut excepted, &mut building);
            if let Some(found) = near.filter(|_| !is_done) {
                return self.base_near(state, found);
            }
        }
        let mut outcome = building.outcome;
        let at_root = usize::from(known.exits.first() == Some(&0));
        outcome.exits.extend(excepted.split(&known.exits[at_root..]).0);
        if self.follow.is_final(state) {
            outcome.exits.push(0);
        }
        outcome.taken = Some(Taken { state: model, except: excepted.ranks(self.trie) });
        outcome.normalize();
        outcome
    }

    /// Finds the nodes whose tokens and exits are not those of the row `like`, and what becomes of them instead. Gives up
    /// where more than `most` nodes have to be looked at.
    fn depart(
        &mut self,
        row: u32,
        like: u32,
        mut most: usize,
        excepted: &mut Excepted,
        building: &mut Building,
    ) -> bool {
        let (trie, nodes) = (self.trie, self.known.nodes());
        let (rows, after) = (self.agreement.rows(), bits(building.after));
        let mut pairs = vec![(row, like); nodes.height(0) + 1];
        let mut next = 1;
        while next < trie.len() as u32 {
            let Some(rest) = most.checked_sub(1) else { return false };
            most = rest;
            let child = next;
            let depth = nodes.depth(child);
            let (row, like) = pairs[depth - 1];
            let byte = trie.byte[child as usize];
            let (to, stored) = (rows.on(row, byte), rows.on(like, byte));
            next = trie.end[child as usize];
            if to == stored && !to.is_call() {
                continue;
            }
            let is_leaf = next == child + 1;
            if let (Some(to_row), Some(stored_row)) = (to.row(), stored.row()) {
                let (below, height) = (nodes.below(child), nodes.height(child));
                let same_here = to.ends() == stored.ends();
                if same_here && is_leaf || rows.agree(to_row, stored_row, height) {
                    continue;
                }
                if !same_here || to.exits() != stored.exits() {
                    excepted.add(child..child + 1);
                    if to.ends() {
                        building.outcome.add_span(trie.tokens_at(child));
                    }
                    if to.exits() && !is_leaf {
                        self.leave(child, building);
                    }
                }
                let all = |row| rows.loops(row, below, height, after);
                if !(is_leaf || all(to_row) && all(stored_row)) {
                    pairs[depth] = (to_row, stored_row);
                    next = child + 1;
                }
                continue;
            }
            let [state, model] = [row, like].map(|row| rows.state(row));
            let network = self.follow.network();
            // The byte into the child is one of what the call is asked for.
            let length = nodes.height(child) + 1;
            if to.is_call()
                && stored.is_call()
                && self.agreement.call_alike(network, [state, model], length)
            {
                continue;
            }
            if !stored.is_dead() {
                excepted.add(child..next);
            }
            if !to.is_dead() {
                self.visit(At::One(state, BOTTOM), child, building);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::agree::Agreement;
    use super::super::shared::{SharedOutcomes, vocabulary};
    use super::*;
    use crate::compile::Compiler;
    use crate::diagnostics::Source;
    use crate::frontend::json_schema::{JsonSchemaOptions, lower};
    use crate::network::NetworkLimits;
    use crate::network::follow::Follow;

    /// Outcomes of all states of a schema's network, found with a table and from models and found without; and how many
    /// had a model.
    fn derived(compiler: &Compiler, known: &SharedOutcomes, schema: &str) -> usize {
        let options = JsonSchemaOptions::default();
        let Ok(lowered) = lower(Source::new("source", schema), &options) else { return 0 };
        let network = compiler.network(&lowered.grammar, NetworkLimits::default());
        let Ok(network) = network else { return 0 };
        let vocabulary = compiler.vocabulary();
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let follow = Follow::new(network.joined(shared), known.rules(), &network.open);
        let none = Agreement::default();
        let agreement = Agreement::new(&follow, known.nodes().height(0));
        let mut plain = Walker::new(&follow, known, &none, trie, 2);
        let mut walker = Walker::new(&follow, known, &agreement, trie, 2);
        let whole = |outcome: Outcome| {
            let taken = outcome.taken.as_ref();
            outcome.over(taken.map_or(&[][..], |taken| known.spans(shared, trie, taken.state)))
        };
        let base = network.tables.bases.states;
        let mut models = 0;
        for state in base..base + network.tables.states.len() as u32 - 1 {
            let expected = whole(plain.base(state));
            assert_eq!(whole(walker.base(state)), expected, "state {state} of {schema}");
            if let Some(model) = agreement.model(state) {
                models += 1;
                let stored = whole(plain.base(model));
                let outcome = walker.base_like(state, model, &stored).over(&stored.spans);
                assert_eq!(outcome, expected, "state {state} like {model} of {schema}");
            }
        }
        models
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
            let known = SharedOutcomes::new(vocabulary);
            let begin = if begins { "^" } else { "" };
            let end = if ends { "$" } else { "" };
            let text = format!(
                r#"{{"pattern": "{begin}{first}{then}{end}", "type": "string", "maxLength": {most}}}"#
            );
            derived(&compiler, &known, &text);
        }
    }

    #[test]
    fn places_in_a_chain_have_models() {
        let compiler = Compiler::new(vocabulary(5));
        let vocabulary = compiler.vocabulary();
        let known = SharedOutcomes::new(vocabulary);
        let schema = r#"{"pattern": "^[0-9u,-]+0?$", "type": "string", "maxLength": 40}"#;
        let models = derived(&compiler, &known, schema);
        assert!(models > 10, "{models} of 40");
    }
}
