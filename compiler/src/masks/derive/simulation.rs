//! A simulation preorder on the states of a rule: which count-dependent states allow all that another allows.
//!
//! With three words left, a state allows on every text of three words what one with thirty words left allows. The walk
//! of the second records all that the walk of the first would. The rest of its records lies after texts on which the
//! first does not continue, so outside of the first's mask. So of the states after a first byte only the largest are
//! walked.
//!
//! A pair holds for all texts shorter than the shortest chain of transitions to a pair that fails at once. If there is
//! no such chain, it holds for all texts, by coinduction. Tokens are short, so labels that are longer than any token do
//! not distinguish. Source: R. Milner, "An algebraic definition of simulation between programs" (1971).
//!
//! Ends of texts are compared as well as transitions. If the deltas of the rule are sets of tokens, less is needed:
//! where the smaller state may end, the larger must not continue with a FOLLOW byte of the rule.
//!
//! Invariant: pairs are visited in the order of the states, so the result does not depend on the number of threads.
//! Cost: O(pairs times byte classes), up to a limit, beyond which a pair is taken not to hold.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::rule_steps::{Arrived, RuleSteps};
use crate::graph::Lists;

/// The distance of a pair that holds for all texts.
const ENDLESS: u32 = u32::MAX;

/// The most arrivals that one is compared with.
const MOST_COMPARED: usize = 1 << 3;

/// A far state and its exit.
type FarExit = (u32, u32);

/// A pair to verify, the larger first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SimulationPair {
    /// Count-dependent states: they make the same increments, with exits that differ from staying by the same.
    States(u32, u32),
    /// Pairs of a far state and its exit: the same texts distinguish them.
    Exits(FarExit, FarExit),
}

impl SimulationPair {
    /// Whether the pair holds trivially: a state with itself, or exits that equal their far states.
    fn is_plain(self) -> bool {
        match self {
            Self::States(larger, smaller) => larger == smaller,
            Self::Exits(larger, smaller) => {
                larger == smaller || larger.0 == larger.1 && smaller.0 == smaller.1
            }
        }
    }
}

/// The pairs of one rule that were visited. No exit of the rule allows more than staying does.
pub(super) struct Simulation<'r, 'a> {
    steps: &'r RuleSteps<'a>,
    /// By state, whether it continues with a FOLLOW byte of the rule; for a rule whose deltas are sets of tokens.
    goes_on_after: Option<&'r [bool]>,
    /// By pair, the length of the shortest texts for which it does not hold.
    distances: FxHashMap<SimulationPair, u32>,
    /// Pairs that may still be visited.
    left: usize,
}

impl<'r, 'a> Simulation<'r, 'a> {
    /// Returns a simulation without pairs, and the most that it may visit. For a rule whose deltas are sets of tokens,
    /// `goes_on_after` has for each state whether it continues with a FOLLOW byte.
    pub(super) fn new(
        steps: &'r RuleSteps<'a>,
        goes_on_after: Option<&'r [bool]>,
        left: usize,
    ) -> Self {
        Self { steps, goes_on_after, distances: FxHashMap::default(), left }
    }

    /// Returns the number of pairs that were visited.
    pub(super) fn looked_at(&self) -> usize {
        self.distances.len()
    }

    /// Returns for each arrival the number of a maximal one that simulates it on texts of some length. O(arrivals times
    /// [`MOST_COMPARED`]).
    pub(super) fn largest(&mut self, arrivals: &[Arrived], length: u32) -> Vec<usize> {
        let mut by: Vec<usize> = (0..arrivals.len()).collect();
        let mut largest: Vec<usize> = Vec::new();
        for (at, &arrived) in arrivals.iter().enumerate() {
            // States are ordered so that the one before mostly simulates the next.
            let before = at.checked_sub(1).into_iter();
            let mut candidates = before.chain(largest.iter().copied().take(MOST_COMPARED));
            let larger =
                candidates.find(|&other| self.simulation(arrivals[other], arrived, length));
            if let Some(larger) = larger {
                by[at] = larger;
                continue;
            }
            let mut left = MOST_COMPARED;
            largest.retain(|&other| {
                left = left.saturating_sub(1);
                let is_covered = left > 0 && self.simulation(arrived, arrivals[other], length);
                if is_covered {
                    by[other] = at;
                }
                !is_covered
            });
            largest.push(at);
        }
        // The relation is transitive.
        for at in 0..by.len() {
            while by[by[at]] != by[at] {
                by[at] = by[by[at]];
            }
        }
        by
    }

    /// Whether `larger` simulates `smaller` on all strings of at most some length.
    fn simulation(&mut self, larger: Arrived, smaller: Arrived, length: u32) -> bool {
        let mut pairs = Vec::new();
        let holds = self.arrivals(larger, smaller, &mut pairs).is_some();
        holds && pairs.into_iter().all(|pair| self.distance(pair) > length)
    }

    /// Returns the length of the shortest texts for which a pair does not hold; 0 if no more pairs may be visited.
    fn distance(&mut self, pair: SimulationPair) -> u32 {
        if let Some(known) = self.known(pair) {
            return known;
        }
        let mut pairs: IndexSet<SimulationPair, FxBuildHasher> = IndexSet::from_iter([pair]);
        // The pairs that depend on each pair, and the pairs that fail for texts of some length by themselves.
        let mut onward: Vec<(u32, u32)> = Vec::new();
        let mut open: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        let mut rests_on = Vec::new();
        let mut number = 0;
        while let Some(&at) = pairs.get_index(number as usize) {
            let Some(left) = self.left.checked_sub(1) else { return 0 };
            self.left = left;
            match self.step(at, &mut rests_on) {
                None => open.push(Reverse((1, number))),
                Some(()) => {
                    for &other in &rests_on {
                        match self.known(other) {
                            Some(ENDLESS) => {}
                            Some(distance) => open.push(Reverse((distance + 1, number))),
                            None => onward.push((pairs.insert_full(other).0 as u32, number)),
                        }
                    }
                }
            }
            rests_on.clear();
            number += 1;
        }
        let onward = Lists::of_pairs(pairs.len(), onward.into_iter());
        let mut distances = vec![ENDLESS; pairs.len()];
        while let Some(Reverse((distance, at))) = open.pop() {
            if distances[at as usize] == ENDLESS {
                distances[at as usize] = distance;
                open.extend(onward.of(at as usize).iter().map(|&on| Reverse((distance + 1, on))));
            }
        }
        let found = distances[0];
        self.distances.extend(pairs.into_iter().zip(distances));
        found
    }

    /// Returns the distance of a pair that was visited.
    fn known(&self, pair: SimulationPair) -> Option<u32> {
        if pair.is_plain() { Some(ENDLESS) } else { self.distances.get(&pair).copied() }
    }

    /// Adds the pairs that a pair depends on. `None` if it fails at once.
    fn step(&self, pair: SimulationPair, open: &mut Vec<SimulationPair>) -> Option<()> {
        let steps = self.steps;
        match pair {
            SimulationPair::States(larger, smaller) => {
                let is_barred = |goes_on: &[bool]| goes_on[larger as usize];
                if steps.is_final(smaller) && self.goes_on_after.is_some_and(is_barred) {
                    return None;
                }
                for class in 0..steps.classes() {
                    if let Some(smaller) = steps.on(smaller, class) {
                        self.arrivals(steps.on(larger, class)?, smaller, open)?;
                    }
                }
            }
            SimulationPair::Exits(larger, smaller) => {
                let (far, exit) = (steps.is_final(smaller.0), steps.is_final(smaller.1));
                let may_end = (steps.is_final(larger.0), steps.is_final(larger.1));
                let is_distinguished = match self.goes_on_after {
                    Some(goes_on) => far && goes_on[larger.0 as usize],
                    None => exit && !far || far && may_end != (true, exit),
                };
                if is_distinguished {
                    return None;
                }
                let state = |arrived: Option<Arrived>| arrived.map(|arrived| arrived.state);
                for class in 0..steps.classes() {
                    let on = |pair: FarExit| {
                        (state(steps.on(pair.0, class)), state(steps.on(pair.1, class)))
                    };
                    match (on(smaller), on(larger)) {
                        ((None, None), _) | ((Some(_), None), (Some(_), None)) => {}
                        ((Some(far), Some(exit)), (Some(larger), Some(its))) => {
                            open.push(SimulationPair::Exits((larger, its), (far, exit)));
                        }
                        _ => return None,
                    }
                }
            }
        }
        Some(())
    }

    /// Adds the pairs that two arrivals depend on. `None` if they fail at once.
    fn arrivals(
        &self,
        larger: Arrived,
        smaller: Arrived,
        open: &mut Vec<SimulationPair>,
    ) -> Option<()> {
        if larger.is_set || smaller.is_set {
            return (larger.is_set && smaller.is_set).then_some(());
        }
        let steps = self.steps;
        let pair = |arrived: Arrived, exit: u32| (arrived.state, steps.arrival(exit).state);
        match (larger.exit, smaller.exit) {
            (None, None) => {}
            (Some(its), Some(exit)) => {
                open.push(SimulationPair::Exits(pair(larger, its), pair(smaller, exit)));
            }
            _ => return None,
        }
        match (steps.is_count_dependent(larger.state), steps.is_count_dependent(smaller.state)) {
            (true, true) => open.push(SimulationPair::States(larger.state, smaller.state)),
            (false, false) => {}
            _ => return None,
        }
        Some(())
    }
}
