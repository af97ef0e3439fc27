//! Pairs of a far state and its exit: the product of the rule with itself, as far as such pairs reach, and the length
//! of the strings that distinguish them.
//!
//! The *distance* of a pair is the length of the shortest distinguishing string (E. F. Moore): one of the two continues
//! or may end after it and the other does not. In a subtree of the trie that is lower than the distance both are equal.
//!
//! Cost: O(pairs times byte classes), once for each rule.

use rustc_hash::FxHashMap;

use super::rule_steps::RuleSteps;

/// A transition of a pair on a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The pair of this number.
    Pair(u32),
    /// Both are equal from there on, or neither continues.
    Same,
    /// The exit does not continue.
    Ends,
    /// The exit alone continues, at this state.
    Alone(u32),
}

/// All pairs of a rule that some string may distinguish.
pub(super) struct Pairs {
    numbers: FxHashMap<(u32, u32), u32>,
    /// By pair and class, the step.
    steps: Vec<Step>,
    classes: usize,
    /// By pair, its distance; `u32::MAX` if no string distinguishes it.
    distances: Vec<u32>,
    /// By pair, whether the far state may end, and whether the exit may.
    ends: Vec<(bool, bool)>,
    /// The least distance.
    pub(super) least: u32,
    /// Whether some exit continues or may end where its far state does not.
    pub(super) adds: bool,
    /// Whether some exit continues and may not end where its far state may.
    pub(super) keeps: bool,
}

impl Pairs {
    /// Returns the pairs of a rule's arrivals, and those reachable from them.
    pub(super) fn new(rule: &RuleSteps<'_>) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut number = |pair: (u32, u32), pairs: &mut Vec<(u32, u32)>| {
            *numbers.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() as u32 - 1
            })
        };
        for at in (0..rule.len()).map(|state| rule.arrival(state)) {
            if let Some(exit) = at.exit {
                number((at.state, rule.arrival(exit).state), &mut pairs);
            }
        }
        let (mut steps, mut ends) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(&(far, near)) = pairs.get(at) {
            at += 1;
            ends.push((rule.is_final(far), rule.is_final(near)));
            for class in 0..rule.classes() {
                steps.push(match (rule.on(far, class), rule.on(near, class)) {
                    (None, None) => Step::Same,
                    (Some(_), None) => Step::Ends,
                    (None, Some(near)) => Step::Alone(near.state),
                    (Some(far), Some(near)) if far.state == near.state => Step::Same,
                    (Some(far), Some(near)) => {
                        Step::Pair(number((far.state, near.state), &mut pairs))
                    }
                });
            }
        }
        let classes = rule.classes();
        let distances = distances(&steps, classes, &ends);
        let least = distances.iter().copied().min().unwrap_or(u32::MAX);
        let adds = ends.contains(&(false, true))
            || steps.iter().any(|step| matches!(step, Step::Alone(_)));
        let keeps = ends.contains(&(true, false));
        Self { numbers, steps, classes, distances, ends, least, adds, keeps }
    }

    /// Returns the number of pairs.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the pair of a far state and its exit.
    pub(super) fn number(&self, pair: (u32, u32)) -> u32 {
        self.numbers[&pair]
    }

    /// Returns whether the far state may end, and whether the exit may.
    pub(super) fn ends(&self, pair: u32) -> (bool, bool) {
        self.ends[pair as usize]
    }

    /// Returns the transition of a pair on a byte class.
    #[inline]
    pub(super) fn on(&self, pair: u32, class: usize) -> Step {
        self.steps[pair as usize * self.classes + class]
    }

    /// Whether a string as long as a subtree is high may distinguish a pair.
    #[inline]
    pub(super) fn may_tell(&self, pair: u32, height: usize) -> bool {
        self.distances[pair as usize] as usize <= height
    }
}

/// Breadth first, against the transitions, from the pairs that differ at once.
fn distances(steps: &[Step], classes: usize, ends: &[(bool, bool)]) -> Vec<u32> {
    let rows = || (0..).zip(steps.chunks(classes.max(1)));
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); ends.len()];
    let mut distances = vec![u32::MAX; ends.len()];
    let (mut layer, mut next): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for (pair, row) in rows() {
        let (far, near) = ends[pair as usize];
        match far == near {
            false => layer.push(pair),
            true if row.iter().any(|step| matches!(step, Step::Ends | Step::Alone(_))) => {
                next.push(pair)
            }
            true => {}
        }
        for step in row {
            if let Step::Pair(to) = *step
                && before[to as usize].last() != Some(&pair)
            {
                before[to as usize].push(pair);
            }
        }
    }
    for distance in 0.. {
        let mut after = Vec::new();
        for pair in layer {
            if distances[pair as usize] == u32::MAX {
                distances[pair as usize] = distance;
                after.extend_from_slice(&before[pair as usize]);
            }
        }
        after.append(&mut next);
        if after.is_empty() {
            break;
        }
        layer = after;
    }
    distances
}
