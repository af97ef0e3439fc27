//! Pairs of a far state and its exit, and the length of the strings that distinguish the two. In a *far state*, a
//! counter is far from its bound. At the counter's last increment the rule continues in the *exit* instead of the far
//! state. The pairs are the states of the product of the rule with itself that are reachable from such a pair.
//!
//! The *distance* of a pair is the length of the shortest distinguishing string (E. F. Moore). Only one of the two can
//! read that string, or is final after it. In a subtree of the trie lower than the distance both are equal.
//!
//! Cost: O(pairs times byte classes), once for each rule.

use rustc_hash::FxHashMap;

use super::rule_steps::RuleSteps;

/// The transition on a byte class of a pair: a far state (counter far from its bound) and its exit (state at the
/// counter's bound).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Both states of the pair continue, to the two states of the pair with this index.
    Pair(u32),
    /// Both states of the pair reach the same state, or neither continues.
    Same,
    /// Only the far state (counter far from its bound) of the pair continues, not its exit (state at the counter's
    /// bound).
    Ends,
    /// Only the exit (state at the counter's bound) continues, in this state of the rule.
    Alone(u32),
}

/// All pairs of a far state (counter far from its bound) and its exit (state at the counter's bound) in one rule. Also
/// all pairs of states that such a pair reaches on equal bytes.
pub(super) struct Pairs {
    /// Maps a pair of states, by their indexes within the rule, to the index of the pair. The first is a far state
    /// (counter far from its bound), the second its exit (state at the counter's bound).
    numbers: FxHashMap<(u32, u32), u32>,
    /// For each pair of states and each byte class of the rule, the transition of the pair.
    steps: Vec<Step>,
    /// The number of byte classes of the rule: the bytes of a class have equal transitions.
    classes: usize,
    /// For each pair of states, the length in bytes of the shortest distinguishing string. Only one of the two states
    /// can read it, or is final after it. `u32::MAX` if there is none.
    distances: Vec<u32>,
    /// For each pair, whether the far state (counter far from its bound) is final, and whether its exit (state at the
    /// counter's bound) is final.
    ends: Vec<(bool, bool)>,
    /// The least distance of all pairs: the length in bytes of the shortest string that distinguishes the states of a
    /// pair. `u32::MAX` if there is none.
    pub(super) least: u32,
    /// Whether some exit (state at the counter's bound) does more than its far state (counter far from its bound). An
    /// exit does more if it continues on a byte or is final where the far state is not.
    pub(super) adds: bool,
    /// Whether some far state (counter far from its bound) is final while its exit (state at the counter's bound) is
    /// not final, but continues.
    pub(super) keeps: bool,
}

impl Pairs {
    /// Builds the pairs of all far states of a rule with their exits, and all pairs that these reach on equal bytes. In
    /// a far state the counter is far from its bound. The exit replaces it at the bound.
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

    /// Returns the number of pairs. These are the far states (counter far from its bound) with their exits (states at
    /// the counter's bound), and all pairs that they reach.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the index of the pair of a far state (counter far from its bound) and its exit (state at the counter's
    /// bound). Both are given by their indexes within the rule. Panics if the two are no pair.
    pub(super) fn number(&self, pair: (u32, u32)) -> u32 {
        self.numbers[&pair]
    }

    /// Returns whether the far state (counter far from its bound) of a pair is final, and whether its exit (state at
    /// the counter's bound) is final. `pair` is the index of the pair.
    pub(super) fn ends(&self, pair: u32) -> (bool, bool) {
        self.ends[pair as usize]
    }

    /// Returns the transition, on a byte class, of the pair of states with the index `pair`.
    #[inline]
    pub(super) fn on(&self, pair: u32, class: usize) -> Step {
        self.steps[pair as usize * self.classes + class]
    }

    /// Whether a string of at most `height` bytes distinguishes the two states of the pair with the index `pair`. Only
    /// one of them can read the string, or is final after it.
    #[inline]
    pub(super) fn may_tell(&self, pair: u32, height: usize) -> bool {
        self.distances[pair as usize] as usize <= height
    }
}

/// Returns for each pair of states the length in bytes of the shortest distinguishing string. Only one of the two can
/// read it, or is final after it. `u32::MAX` if there is none. `steps` has the transitions of all pairs, `classes` for
/// each, and `ends` whether their states are final. The search is breadth first and against the transitions, from the
/// pairs with distance 0 and 1.
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
