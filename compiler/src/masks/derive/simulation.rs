//! States that do what another one does for as long as they go on: a simulation preorder on the states of a rule.
//!
//! With three words left a state does on every text of three words what one with thirty left does. The walk of the second
//! notes all that the walk of the first would, and besides that only what lies behind texts on which the first does not go
//! on, so outside of its mask. Of states that first bytes lead to, only the largest are walked.
//!
//! A pair holds for texts that are shorter than the shortest chain of steps to a pair that fails in its first step, and where there
//! is no such chain for all, by coinduction. Tokens are short: letters of a label that no token has tell nothing.
//! Source: R. Milner, "An algebraic definition of simulation between programs" (1971).
//!
//! Ends of texts are compared as well as their steps, but for a rule whose deltas are of tokens alone: there the larger state has only
//! not to go on, where the smaller may end, with a byte that may come after the rule.
//!
//! Invariant: pairs are looked for in the order of the states, so the same are found on any number of threads. Cost:
//! O(pairs times classes of bytes), up to a limit, behind which a pair is taken not to hold.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::rule_steps::{Arrived, RuleSteps};
use crate::graph::Lists;

/// The distance of a pair that holds for all texts.
const ENDLESS: u32 = u32::MAX;

/// Arrivals that one is compared with.
const MOST_COMPARED: usize = 1 << 3;

/// A far state and the state behind the exit that it gives way to.
type FarExit = (u32, u32);

/// A pair, the larger first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SimulationPair {
    /// Of count-dependent states: they make the same increments, with exits that tell the same.
    States(u32, u32),
    /// Of pairs: the same texts tell the exit from going on.
    Exits(FarExit, FarExit),
}

impl SimulationPair {
    /// Whether nothing is claimed: of one with itself, and of exits that are no others.
    fn is_plain(self) -> bool {
        match self {
            Self::States(larger, smaller) => larger == smaller,
            Self::Exits(larger, smaller) => {
                larger == smaller || larger.0 == larger.1 && smaller.0 == smaller.1
            }
        }
    }
}

/// The pairs of one rule that were looked at. No exit of the rule does more than going on does.
pub(super) struct Simulation<'r, 'a> {
    steps: &'r RuleSteps<'a>,
    /// By state, whether it goes on with a byte that may come after the rule; of a rule whose deltas are of tokens alone.
    goes_on_after: Option<&'r [bool]>,
    /// By pair, the length of the shortest texts for which it does not hold.
    distances: FxHashMap<SimulationPair, u32>,
    /// Pairs that may still be looked at.
    left: usize,
}

impl<'r, 'a> Simulation<'r, 'a> {
    /// No pairs yet, and how many may be looked at; of a rule whose deltas are of tokens alone, by state whether it goes on with a byte
    /// that may come after the rule.
    pub(super) fn new(
        steps: &'r RuleSteps<'a>,
        goes_on_after: Option<&'r [bool]>,
        left: usize,
    ) -> Self {
        Self { steps, goes_on_after, distances: FxHashMap::default(), left }
    }

    /// Number of pairs that were looked at.
    pub(super) fn looked_at(&self) -> usize {
        self.distances.len()
    }

    /// By arrival, the number of one that simulation it and that no other one simulation, on texts of some length. O(arrivals times
    /// [`MOST_COMPARED`]).
    pub(super) fn largest(&mut self, arrivals: &[Arrived], length: u32) -> Vec<usize> {
        let mut by: Vec<usize> = (0..arrivals.len()).collect();
        let mut largest: Vec<usize> = Vec::new();
        for (at, &arrived) in arrivals.iter().enumerate() {
            // States come in an order in which the one before mostly does more.
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

    /// Whether one arrival with many increments left does what another does, for as long as that goes on, on texts of some length.
    fn simulation(&mut self, larger: Arrived, smaller: Arrived, length: u32) -> bool {
        let mut pairs = Vec::new();
        let holds = self.arrivals(larger, smaller, &mut pairs).is_some();
        holds && pairs.into_iter().all(|pair| self.distance(pair) > length)
    }

    /// The length of the shortest texts for which a pair does not hold; 0 where no more may be looked at.
    fn distance(&mut self, pair: SimulationPair) -> u32 {
        if let Some(known) = self.known(pair) {
            return known;
        }
        let mut pairs: IndexSet<SimulationPair, FxBuildHasher> = IndexSet::from_iter([pair]);
        // From a pair to those that rest on it, and pairs that fail for texts of some length whatever others do.
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

    /// The distance of a pair that was looked at.
    fn known(&self, pair: SimulationPair) -> Option<u32> {
        if pair.is_plain() { Some(ENDLESS) } else { self.distances.get(&pair).copied() }
    }

    /// Adds the pairs that a pair rests on; none where it fails at once.
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
                let is_told = match self.goes_on_after {
                    Some(goes_on) => far && goes_on[larger.0 as usize],
                    None => exit && !far || far && may_end != (true, exit),
                };
                if is_told {
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

    /// Adds the pairs that one of two arrivals rests on; none where it fails at once.
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
