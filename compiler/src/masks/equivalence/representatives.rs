//! A grammar's own states whose outcomes at the root are those of others, so that they are not walked:
//! [default states](super::default_transitions), [bisimilar states](super::token_bisimulation), and those within
//! [literals](super::literals) that lead to one node.
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

/// Steps of a budget that it takes to hold a state against another, about.
const STEPS_A_STATE: usize = 1 << 7;

/// These states, and whose outcomes are theirs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Representatives {
    /// Id of the first own state.
    base: u32,
    /// By index of the state, whether it is one.
    is_represented: Vec<bool>,
    /// By index of a state that is none, those whose outcomes are its own.
    of: Lists,
    bisimulation: TokenBisimulation,
    counts: ShortcutCounts,
}

impl Representatives {
    /// The representatives of a network's states for the strings of a trie.
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
        // From the last, so that those that a state leads to come before it.
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
        // By class of bisimilar states, and by the node that literals lead to, the representative.
        let mut of_copies: FxHashMap<u32, u32> = FxHashMap::default();
        let mut of_node: FxHashMap<u32, u32> = FxHashMap::default();
        // By index of the state, its representative, for states that are not represented otherwise.
        let mut first: Vec<u32> = states.clone().collect();
        for (state, _) in references().filter(|(_, reference)| reference.is_none()) {
            // Edges on tokens as wholes are no part of a state's class.
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

    /// How many states each shortcut found.
    pub(crate) fn counts(&self) -> &ShortcutCounts {
        &self.counts
    }

    /// Returns the bisimilar states among all states.
    pub(crate) fn bisimulation(&self) -> &TokenBisimulation {
        &self.bisimulation
    }

    /// Whether an own state is one.
    pub(crate) fn contains(&self, state: u32) -> bool {
        self.is_represented.get((state - self.base) as usize).is_some_and(|&is_one| is_one)
    }

    /// The states that a state represents, in ascending order.
    pub(crate) fn of(&self, reference: u32) -> &[u32] {
        self.of.of((reference - self.base) as usize)
    }
}
