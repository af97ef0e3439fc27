//! Walks over the token trie that find how outcomes change near the bound of a counter.
//!
//! With `left` increments remaining, the outcome is the unbounded one except in some subtrees: those at whose root
//! increment number `left` is made. There the counter reaches its bound, and the rule continues in the increment's
//! *exit* instead of staying in the state. So one walk records, for each increment, how the exit differs from staying.
//! The walk is pruned where no exit can differ yet ([`Pairs`]): most subtrees are too low for a distinguishing string.
//!
//! The differences that a walk finds below a first byte are a *part*. States with equal transitions after the byte
//! share the part. A state also shares the part of another one that simulates it ([`Simulation`]).
//!
//! Cost, for each part: O(trie nodes whose subtree is high enough), and O(nodes where an exit differs). A part belongs
//! to a state and a first byte.

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

/// The number of transitions that a walk over the trie takes between two checks of the budget.
const STEPS: usize = 1 << 12;

/// Bounds the pairs of states that the simulation preorder visits: this many for each trie node. Beyond this limit
/// states are taken not to simulate each other, and each is walked.
const PAIRS_A_NODE: usize = 4;

/// Where a walk over the trie begins: a first byte of a token, and the state of a rule after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Beginning {
    /// The trie node of the first byte, a child of the root.
    child: u32,
    /// The state after the first byte, as an index within the rule.
    state: u32,
    /// The state that replaces `state` if the byte makes the counter's last increment, as an index within the rule.
    /// `None` if the byte makes no increment.
    exit: Option<u32>,
}

impl Beginning {
    /// Returns the transition on the first byte of tokens that begin so: its target, and the exit that replaces the
    /// target at the last increment.
    fn arrived(&self) -> Arrived {
        Arrived { state: self.state, exit: self.exit, is_set: false }
    }
}

/// The differences below one first byte of tokens. Entry `i` says how the outcome (tokens and exits) changes if the
/// counter reaches its bound at increment `i + 1` of a token.
pub(super) type Part = Vec<ExitDifference>;

/// How the outcome (tokens and exits) changes if the counter reaches its bound at one increment. The rule then
/// continues in the *exit* (state at the counter's bound) instead of staying.
#[derive(Debug, Default)]
pub(super) struct ExitDifference {
    /// The subtrees of the trie in which the exits (states at the counter's bound) do not continue, as disjoint ranges
    /// of nodes. They are in the order of the walk.
    pub(super) subtrees: Vec<Range<u32>>,
    /// Trie nodes outside `subtrees` at which the rule may return if it stays, but not in the exit (state at the
    /// counter's bound). They are in the order of the walk.
    pub(super) kept: Vec<u32>,
    /// Tokens, and trie nodes of returns, that are possible only through the exits (states at the counter's bound).
    pub(super) more: Outcome,
}

/// One rule with count-dependent states (mask changes near a bound), prepared for walks on any number of threads.
pub(super) struct CountDependentRule<'a> {
    /// The transitions of the rule, with what each does to the counter.
    steps: RuleSteps<'a>,
    /// The pairs of a far state (counter far from its bound) and its exit (state at the counter's bound), with the
    /// strings that distinguish them.
    pairs: Pairs,
    /// For each state of the rule, whether it continues with a FOLLOW byte of the rule.
    goes_on_after: Vec<bool>,
    /// Whether a near-bound mask of the rule is always the unbounded mask without some tokens. This holds under two
    /// conditions. No exit (state at the counter's bound) continues or ends where staying does not. No final state
    /// continues with a FOLLOW byte of the rule.
    pub(super) of_tokens: bool,
    /// The token trie: the prefix tree of the tokens' byte strings.
    trie: Trie<'a>,
    /// Indexes over the vocabulary's trie, rules and stored masks.
    facts: &'a VocabularyFacts,
    /// The FOLLOW bytes of the rule.
    after: ByteSet,
    /// The limit on the work of all walks over the trie.
    budget: &'a Budget,
}

/// One thread's walk over the trie along the states of one rule with a counter, with its stacks.
pub(super) struct IncrementWalk<'a> {
    /// The rule along whose states the trie is walked.
    rule: &'a CountDependentRule<'a>,
    /// Collects the tokens, and the trie nodes of returns, that are possible only through an exit (state at the
    /// counter's bound).
    builder: OutcomeBuilder<'a>,
    /// Stack of trie nodes to visit. Each entry has the node, the state at the node, and the number of increments of
    /// the counter so far.
    open: Vec<(u32, u32, u32)>,
    /// Stack of trie nodes to visit, each with the index of the pair of states reached there. A pair is a far state
    /// (counter far from its bound) and its exit (state at the counter's bound).
    pairs_open: Vec<(u32, u32)>,
    /// Stack of trie nodes to visit at which only the exit (state at the counter's bound) continues, each with the
    /// exit's state.
    alone: Vec<(u32, u32)>,
}

impl<'a> CountDependentRule<'a> {
    /// Prepares a rule for walks over the trie. `after` has the FOLLOW bytes of the rule.
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

    /// Returns a walk over the trie for one thread.
    pub(super) fn walk(&'a self) -> IncrementWalk<'a> {
        IncrementWalk {
            rule: self,
            builder: OutcomeBuilder::new(Outcome::default(), self.after, self.facts.children()),
            open: Vec::new(),
            pairs_open: Vec::new(),
            alone: Vec::new(),
        }
    }

    /// Returns the first bytes of tokens on which the outcome (tokens and exits) of `state` may depend on the counter's
    /// distance from its bound. Each comes with the state after it.
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

    /// Returns, for each beginning (first byte and next state), the index of a beginning on the same byte that
    /// simulates it, often itself. The differences found below the simulating beginning serve both.
    pub(super) fn simulated_by(&self, beginnings: &[Beginning]) -> Vec<usize> {
        let mut by: Vec<usize> = (0..beginnings.len()).collect();
        if self.pairs.adds {
            return by;
        }
        // The bytes of a class have equal transitions. So two arrivals are compared once for a class, on strings as
        // long as the longest below any of the bytes.
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
            // The simulating arrival may be no beginning on this byte, because nothing can differ below the byte. The
            // walk is short then.
            by[at] = numbers.get(&(beginning.child, larger)).copied().unwrap_or(at);
        }
        by
    }

    /// Returns the byte class of the first byte of a beginning (first byte and next state).
    fn class(&self, beginning: &Beginning) -> usize {
        self.steps.class(self.trie.byte[beginning.child as usize])
    }

    /// Whether an exit (state at the counter's bound) may change the outcome (consumed tokens and exit nodes) below a
    /// trie node. If an increment was made on the way to the node, `given_way` has its far state (counter far from its
    /// bound) and its exit. Later increments are always considered.
    fn may_differ(&self, node: u32, given_way: Option<(u32, u32)>) -> bool {
        let height = self.facts.nodes().height(node);
        height > self.pairs.least as usize
            || given_way
                .is_some_and(|(far, exit)| self.pairs.may_tell(self.pair(far, exit), height))
    }

    /// Returns the index of the pair of a state and its exit (state at the counter's bound), both as indexes within the
    /// rule.
    fn pair(&self, far: u32, exit: u32) -> u32 {
        self.pairs.number((far, self.steps.arrival(exit).state))
    }
}

impl IncrementWalk<'_> {
    /// Walks the trie below a beginning (first byte and next state). Returns, for each increment, how the outcome
    /// (tokens and exits) changes if the counter reaches its bound there. The result has no meaning if the budget is
    /// spent.
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

    /// Adds to `part` how the outcome (tokens and exits) changes if the rule continues in the exit of a pair. The exit
    /// replaces the far state of the pair, with the counter at its bound. `node` is the trie node at which the
    /// increment with the index `increment`, from 0, is made.
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

    /// Adds to `self.builder` the tokens of a state below a trie node, and the nodes at which the rule returns. At the
    /// node, only the exit (state at the counter's bound) continues, in this state. Returns the number of nodes
    /// visited.
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
