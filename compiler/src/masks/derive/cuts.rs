//! The masks of graded states when few ticks are left, as differences from those with many.
//!
//! A *cut* is the difference of the mask with one number of ticks left, put together from what the [walks](super::ticks) of a
//! state find on its first bytes. States with the same parts have the same cuts, and so have the states of two rules that do the
//! same from their graded states on, such as those of `^(?:[a-z]+ ){0,9}$` and of `^$|^(?:[a-z]+ ){0,19}$`: only the first is walked.
//!
//! Cuts are of tokens alone, [left out](Cut::excluded) of whatever the mask with many ticks left is, where the rule is a text between
//! quotes or all there is: one cut serves all states with these parts. Elsewhere a token may leave the rule at one place and be cut
//! behind it, so each state has an [outcome](Cut::outcome) of its own.
//!
//! Cost: that of the walks, and O(subtrees) for each list of parts and number of ticks.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::rule_steps::RuleSteps;
use super::ticks::{Beginning, GivenWay, GradedRule, Part, TickWalk};
use crate::ir::ByteSet;
use crate::masks::outcome::{Delta, Outcome};
use crate::masks::shared::facts::VocabularyFacts;
use crate::network::{Graded, Network};
use crate::threads::Means;

/// The cuts of a state with 1 tick left and more, as long as a token may make that many; none where nothing differs.
pub(crate) type CutsByTick = Vec<Option<Cut>>;

/// The cuts of the graded states of one rule.
pub(crate) struct RuleCuts {
    /// By group of states that do the same, the number of its cuts.
    pub(crate) of_group: Vec<usize>,
    pub(crate) cuts: Vec<CutsByTick>,
    /// Whether they are of tokens alone, wherever these leave the rule.
    pub(crate) of_tokens: bool,
}

/// The cuts of rules that do not do the same, by what the rules do.
#[derive(Default)]
pub(crate) struct Cuts(IndexMap<Vec<u32>, RuleCuts, FxBuildHasher>);

impl Cuts {
    /// The number of the cuts of some graded states, after whose rule these bytes may come. They are of no use where the budget is
    /// spent.
    pub(crate) fn number(
        &mut self,
        (network, graded): (&Network, &Graded),
        after: ByteSet,
        of: (&VocabularyFacts, Trie<'_>),
        means: Means<'_>,
    ) -> usize {
        let steps = RuleSteps::new(network, graded);
        let heads: Vec<u32> = graded.states.iter().map(|states| steps.number(states[0])).collect();
        let mut signature = steps.signature(heads.iter().copied());
        signature.extend((0..=u8::MAX).map(|byte| u32::from(after.contains(byte))));
        if let Some(known) = self.0.get_index_of(&signature) {
            return known;
        }
        let rule = GradedRule::new(steps, after, of, means.budget);
        let cuts = Self::cuts(&rule, &heads, of.1, means);
        self.0.insert_full(signature, cuts).0
    }

    /// The cuts of a number.
    pub(crate) fn get(&self, number: usize) -> &RuleCuts {
        &self.0[number]
    }

    /// The cuts of some states, one of each group: parts and cuts are found on all threads.
    fn cuts(rule: &GradedRule<'_>, heads: &[u32], trie: Trie<'_>, means: Means<'_>) -> RuleCuts {
        let threads = means.threads;
        let mut beginnings: IndexSet<Beginning, FxBuildHasher> = IndexSet::default();
        let of_head = |&head: &u32| {
            let own = rule.beginnings(head).into_iter();
            own.map(|beginning| beginnings.insert_full(beginning).0).collect()
        };
        let of_head: Vec<Vec<usize>> = heads.iter().map(of_head).collect();
        let beginnings: Vec<Beginning> = beginnings.into_iter().collect();
        let by = rule.covered_by(&beginnings);
        let largest: Vec<usize> = (0..by.len()).filter(|&at| by[at] == at).collect();
        let find = |walk: &mut TickWalk<'_>, &at: &usize| walk.part(beginnings[at]);
        let found: Vec<Part> = threads.map(true, &largest, || rule.walk(), find);
        let parts: FxHashMap<usize, Part> = largest.into_iter().zip(found).collect();
        let mut lists: IndexSet<Vec<usize>, FxBuildHasher> = IndexSet::default();
        let of_group = of_head.into_iter().map(|own| {
            let own = own.into_iter().map(|part| by[part]);
            lists.insert_full(own.filter(|part| !parts[part].is_empty()).collect()).0
        });
        let of_group = of_group.collect();
        let lists: Vec<Vec<usize>> = lists.into_iter().collect();
        let cut = |(): &mut (), list: &Vec<usize>| {
            let parts: Vec<&Part> = list.iter().map(|part| &parts[part]).collect();
            let most = parts.iter().map(|part| part.len()).max().unwrap_or(0);
            let at = |tick: usize| parts.iter().filter_map(move |part| part.get(tick));
            (0..most).map(|tick| Cut::new(trie, at(tick))).collect()
        };
        let cuts = threads.map(true, &lists, || (), cut);
        RuleCuts { of_group, cuts, of_tokens: rule.of_tokens }
    }
}

/// In what the masks with one number of ticks left differ from those with many, of states with the same parts.
pub(crate) struct Cut {
    /// Disjoint ranges of nodes, ascending, and their ranks.
    subtrees: Vec<Range<u32>>,
    excluded: Vec<Range<u32>>,
    /// Other nodes at which the rule may not be left, ascending.
    kept: Vec<u32>,
    /// Tokens and exits that there are more.
    more: Outcome,
}

impl Cut {
    fn new<'p>(trie: Trie<'_>, of_tick: impl Iterator<Item = &'p GivenWay>) -> Option<Self> {
        let mut subtrees: Vec<Range<u32>> = Vec::new();
        let mut kept: Vec<u32> = Vec::new();
        let mut more = Outcome::default();
        for given_way in of_tick {
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

    /// The tokens that are cut.
    pub(crate) fn excluded(&self) -> Outcome {
        Outcome { spans: self.excluded.clone(), ..Outcome::default() }
    }

    /// The outcome of a state, by that with many ticks left, which leaves its rule at `exits`.
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
