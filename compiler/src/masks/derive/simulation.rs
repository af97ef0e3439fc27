//! A simulation preorder on the count-dependent states of a rule. A state simulates another if it accepts every string
//! that the other accepts.
//!
//! Take a rule that counts words. With three words left, a state accepts a string of three words if it does with thirty
//! words left. So the walk with thirty words left records everything that the walk with three would. Its other records
//! lie after strings without a continuation from the state with three words left, and so outside of that state's mask.
//! Hence of the states after one first byte, only the largest in the preorder are walked.
//!
//! The *distance* of a pair is the length of the shortest chain of transitions to a pair that fails at once. The pair
//! holds for all strings shorter than its distance. Without such a chain it holds for all strings, by coinduction.
//! Tokens are short, so a chain longer than any token does not matter. Source: R. Milner, "An algebraic definition of
//! simulation between programs" (1971).
//!
//! Ends of strings are compared as well as transitions. If the near-bound deltas of the rule are only sets of tokens,
//! less is needed. If the smaller state is final, the larger must not continue with a FOLLOW byte of the rule.
//!
//! Invariant: pairs are visited in the order of the states, so the result does not depend on the number of threads.
//! Cost: O(pairs times byte classes), up to a limit, beyond which a pair is taken not to hold.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::rule_steps::{Arrived, RuleSteps};
use crate::graph::Lists;

/// The distance of a claim of simulation that holds on strings of every length. Other claims hold on all strings of
/// fewer bytes than their distance.
const ENDLESS: u32 = u32::MAX;

/// The most maximal arrivals (targets after register updates) with which each arrival is compared. Beyond this limit an
/// arrival counts as maximal itself and costs one more walk.
const MOST_COMPARED: usize = 1 << 3;

/// A far state (counter far from its bound) and its exit (state at the counter's bound). Both are indexes within the
/// rule.
type FarExit = (u32, u32);

/// A claim of simulation to verify: the larger side accepts every string that the smaller accepts. The larger comes
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SimulationPair {
    /// Two count-dependent states (masks change near a bound). On all strings of the smaller, the larger makes the same
    /// increments. At each increment, [`Exits`](Self::Exits) relates the two exits (states at the counter's bound).
    States(u32, u32),
    /// Two pairs of a far state (counter far from its bound) and its exit (state at the counter's bound). Strings that
    /// distinguish the smaller far state from its exit also distinguish the larger far state from its exit.
    Exits(FarExit, FarExit),
}

impl SimulationPair {
    /// Whether the claim of simulation holds trivially: both sides are equal, or each exit equals its far state
    /// (counter far from its bound).
    fn is_plain(self) -> bool {
        match self {
            Self::States(larger, smaller) => larger == smaller,
            Self::Exits(larger, smaller) => {
                larger == smaller || larger.0 == larger.1 && smaller.0 == smaller.1
            }
        }
    }
}

/// The claims of simulation between states of one rule that are verified so far. No exit (state at the counter's bound)
/// of the rule may accept more than its far state.
pub(super) struct Simulation<'r, 'a> {
    /// The transitions of the rule, with what each does to the counter.
    steps: &'r RuleSteps<'a>,
    /// For each state of the rule, whether it continues with a FOLLOW byte of the rule. `None` if near-bound masks of
    /// the rule differ from the unbounded ones in exits (nodes where the rule returns) too, and not only in tokens.
    goes_on_after: Option<&'r [bool]>,
    /// Maps each verified claim that one state simulates another (accepts all its strings) to its distance. The claim
    /// holds for all strings of fewer bytes.
    distances: FxHashMap<SimulationPair, u32>,
    /// The number of further claims of simulation that may be visited. Such a claim says that one state accepts every
    /// string of another.
    left: usize,
}

impl<'r, 'a> Simulation<'r, 'a> {
    /// Returns a simulation without verified claims, which may visit at most `left` claims. If near-bound masks of the
    /// rule differ from the unbounded ones only in tokens, `goes_on_after` is given. It has for each state whether it
    /// continues with a FOLLOW byte of the rule.
    pub(super) fn new(
        steps: &'r RuleSteps<'a>,
        goes_on_after: Option<&'r [bool]>,
        left: usize,
    ) -> Self {
        Self { steps, goes_on_after, distances: FxHashMap::default(), left }
    }

    /// Returns the number of claims of simulation with a known distance.
    pub(super) fn looked_at(&self) -> usize {
        self.distances.len()
    }

    /// Returns, for each arrival (target after register updates), the index of a maximal arrival. The maximal arrival
    /// simulates it on all strings of up to `length` bytes. O(arrivals times [`MOST_COMPARED`]).
    pub(super) fn largest(&mut self, arrivals: &[Arrived], length: u32) -> Vec<usize> {
        let mut by: Vec<usize> = (0..arrivals.len()).collect();
        let mut largest: Vec<usize> = Vec::new();
        for (at, &arrived) in arrivals.iter().enumerate() {
            // The states are ordered so that an arrival mostly simulates the next one.
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
        // The relation is transitive, so chains of simulations are followed to their end.
        for at in 0..by.len() {
            while by[by[at]] != by[at] {
                by[at] = by[by[at]];
            }
        }
        by
    }

    /// Whether the arrival `larger` simulates `smaller` on all strings of at most `length` bytes. An arrival is the
    /// target of a transition, after register updates.
    fn simulation(&mut self, larger: Arrived, smaller: Arrived, length: u32) -> bool {
        let mut pairs = Vec::new();
        let holds = self.arrivals(larger, smaller, &mut pairs).is_some();
        holds && pairs.into_iter().all(|pair| self.distance(pair) > length)
    }

    /// Returns the distance of a claim of simulation, at least 1: the claim holds for all strings of fewer bytes.
    /// Returns 0 if no more claims may be visited.
    fn distance(&mut self, pair: SimulationPair) -> u32 {
        if let Some(known) = self.known(pair) {
            return known;
        }
        let mut pairs: IndexSet<SimulationPair, FxBuildHasher> = IndexSet::from_iter([pair]);
        // For each pair, the pairs that depend on it; and a queue of the pairs with a known distance, the least first.
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

    /// Returns the distance of a claim of simulation that is trivial or was verified before: it holds for all strings
    /// of fewer bytes. `None` if the distance is not known.
    fn known(&self, pair: SimulationPair) -> Option<u32> {
        if pair.is_plain() { Some(ENDLESS) } else { self.distances.get(&pair).copied() }
    }

    /// Adds to `open` the claims of simulation, one byte later, on which the claim `pair` depends. `None` if the claim
    /// fails at once.
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

    /// Adds to `open` the claims on which a simulation of the arrival `smaller` by `larger` depends. An arrival is the
    /// target of a transition, after register updates. `None` if the simulation fails at once.
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
