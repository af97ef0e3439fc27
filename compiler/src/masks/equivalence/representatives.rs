//! States of a grammar whose outcomes at the root of the trie equal those of other states. They are not walked. They
//! are [default states](super::default_transitions), [bisimilar states](super::token_bisimulation), and states within
//! [literals](super::literals) up to the same trie node.
//!
//! Cost: O(own states).

use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::FxHashMap;

use super::default_transitions::DefaultTransitions;
use super::literals::Literals;
use super::token_bisimulation::TokenBisimulation;
use crate::budget::Budget;
use crate::graph::Lists;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shortcuts::{Shortcut, ShortcutCounts, Shortcuts};
use crate::network::follow::Follow;

/// Steps of the budget that are charged for the comparison of two states: an estimate.
const STEPS_A_STATE: usize = 1 << 7;

/// The states of a grammar with the same outcome (consumed tokens and exit nodes) at the root as another state, their
/// *representative*. They are not walked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Representatives {
    /// Id of the first state of the grammar itself. States with lower ids belong to the vocabulary.
    base: u32,
    /// For each state of the grammar itself, by index from the first such state, whether its outcome is that of another
    /// state. An outcome has the consumed tokens and exit nodes.
    is_represented: Vec<bool>,
    /// For each state of the grammar itself, by index from the first such state, the ids of the states that take their
    /// outcome from it. An outcome has the consumed tokens and exit nodes.
    of: Lists,
    /// Classes of states that are equivalent on every factor (substring) of a token.
    bisimulation: TokenBisimulation,
    /// For each shortcut (saving in a trie walk), the number of states for which it found an equivalent state. They are
    /// not walked.
    counts: ShortcutCounts,
}

impl Representatives {
    /// Finds, for the tokens of a trie, the states of a grammar that can take their outcome (consumed tokens and exit
    /// nodes) from another state. Only the given shortcuts are used. States that are not reached before the budget is
    /// spent keep their own outcome.
    pub(crate) fn new(
        follow: &Follow<'_>,
        known: &VocabularyFacts,
        trie: Trie<'_>,
        shortcuts: Shortcuts,
        budget: &Budget,
    ) -> Self {
        let network = follow.network();
        let own = network.own;
        let mut defaults = DefaultTransitions::new(follow, known);
        let base = own.bases.states;
        let states = base..base + own.state_count();
        let edges = |state: u32| {
            let index = (state - base) as usize;
            own.byte_edges_of(index).len() + own.call_edges_of(index).len()
        };
        let has = |shortcut| shortcuts.has(shortcut);
        let mut counts = ShortcutCounts::default();
        // From the last state on, so that most targets of a state come before it.
        let references = states.clone().rev().map(|state| {
            if budget.spend(STEPS_A_STATE + edges(state)).is_err() {
                return None;
            }
            let found = has(Shortcut::DefaultTransitions).then(|| defaults.of(state)).flatten();
            counts.add(Shortcut::DefaultTransitions, usize::from(found.is_some()));
            found
        });
        let references: Vec<Option<u32>> = references.collect();
        let bisimulation = match has(Shortcut::TokenBisimulation) {
            true => TokenBisimulation::new(follow, &mut defaults, known, trie, budget),
            false => TokenBisimulation::default(),
        };
        let reads_tokens = network.reads_tokens();
        let references = || states.clone().zip(references.iter().rev());
        let literals = Literals::new(own, known.children());
        // Map each class of bisimilar states, and each trie node that literals lead to, to the representative.
        let mut of_copies: FxHashMap<u32, u32> = FxHashMap::default();
        let mut of_node: FxHashMap<u32, u32> = FxHashMap::default();
        // For each state, by index, its representative. States found otherwise are left as they are.
        let mut first: Vec<u32> = states.clone().collect();
        for (state, _) in references().filter(|(_, reference)| reference.is_none()) {
            // A state's class does not describe its edges on whole tokens.
            let reads = reads_tokens && network.may_read_token(state);
            let class = bisimulation.class(state).filter(|_| !reads);
            let stands = match class.and_then(|class| of_copies.get(&class)) {
                Some(&other) => {
                    counts.add(Shortcut::TokenBisimulation, 1);
                    other
                }
                None => match literals.deepest(state).filter(|_| has(Shortcut::Literals)) {
                    Some(node) => {
                        let stands = *of_node.entry(node).or_insert(state);
                        counts.add(Shortcut::Literals, usize::from(stands != state));
                        stands
                    }
                    None => state,
                },
            };
            first[(state - base) as usize] = stands;
            if let Some(class) = class {
                of_copies.entry(class).or_insert(stands);
            }
        }
        let represented = references()
            .map(|(state, &reference)| (first[(reference.unwrap_or(state) - base) as usize], state))
            .filter(|(reference, state)| reference != state);
        let mut all: Vec<(u32, u32)> = Vec::with_capacity(first.len());
        all.extend(represented.map(|(reference, state)| (reference - base, state)));
        let represented = all;
        let mut is_represented = vec![false; own.state_count() as usize];
        represented.iter().for_each(|&(_, state)| is_represented[(state - base) as usize] = true);
        let of = Lists::of_pairs(is_represented.len(), represented.iter().copied());
        Self { base, is_represented, of, bisimulation, counts }
    }

    /// Returns, for each shortcut (saving in a trie walk), the number of states for which it found an equivalent state.
    /// They are not walked.
    pub(crate) fn counts(&self) -> &ShortcutCounts {
        &self.counts
    }

    /// Returns the classes of states that are equivalent on every factor (substring) of a token.
    pub(crate) fn bisimulation(&self) -> &TokenBisimulation {
        &self.bisimulation
    }

    /// Whether the outcome (consumed tokens and exit nodes) of a state of the grammar is taken from another state.
    pub(crate) fn contains(&self, state: u32) -> bool {
        self.is_represented.get((state - self.base) as usize).is_some_and(|&is_one| is_one)
    }

    /// Returns the states whose outcomes (consumed tokens and exit nodes) are those of the state `reference`, in
    /// ascending order.
    pub(crate) fn of(&self, reference: u32) -> &[u32] {
        self.of.of((reference - self.base) as usize)
    }
}
