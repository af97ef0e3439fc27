//! The base masks of states of the grammar, derived from those of others.
//!
//! A state and its model run over the trie side by side. Below a node that they come to in states which do the same for
//! as many bytes as any string below it has, what the model does holds. Elsewhere both go on, so that the only nodes
//! visited are those from which some token is long enough, or goes the way, to tell the two apart: for a place in a
//! chain of 255 characters none, or the few runs of one character; near its end the tokens that are longer than the rest.
//!
//! Many states go at once, [abreast](super::lanes): a node is visited once for all of them.
//!
//! Cost: O(children of the nodes visited), some 10 ns each, and O(nodes at which a state parts from its model).

use std::ops::Range;

use grammarc_artifacts::sections::network::NONE;

use super::lanes::{Lanes, Parting, Replaced};
use super::nodes::bits;
use super::outcome::{Outcome, Taken};
use super::take::Excepted;
use super::walk::{Building, Walker};
use crate::network::local::{At, BOTTOM};

/// Bytes for which a state does the same as its model, below which a shared state may be nearer.
const FAR: usize = 16;

/// Nodes to look at, some 10 ns each, after which the outcome of a shared state is taken over where one is near.
const LONG: usize = 1 << 12;

/// A state whose outcome is derived.
pub(super) struct Derived<'a> {
    pub(super) state: u32,
    /// The state that it is derived from.
    pub(super) model: u32,
    /// The outcome of that at the root.
    pub(super) known: &'a Outcome,
}

/// What tells a derived state's outcome from that of its model.
struct Apart {
    /// The nodes whose tokens and exits are not the model's.
    excepted: Excepted,
    /// What becomes of them instead.
    building: Building,
}

impl Walker<'_> {
    /// The outcomes of states at the root, derived from those of others; all have rows. Where that takes long and a shared
    /// state is nearer, its outcome is taken over instead.
    pub(super) fn base_like(&mut self, derived: &[Derived<'_>]) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = Vec::with_capacity(derived.len());
        for one in derived {
            outcomes.push(self.far_base(one));
        }
        let open = || derived.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_none());
        let rest: Vec<&Derived<'_>> = open().map(|(one, _)| one).collect();
        let mut apart = self.depart_all(&rest).into_iter();
        let outcomes = derived.iter().zip(outcomes);
        let outcomes = outcomes.filter_map(|(one, outcome)| {
            outcome.or_else(|| Some(self.derived_from(one, apart.next()?)))
        });
        outcomes.collect()
    }

    /// The outcome of a state that parts from its model soon, where a shared state is near.
    fn far_base(&mut self, derived: &Derived<'_>) -> Option<Outcome> {
        let &Derived { state, model, .. } = derived;
        let is_far = self.agreement.length(state, model).is_none_or(|length| length < FAR);
        let near = is_far.then(|| self.near(state)).flatten()?;
        let apart = self.depart(&[derived], LONG).and_then(|mut apart| apart.pop());
        Some(match apart {
            Some(apart) => self.derived_from(derived, apart),
            None => self.base_near(state, near),
        })
    }

    /// The outcome of a state's model, but for what tells the two apart.
    fn derived_from(&self, derived: &Derived<'_>, apart: Apart) -> Outcome {
        let &Derived { state, model, known } = derived;
        let Apart { excepted, building } = apart;
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

    /// What tells states from their models: of all of them at once, or of as many as there is room for.
    fn depart_all(&mut self, derived: &[&Derived<'_>]) -> Vec<Apart> {
        let apart = self.depart(derived, usize::MAX);
        apart.unwrap_or_else(|| {
            if derived.len() < 2 {
                return Vec::new();
            }
            let (one, other) = derived.split_at(derived.len() / 2);
            let mut apart = self.depart_all(one);
            apart.extend(self.depart_all(other));
            apart
        })
    }

    /// What tells states from their models. Gives up where more than `most` nodes have to be looked at, or the states go
    /// too many ways.
    fn depart(&mut self, derived: &[&Derived<'_>], mut most: usize) -> Option<Vec<Apart>> {
        let (trie, nodes, agreement) = (self.trie, self.known.nodes(), self.agreement);
        let apart = derived.iter().map(|one| {
            // Most have no spans.
            let after = self.follow.bytes(self.follow.rule_of(one.state));
            let building = Building { outcome: Outcome::default(), after };
            Apart { excepted: Excepted::default(), building }
        });
        let mut apart: Vec<Apart> = apart.collect();
        let rows = |one: &Derived<'_>| -> Option<[u32; 2]> {
            Some([agreement.row_of(one.state)?, agreement.row_of(one.model)?])
        };
        let pairs = derived.iter().zip(&apart);
        let pairs = pairs.map(|(one, apart)| Some((rows(one)?, bits(apart.building.after))));
        let pairs: Vec<_> = pairs.collect::<Option<_>>()?;
        let (mut lanes, first) = Lanes::new(agreement.rows(), &pairs, nodes.height(0));
        let mut fronts = vec![first; nodes.height(0) + 1];
        let mut next = if first == NONE { trie.len() as u32 } else { 1 };
        while next < trie.len() as u32 {
            most = most.checked_sub(1).filter(|_| !lanes.are_too_many())?;
            let child = next;
            let depth = nodes.depth(child);
            let (front, partings) = lanes.step(fronts[depth - 1], trie.byte[child as usize]);
            let below = child..trie.end[child as usize];
            next = below.end;
            for at in partings {
                let (lane, parting) = lanes.parting(at);
                self.part_from(parting, below.clone(), &mut apart[lane as usize]);
            }
            if front == NONE || below.len() == 1 {
                continue;
            }
            let front = lanes.within(front, nodes.height(child), nodes.below(child));
            if front != NONE {
                fronts[depth] = front;
                next = child + 1;
            }
        }
        Some(apart)
    }

    /// Notes what happens to a state at the first of some nodes, which are those below it.
    fn part_from(&mut self, parting: Parting, below: Range<u32>, apart: &mut Apart) {
        let Apart { excepted, building } = apart;
        let child = below.start;
        match parting {
            Parting::Gone => excepted.add(below),
            Parting::Last if below.len() == 1 => {}
            Parting::Last => excepted.add(child + 1..below.end),
            Parting::Other { to, replaces } => {
                match replaces {
                    Replaced::Nothing => {}
                    Replaced::Node => excepted.add(child..child + 1),
                    Replaced::Subtree => excepted.add(below.clone()),
                }
                if to.ends() {
                    building.outcome.add_span(self.trie.tokens_at(child));
                }
                if to.exits() && below.len() > 1 {
                    self.leave(child, building);
                }
            }
            Parting::Unclear([row, like]) => {
                let rows = self.agreement.rows();
                let byte = self.trie.byte[child as usize];
                let [to, stored] = [row, like].map(|row| rows.on(row, byte));
                let states = [row, like].map(|row| rows.state(row));
                let network = self.follow.network();
                // The byte into the child is one of what the call is asked for.
                let length = self.known.nodes().height(child) + 1;
                let are_calls = to.is_call() && stored.is_call();
                if are_calls && self.agreement.call_alike(network, states, length) {
                    return;
                }
                if !stored.is_dead() {
                    excepted.add(below);
                }
                if !to.is_dead() {
                    self.visit(At::One(states[0], BOTTOM), child, building);
                }
            }
        }
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
        let states = base..base + network.tables.states.len() as u32 - 1;
        let expected: Vec<Outcome> = states.clone().map(|state| whole(plain.base(state))).collect();
        let of = |state: u32| &expected[(state - base) as usize];
        let mut lanes = Vec::new();
        for state in states {
            assert_eq!(whole(walker.base(state)), *of(state), "state {state} of {schema}");
            if let Some(model) = agreement.model(state) {
                lanes.push(Derived { state, model, known: of(model) });
            }
        }
        let is_like = |lane: &Derived<'_>, outcome: &Outcome, beside: usize| {
            let taken = outcome.taken.as_ref().map(|taken| taken.state);
            let outcome = match taken == Some(lane.model) {
                true => outcome.over(&lane.known.spans),
                false => whole(outcome.clone()),
            };
            let &Derived { state, model, .. } = lane;
            assert_eq!(outcome, *of(state), "{state} like {model}, {beside} beside, of {schema}");
        };
        for beside in [1, 3, lanes.len().max(1)] {
            for lanes in lanes.chunks(beside) {
                let outcomes = walker.base_like(lanes);
                assert_eq!(outcomes.len(), lanes.len());
                lanes.iter().zip(&outcomes).for_each(|(one, found)| is_like(one, found, beside));
            }
        }
        lanes.len()
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
