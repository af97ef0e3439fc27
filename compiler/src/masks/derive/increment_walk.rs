//! Walks that find how outcomes change near a bound.
//!
//! With `left` increments remaining, the outcome is the unbounded one except in the subtrees at whose root increment
//! number `left` is made: there the activation continues in the exit. So one walk records, for each increment, how the
//! exit differs from staying. The walk is pruned where no exit can differ yet ([`Pairs`]): most subtrees are too low
//! for a string that distinguishes the exit.
//!
//! States with equal transitions after the first byte share what is found below it, a *part*. So does a state that
//! another one simulates ([`Simulation`]).
//!
//! Cost, for each part: O(trie nodes whose subtree is high enough, and nodes where an exit differs). A part belongs to a
//! state and a first byte.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::exit_pairs::{Pairs, Step};
use super::rule_steps::{Arrived, RuleSteps};
use super::simulation::Simulation;
use crate::budget::Budget;
use crate::ir::ByteSet;
use crate::masks::outcome::Outcome;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::shared::facts::VocabularyFacts;

/// Steps of a walk between two checks of the budget.
const STEPS: usize = 1 << 12;

/// Pairs that the simulation visits for each node of the trie, on average.
const PAIRS_A_NODE: usize = 4;

/// A state after a first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Beginning {
    /// The root's child.
    child: u32,
    /// The state after the byte.
    state: u32,
    /// The exit of the increment on that byte, if it makes one.
    exit: Option<u32>,
}

impl Beginning {
    fn arrived(&self) -> Arrived {
        Arrived { state: self.state, exit: self.exit, is_set: false }
    }
}

/// By increment, how its exits differ from staying.
pub(super) type Part = Vec<ExitDifference>;

/// The difference of the exits of one increment from staying.
#[derive(Debug, Default)]
pub(super) struct ExitDifference {
    /// Subtrees in which the exits do not continue, as disjoint ranges of nodes, in the order of the walk.
    pub(super) subtrees: Vec<Range<u32>>,
    /// Other nodes at which the rule may not be left, in the order of the walk.
    pub(super) kept: Vec<u32>,
    /// Additional tokens and exits.
    pub(super) more: Outcome,
}

/// One rule with count-dependent states, for walks of any number of threads.
pub(super) struct CountDependentRule<'a> {
    steps: RuleSteps<'a>,
    pairs: Pairs,
    /// By state, whether it continues with a FOLLOW byte of the rule.
    goes_on_after: Vec<bool>,
    /// Whether deltas are sets of tokens, wherever these leave the rule: no exit continues or ends where staying does
    /// not, and no final state continues with a FOLLOW byte of the rule.
    pub(super) of_tokens: bool,
    trie: Trie<'a>,
    facts: &'a VocabularyFacts,
    after: ByteSet,
    budget: &'a Budget,
}

/// A walk along the states of one rule.
pub(super) struct IncrementWalk<'a> {
    rule: &'a CountDependentRule<'a>,
    builder: OutcomeBuilder<'a>,
    /// Open nodes, with their state and the number of increments so far.
    open: Vec<(u32, u32, u32)>,
    /// Open nodes with their pair, and open nodes with the state of an exit that continues alone.
    pairs_open: Vec<(u32, u32)>,
    alone: Vec<(u32, u32)>,
}

impl<'a> CountDependentRule<'a> {
    /// Returns the walks of a rule, given its FOLLOW bytes `after`.
    pub(super) fn new(
        steps: RuleSteps<'a>,
        after: ByteSet,
        facts: &'a VocabularyFacts,
        trie: Trie<'a>,
        budget: &'a Budget,
    ) -> Self {
        let pairs = Pairs::new(&steps);
        _ = budget.spend(pairs.len() * steps.classes());
        let goes_on_after = steps.goes_on_with(after);
        let mut states = (0..).zip(&goes_on_after);
        let is_left_for_good = states.all(|(state, goes_on)| !(steps.is_final(state) && *goes_on));
        let of_tokens = !pairs.adds && !pairs.keeps && is_left_for_good;
        Self { steps, pairs, goes_on_after, of_tokens, trie, facts, after, budget }
    }

    /// Returns a walk for one thread.
    pub(super) fn walk(&'a self) -> IncrementWalk<'a> {
        IncrementWalk {
            rule: self,
            builder: OutcomeBuilder::new(Outcome::default(), self.after, self.facts.children()),
            open: Vec::new(),
            pairs_open: Vec::new(),
            alone: Vec::new(),
        }
    }

    /// Returns the first bytes of a count-dependent state on which the outcome may depend on the remaining increments.
    pub(super) fn beginnings(&self, state: u32) -> Vec<Beginning> {
        let children = self.trie.children(0).filter_map(|child| {
            let class = self.steps.class(self.trie.byte[child as usize]);
            let at = self.steps.on(state, class)?;
            let may_differ = self.may_differ(child, at.exit.map(|exit| (at.state, exit)));
            let beginning = Beginning { child, state: at.state, exit: at.exit };
            (!at.is_set && may_differ).then_some(beginning)
        });
        children.collect()
    }

    /// Returns for each beginning the number of one on the same byte that simulates it, whose part holds for it.
    pub(super) fn simulated_by(&self, beginnings: &[Beginning]) -> Vec<usize> {
        let mut by: Vec<usize> = (0..beginnings.len()).collect();
        if self.pairs.adds {
            return by;
        }
        // The bytes of a class have equal transitions, so arrivals are compared once for a class, on texts as long as
        // the longest.
        let mut of_class: IndexMap<usize, (IndexSet<Arrived, FxBuildHasher>, u32), FxBuildHasher> =
            IndexMap::default();
        let mut numbers: FxHashMap<(u32, Arrived), usize> = FxHashMap::default();
        for (at, beginning) in beginnings.iter().enumerate() {
            let (class, arrived) = (self.class(beginning), beginning.arrived());
            let (arrivals, length) = of_class.entry(class).or_default();
            arrivals.insert(arrived);
            *length = (self.facts.nodes().height(beginning.child) as u32).max(*length);
            numbers.insert((beginning.child, arrived), at);
        }
        let goes_on_after = self.of_tokens.then_some(&self.goes_on_after[..]);
        let mut simulation =
            Simulation::new(&self.steps, goes_on_after, PAIRS_A_NODE * self.trie.len());
        let largest = |(class, (arrivals, length)): (usize, (IndexSet<_, _>, u32))| {
            let arrivals: Vec<Arrived> = arrivals.into_iter().collect();
            let by = simulation.largest(&arrivals, length);
            let pairs = (0..arrivals.len()).map(|at| (arrivals[at], arrivals[by[at]]));
            (class, pairs.collect::<FxHashMap<Arrived, Arrived>>())
        };
        let largest: FxHashMap<usize, _> = of_class.into_iter().map(largest).collect();
        _ = self.budget.spend(simulation.looked_at() * self.steps.classes());
        for (at, beginning) in beginnings.iter().enumerate() {
            let larger = largest[&self.class(beginning)][&beginning.arrived()];
            // Beginnings below which nothing can differ are left out, and the walk of this one is short.
            by[at] = numbers.get(&(beginning.child, larger)).copied().unwrap_or(at);
        }
        by
    }

    /// Returns the byte class of a beginning.
    fn class(&self, beginning: &Beginning) -> usize {
        self.steps.class(self.trie.byte[beginning.child as usize])
    }

    /// Whether exits may differ below a node: the exit of an increment on the way there, or a later one.
    fn may_differ(&self, node: u32, given_way: Option<(u32, u32)>) -> bool {
        let height = self.facts.nodes().height(node);
        height > self.pairs.least as usize
            || given_way
                .is_some_and(|(far, exit)| self.pairs.may_tell(self.pair(far, exit), height))
    }

    /// Returns the number of the pair of a state and its exit.
    fn pair(&self, far: u32, exit: u32) -> u32 {
        self.pairs.number((far, self.steps.arrival(exit).state))
    }
}

impl IncrementWalk<'_> {
    /// Returns the part of a beginning.
    pub(super) fn part(&mut self, beginning: Beginning) -> Part {
        let rule = self.rule;
        let mut part = Part::default();
        let Beginning { child, state, exit } = beginning;
        if let Some(exit) = exit {
            let pair = rule.pair(state, exit);
            self.give_way(&mut part, 0, child, pair);
        }
        let mut count = 0;
        if rule.steps.is_count_dependent(state) && rule.may_differ(child, None) {
            self.open.push((child, state, u32::from(exit.is_some())));
        }
        while let Some((node, state, increments)) = self.open.pop() {
            let from = self.open.len();
            for child in rule.trie.children(node) {
                count += 1;
                let class = rule.steps.class(rule.trie.byte[child as usize]);
                let on = rule.steps.on(state, class);
                let Some(at) = on.filter(|at| !at.is_set) else { continue };
                let mut increments = increments;
                if let Some(exit) = at.exit {
                    let pair = rule.pair(at.state, exit);
                    self.give_way(&mut part, increments as usize, child, pair);
                    increments += 1;
                }
                if rule.steps.is_count_dependent(at.state) && rule.may_differ(child, None) {
                    self.open.push((child, at.state, increments));
                }
            }
            self.open[from..].reverse();
            // The caller checks whether the budget is spent.
            if count > STEPS && rule.budget.spend(std::mem::take(&mut count)).is_err() {
                self.open.clear();
            }
        }
        part
    }

    /// Records how the exit of a pair differs from staying below a node at which an increment is made.
    fn give_way(&mut self, part: &mut Part, increment: usize, node: u32, pair: u32) {
        let rule = self.rule;
        let facts = rule.facts;
        if !rule.pairs.may_tell(pair, facts.nodes().height(node)) {
            return;
        }
        if part.len() <= increment {
            part.resize_with(increment + 1, ExitDifference::default);
        }
        let (trie, given_way) = (rule.trie, &mut part[increment]);
        self.builder.outcome = std::mem::take(&mut given_way.more);
        let mut count = 0;
        self.pairs_open.push((node, pair));
        while let Some((node, pair)) = self.pairs_open.pop() {
            count += 1;
            match rule.pairs.ends(pair) {
                (true, false) => given_way.kept.push(node),
                (false, true) if !trie.is_leaf(node) => self.builder.leave(node),
                _ => {}
            }
            let from = self.pairs_open.len();
            for child in trie.children(node) {
                let class = rule.steps.class(trie.byte[child as usize]);
                match rule.pairs.on(pair, class) {
                    Step::Same => {}
                    Step::Ends => {
                        let nodes = child..trie.end[child as usize];
                        match given_way.subtrees.last_mut() {
                            Some(last) if last.end == nodes.start => last.end = nodes.end,
                            _ => given_way.subtrees.push(nodes),
                        }
                    }
                    Step::Alone(near) => count += self.go_alone(child, near),
                    Step::Pair(pair) => {
                        if rule.pairs.may_tell(pair, facts.nodes().height(child)) {
                            self.pairs_open.push((child, pair));
                        }
                    }
                }
            }
            self.pairs_open[from..].reverse();
        }
        _ = rule.budget.spend(count);
        given_way.more = std::mem::take(&mut self.builder.outcome);
    }

    /// Adds the outcome of a state after an exit, below a node.
    fn go_alone(&mut self, node: u32, state: u32) -> usize {
        let (rule, mut count) = (self.rule, 0);
        let trie = rule.trie;
        self.alone.push((node, state));
        while let Some((node, state)) = self.alone.pop() {
            count += 1;
            self.builder.outcome.add_span(trie.tokens_at(node));
            if trie.is_leaf(node) {
                continue;
            }
            if rule.steps.is_final(state) {
                self.builder.leave(node);
            }
            let from = self.alone.len();
            for child in trie.children(node) {
                let class = rule.steps.class(trie.byte[child as usize]);
                if let Some(at) = rule.steps.on(state, class) {
                    self.alone.push((child, at.state));
                }
            }
            self.alone[from..].reverse();
        }
        count
    }
}
