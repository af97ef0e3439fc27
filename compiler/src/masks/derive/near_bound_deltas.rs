//! Near-bound masks, as differences from the unbounded masks.
//!
//! Near the bound of a counter, a mask is the unbounded mask minus the tokens that would exceed the bound. A
//! *near-bound delta* is this difference for one number of remaining increments. For each first byte of a state, a
//! [walk](super::increment_walk) finds the differences below the byte, a *part*. The deltas of the state are assembled
//! from its parts. States with the same parts share their deltas. So do the states of two rules with equal transitions
//! from their count-dependent states on. Of `^(?:[a-z]+ ){0,9}$` and `^$|^(?:[a-z]+ ){0,19}$`, only the first is
//! walked.
//!
//! If the rule is a text between quotes or the whole output, a delta is a set of tokens to
//! [exclude](NearBoundDelta::excluded) from the mask. One delta then serves all states with these parts. In other rules
//! a token may return from the rule at one byte and exceed the bound at a later one. There each state has an
//! [outcome](NearBoundDelta::outcome) of its own.
//!
//! Cost: that of the walks, and O(subtrees) for each list of parts and number of increments.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::increment_walk::{Beginning, CountDependentRule, ExitDifference, IncrementWalk, Part};
use super::rule_steps::RuleSteps;
use crate::ir::ByteSet;
use crate::masks::outcome::{Delta, Outcome};
use crate::masks::shared::facts::VocabularyFacts;
use crate::network::{CountDependent, Network};
use crate::threads::Context;

/// The near-bound deltas (differences from the unbounded masks) of a state, by remaining increments. Index `i` is for
/// `i + 1` remaining increments, up to the most that one token makes. `None` where the near-bound mask equals the
/// unbounded mask.
pub(crate) type DeltasByIncrement = Vec<Option<NearBoundDelta>>;

/// The near-bound deltas (differences from the unbounded masks) of the count-dependent states of one rule. The masks of
/// these states change near a counter's bound.
pub(crate) struct RuleDeltas {
    /// For each group of equivalent count-dependent states (masks change near a bound), the index of the group's deltas
    /// in `deltas`. A delta is a difference from the unbounded mask.
    pub(crate) of_group: Vec<usize>,
    /// The distinct lists of deltas (differences from the unbounded masks), by the index that `of_group` names.
    pub(crate) deltas: Vec<DeltasByIncrement>,
    /// Whether a delta (difference from the unbounded mask) is only a set of tokens to exclude. If false, it also
    /// changes the exits (nodes where the rule returns).
    pub(crate) of_tokens: bool,
}

/// The near-bound deltas (differences from the unbounded masks) of all rules of a grammar. Rules with equal transitions
/// and equal FOLLOW bytes share their deltas.
pub(crate) struct NearBoundDeltas<'a> {
    /// The automata whose rules have the deltas (differences from the unbounded masks).
    network: &'a Network,
    /// Indexes over the vocabulary's trie, rules and stored masks.
    facts: &'a VocabularyFacts,
    /// The token trie: the prefix tree of the tokens' byte strings.
    trie: Trie<'a>,
    /// The budget and the threads of the computation.
    context: Context<'a>,
    /// Maps the [signature](RuleSteps::signature) of a rule's transitions, with the rule's FOLLOW bytes, to the deltas
    /// (differences from the unbounded masks) of the rule.
    by_transitions: IndexMap<Vec<u32>, RuleDeltas, FxBuildHasher>,
}

impl<'a> NearBoundDeltas<'a> {
    /// Returns a table without deltas (differences from the unbounded masks).
    pub(crate) fn new(
        network: &'a Network,
        facts: &'a VocabularyFacts,
        trie: Trie<'a>,
        context: Context<'a>,
    ) -> Self {
        Self { network, facts, trie, context, by_transitions: IndexMap::default() }
    }

    /// Returns the index of the deltas (differences from the unbounded masks) of the given count-dependent states
    /// (masks change near a bound). Computes them if no rule with equal transitions came before. `after` has the FOLLOW
    /// bytes of their rule. The deltas have no meaning once the budget is spent.
    pub(crate) fn number(&mut self, count_dependent: &CountDependent, after: ByteSet) -> usize {
        let Self { network, facts, trie, context, .. } = *self;
        let steps = RuleSteps::new(network, count_dependent);
        let heads: Vec<u32> =
            count_dependent.states.iter().map(|states| steps.number(states[0])).collect();
        let mut signature = steps.signature(heads.iter().copied());
        signature.extend((0..=u8::MAX).map(|byte| u32::from(after.contains(byte))));
        if let Some(known) = self.by_transitions.get_index_of(&signature) {
            return known;
        }
        let rule = CountDependentRule::new(steps, after, facts, trie, context.budget);
        let deltas = Self::deltas(&rule, &heads, trie, context);
        self.by_transitions.insert_full(signature, deltas).0
    }

    /// Returns the deltas (differences from the unbounded masks) with an index from [`number`](Self::number).
    pub(crate) fn get(&self, number: usize) -> &RuleDeltas {
        &self.by_transitions[number]
    }

    /// Computes the near-bound deltas (differences from the unbounded masks) of a rule. `heads` has one state of each
    /// group of equivalent count-dependent states (masks change near a bound), as indexes within the rule. The walks
    /// over the trie run on all threads.
    fn deltas(
        rule: &CountDependentRule<'_>,
        heads: &[u32],
        trie: Trie<'_>,
        context: Context<'_>,
    ) -> RuleDeltas {
        let threads = context.threads;
        let mut beginnings: IndexSet<Beginning, FxBuildHasher> = IndexSet::default();
        let of_head = |&head: &u32| {
            let own = rule.beginnings(head).into_iter();
            own.map(|beginning| beginnings.insert_full(beginning).0).collect()
        };
        let of_head: Vec<Vec<usize>> = heads.iter().map(of_head).collect();
        let beginnings: Vec<Beginning> = beginnings.into_iter().collect();
        let by = rule.simulated_by(&beginnings);
        let largest: Vec<usize> = (0..by.len()).filter(|&at| by[at] == at).collect();
        let find = |walk: &mut IncrementWalk<'_>, &at: &usize| walk.part(beginnings[at]);
        let found: Vec<Part> = threads.map(true, &largest, || rule.walk(), find);
        let parts: FxHashMap<usize, Part> = largest.into_iter().zip(found).collect();
        let mut lists: IndexSet<Vec<usize>, FxBuildHasher> = IndexSet::default();
        let of_group = of_head.into_iter().map(|own| {
            let own = own.into_iter().map(|part| by[part]);
            lists.insert_full(own.filter(|part| !parts[part].is_empty()).collect()).0
        });
        let of_group = of_group.collect();
        let lists: Vec<Vec<usize>> = lists.into_iter().collect();
        let delta = |(): &mut (), list: &Vec<usize>| {
            let parts: Vec<&Part> = list.iter().map(|part| &parts[part]).collect();
            let most = parts.iter().map(|part| part.len()).max().unwrap_or(0);
            let at = |increment: usize| parts.iter().filter_map(move |part| part.get(increment));
            (0..most).map(|increment| NearBoundDelta::new(trie, at(increment))).collect()
        };
        let deltas = threads.map(true, &lists, || (), delta);
        RuleDeltas { of_group, deltas, of_tokens: rule.of_tokens }
    }
}

/// The difference of a near-bound mask (few increments left) from the unbounded mask (many left).
pub(crate) struct NearBoundDelta {
    /// The subtrees of the trie whose strings exceed the counter's bound, as disjoint, ascending ranges of nodes.
    subtrees: Vec<Range<u32>>,
    /// The ranks (token indexes in byte order) of the tokens in `subtrees`, as disjoint, ascending ranges.
    excluded: Vec<Range<u32>>,
    /// Trie nodes outside `subtrees` at which the rule may return with many increments left, but not near the bound;
    /// ascending.
    kept: Vec<u32>,
    /// Consumed tokens and exit nodes that the near-bound mask has and the unbounded mask lacks.
    more: Outcome,
}

impl NearBoundDelta {
    /// Merges the differences `of_increment` below all first bytes of a state, for one number of remaining increments.
    /// `None` if the near-bound mask does not differ from the unbounded one.
    fn new<'p>(
        trie: Trie<'_>,
        of_increment: impl Iterator<Item = &'p ExitDifference>,
    ) -> Option<Self> {
        let mut subtrees: Vec<Range<u32>> = Vec::new();
        let mut kept: Vec<u32> = Vec::new();
        let mut more = Outcome::default();
        for given_way in of_increment {
            subtrees.extend_from_slice(&given_way.subtrees);
            kept.extend_from_slice(&given_way.kept);
            more.spans.extend_from_slice(&given_way.more.spans);
            more.exits.extend_from_slice(&given_way.more.exits);
        }
        if subtrees.is_empty() && kept.is_empty() && more.spans.is_empty() && more.exits.is_empty()
        {
            return None;
        }
        subtrees.sort_unstable_by_key(|nodes| nodes.start);
        kept.sort_unstable();
        let mut excluded: Vec<Range<u32>> = Vec::with_capacity(subtrees.len());
        for nodes in &subtrees {
            let ranks = trie.rank[nodes.start as usize]..trie.rank[nodes.end as usize];
            match excluded.last_mut() {
                _ if ranks.is_empty() => {}
                Some(last) if last.end == ranks.start => last.end = ranks.end,
                _ => excluded.push(ranks),
            }
        }
        Some(Self { subtrees, excluded, kept, more })
    }

    /// Returns the tokens to exclude from the unbounded mask, as an outcome (consumed tokens and exit nodes) without
    /// exits.
    pub(crate) fn excluded(&self) -> Outcome {
        Outcome { spans: self.excluded.clone(), ..Outcome::default() }
    }

    /// Returns the near-bound outcome (consumed tokens and exit nodes) of `state`, as a difference from its unbounded
    /// outcome. `exits` are the trie nodes at which the rule returns in the unbounded outcome, ascending.
    pub(crate) fn outcome(&self, state: u32, exits: &[u32]) -> Outcome {
        let mut outcome = self.more.clone();
        let mut rest = &self.subtrees[..];
        for &exit in exits {
            while rest.first().is_some_and(|nodes| nodes.end <= exit) {
                rest = &rest[1..];
            }
            let is_within = rest.first().is_some_and(|nodes| nodes.start <= exit);
            if !is_within && self.kept.binary_search(&exit).is_err() {
                outcome.exits.push(exit);
            }
        }
        outcome.normalize();
        outcome.delta = Some(Delta { reference: state, excluded: self.excluded.clone() });
        outcome
    }
}
