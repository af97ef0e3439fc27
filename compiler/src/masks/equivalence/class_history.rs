//! The equivalence classes of states after each round of a partition refinement. Two states share a class after round
//! `k` only if they are equivalent on all strings of at most `k` bytes.

use grammarc_artifacts::sections::network::NONE;
use smallvec::SmallVec;

use crate::automata::ALONE;

/// A change of a state's equivalence class in a partition refinement: from some round on, the state is in another
/// class.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// The first round after which the state is in the class `class`. Round 0 is the initial partition.
    round: u32,
    /// Id of the class of the state after `round`, until its next change of class.
    class: u32,
}

/// The equivalence class of one state after each round of a partition refinement, until the state is alone in its
/// class. States in one class after round `k` are equivalent on all strings of at most `k` bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassHistory {
    /// The state's first class and its changes of class, in ascending order of their rounds.
    changes: SmallVec<[Change; 3]>,
    /// Number of rounds of the refinement, from the first on, after which the state shared its class with another
    /// state.
    rounds: u32,
}

impl ClassHistory {
    /// Returns the history of a state that is in the class `class` after every round of a partition refinement.
    pub(crate) fn new(class: u32) -> Self {
        Self { changes: SmallVec::from_slice(&[Change { round: 0, class }]), rounds: u32::MAX }
    }

    /// Records that the state is in the class `class` after the round `round` and later. Rounds have to be recorded in
    /// ascending order.
    pub(crate) fn change(&mut self, round: usize, class: u32) {
        self.changes.push(Change { round: round as u32, class });
    }

    /// Ends this history of equivalence classes: from round `rounds` on, nothing is known of the state's class.
    pub(crate) fn end(&mut self, rounds: usize) {
        self.rounds = self.rounds.min(rounds as u32);
    }

    /// Returns the number of rounds after which the state still shared its equivalence class with another state.
    #[inline]
    pub(crate) fn rounds(&self) -> usize {
        self.rounds as usize
    }

    /// Returns the state's equivalence class after the round `round` of the refinement. `None` if the history has ended
    /// before.
    #[inline]
    pub(crate) fn class(&self, round: usize) -> Option<u32> {
        let known = round < self.rounds();
        let last = self.changes.iter().rfind(|change| change.round as usize <= round);
        last.filter(|_| known).map(|change| change.class)
    }

    /// Returns the state's equivalence class after the last round of its history. `None` if the state was alone in its
    /// class from the beginning.
    pub(crate) fn last(&self) -> Option<u32> {
        self.changes.last().map(|change| change.class)
    }

    /// Returns the number of rounds after which two states shared an equivalence class. Classes are only ever split, so
    /// states once separated stay separated. O(changes).
    pub(crate) fn common_rounds(&self, other: &Self) -> usize {
        let most = self.rounds.min(other.rounds);
        let (mut one, mut other) = (&self.changes[..], &other.changes[..]);
        let mut round = 0;
        while let ([a, ..], [b, ..]) = (one, other) {
            if a.class != b.class {
                return round.min(most) as usize;
            }
            let next = |changes: &[Change]| changes.get(1).map_or(u32::MAX, |next| next.round);
            let (after, other_after) = (next(one), next(other));
            round = after.min(other_after);
            if round >= most {
                break;
            }
            if after == round {
                one = &one[1..];
            }
            if other_after == round {
                other = &other[1..];
            }
        }
        most as usize
    }
}

/// The equivalence classes of the states with rows in the transition table, after each round of a partition refinement.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    /// For each row of the transition table, the class history of its state. Empty for a state that never shared a
    /// class.
    all: Vec<ClassHistory>,
    /// Number of rounds of the refinement so far. The initial partition is one of them.
    count: usize,
    /// Whether the refinement has reached its fixpoint: no later round would change the class of a state.
    is_fixpoint: bool,
}

impl Rounds {
    /// Returns the initial partition of `rows` states in which each state is alone in its class.
    pub(crate) fn alone(rows: usize) -> Self {
        Self { all: vec![ClassHistory::default(); rows], count: 1, is_fixpoint: false }
    }

    /// Begins a refinement with an initial partition. `classes` has, for each row of the transition table, the class of
    /// its state.
    pub(crate) fn new(classes: impl Iterator<Item = u32>) -> Self {
        Self { all: classes.map(ClassHistory::new).collect(), count: 1, is_fixpoint: false }
    }

    /// Adds a round to the refinement. `changed` has the row and the new equivalence class of each state whose class
    /// changed. Returns the number of states that are alone in their class since this round.
    pub(crate) fn add(&mut self, changed: impl Iterator<Item = (u32, u32)>) -> usize {
        let mut alone = 0;
        for (row, class) in changed {
            let history = &mut self.all[row as usize];
            if class & ALONE != 0 {
                history.end(self.count);
                alone += 1;
            } else {
                history.change(self.count, class);
            }
        }
        self.count += 1;
        alone
    }

    /// Records that the refinement has reached its fixpoint: no later round would change the class of a state.
    pub(crate) fn end_at_fixpoint(&mut self) {
        self.is_fixpoint = true;
    }

    /// Ends the class histories of all states. The refinement makes no further rounds, so states count as not
    /// equivalent on longer strings.
    pub(crate) fn end(&mut self) {
        self.all.iter_mut().for_each(|history| history.end(self.count));
    }
}

/// The class histories of those states of a grammar that have rows in the transition table.
#[derive(Debug, Default)]
pub(crate) struct ClassHistories {
    /// Id of the first state of the grammar itself. States with lower ids belong to the vocabulary.
    base: u32,
    /// For each state of the grammar itself, by index from the first such state, its row in the transition table, or
    /// [`NONE`].
    row_of: Vec<u32>,
    /// For each row of the transition table, the equivalence class of its state after each round.
    rounds: Rounds,
}

impl ClassHistories {
    /// Combines the rounds of a partition refinement with the states' rows of the transition table. `base` is the id of
    /// the grammar's first state. `row_of` has, for each state of the grammar by index, its row, or [`NONE`].
    pub(crate) fn new(base: u32, row_of: Vec<u32>, rounds: Rounds) -> Self {
        Self { base, row_of, rounds }
    }

    /// Returns the number of rounds of the partition refinement, if no later round would change a class. `None` if the
    /// refinement was stopped before.
    pub(crate) fn fixpoint(&self) -> Option<usize> {
        self.rounds.is_fixpoint.then_some(self.rounds.count)
    }

    /// Returns the row of a state in the transition table. `None` for a state of the vocabulary's rules or a state
    /// without a row.
    #[inline]
    pub(crate) fn row_of(&self, state: u32) -> Option<u32> {
        let index = state.checked_sub(self.base)?;
        self.row_of.get(index as usize).copied().filter(|&row| row != NONE)
    }

    /// Returns the class history of a state. `None` if the state has no row of the transition table.
    fn of(&self, state: u32) -> Option<&ClassHistory> {
        Some(&self.rounds.all[self.row_of(state)? as usize])
    }

    /// Returns the id of a state's equivalence class. Its members are the states of the grammar known to be equivalent
    /// on strings of at most `length` bytes. A state without a row of the transition table has a class of its own.
    #[inline]
    pub(crate) fn class(&self, state: u32, length: usize) -> u32 {
        let class = self.of(state).and_then(|history| {
            let is_fixpoint = self.fixpoint() == Some(history.rounds());
            history.class(length).or_else(|| history.last().filter(|_| is_fixpoint))
        });
        class.unwrap_or(ALONE | (state - self.base))
    }

    /// Returns the greatest number of bytes for which two states of the grammar are known to be equivalent.
    /// `usize::MAX` if they are equivalent for all lengths. `None` if they are not known to be equivalent on the empty
    /// string.
    pub(crate) fn length(&self, one: u32, other: u32) -> Option<usize> {
        let same = match (self.row_of(one), self.row_of(other)) {
            _ if one == other => usize::MAX,
            (Some(one), Some(other)) => self.same(one, other),
            _ => 0,
        };
        if same == usize::MAX { Some(same) } else { same.checked_sub(1) }
    }

    /// Returns a string length in bytes: the states of two rows of the transition table are known to be equivalent on
    /// all shorter strings. `usize::MAX` if they are equivalent on all strings, 0 if not even on the empty string.
    pub(crate) fn same(&self, one: u32, other: u32) -> usize {
        if one == other {
            return usize::MAX;
        }
        let all = &self.rounds.all;
        let same = all[one as usize].common_rounds(&all[other as usize]);
        let is_forever = self.fixpoint() == Some(same);
        if is_forever { usize::MAX } else { same }
    }

    /// Returns the number of rounds after which a state of the grammar still shared its equivalence class with another
    /// state.
    #[cfg(test)]
    pub(crate) fn rounds(&self, state: u32) -> usize {
        self.of(state).map_or(0, ClassHistory::rounds)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn changes_encode_the_classes_of_all_rounds(
            changes in prop::collection::vec((1u32..5, 0u32..3), 0..6),
            others in prop::collection::vec((1u32..5, 0u32..3), 0..6),
            rounds in 0usize..20,
            other_rounds in 0usize..20,
        ) {
            let built = |changes: &[(u32, u32)], rounds: usize| {
                let (mut history, mut classes) = (ClassHistory::new(7), vec![7]);
                for &(later, class) in changes {
                    classes.resize(classes.len() + later as usize - 1, *classes.last().unwrap());
                    history.change(classes.len(), class);
                    classes.push(class);
                }
                classes.resize(classes.len().max(rounds), *classes.last().unwrap());
                classes.truncate(rounds);
                history.end(rounds);
                (history, classes)
            };
            let (one, classes) = built(&changes, rounds);
            let (other, other_classes) = built(&others, other_rounds);
            prop_assert_eq!(one.rounds(), rounds);
            for round in 0..25 {
                prop_assert_eq!(one.class(round), classes.get(round).copied());
            }
            let pairs = classes.iter().zip(&other_classes);
            prop_assert_eq!(one.common_rounds(&other), pairs.take_while(|(a, b)| a == b).count());
        }
    }
}
