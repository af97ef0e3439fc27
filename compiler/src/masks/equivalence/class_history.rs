//! The classes of states after each round of a partition refinement.

use grammarc_artifacts::sections::network::NONE;
use smallvec::SmallVec;

use crate::automata::ALONE;

/// From a round on, the class of a state.
#[derive(Clone, Copy, Debug)]
struct Change {
    round: u32,
    class: u32,
}

/// The classes of a state, as far as it was not alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassHistory {
    /// In ascending order.
    changes: SmallVec<[Change; 3]>,
    /// The number of rounds.
    rounds: u32,
}

impl ClassHistory {
    /// Of a state that begins in a class, and is in one to the end if nothing else is said.
    pub(crate) fn new(class: u32) -> Self {
        Self { changes: SmallVec::from_slice(&[Change { round: 0, class }]), rounds: u32::MAX }
    }

    /// From a later round on the state is in another class.
    pub(crate) fn change(&mut self, round: usize, class: u32) {
        self.changes.push(Change { round: round as u32, class });
    }

    /// There are no more rounds than these.
    pub(crate) fn end(&mut self, rounds: usize) {
        self.rounds = self.rounds.min(rounds as u32);
    }

    /// The number of rounds in which the state was not alone.
    #[inline]
    pub(crate) fn rounds(&self) -> usize {
        self.rounds as usize
    }

    /// The class after a round.
    #[inline]
    pub(crate) fn class(&self, round: usize) -> Option<u32> {
        let known = round < self.rounds();
        let last = self.changes.iter().rfind(|change| change.round as usize <= round);
        last.filter(|_| known).map(|change| change.class)
    }

    /// The class after the last round.
    pub(crate) fn last(&self) -> Option<u32> {
        self.changes.last().map(|change| change.class)
    }

    /// The number of rounds after which two states were in one class. Classes are only ever split, so once apart is for
    /// good. O(changes).
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

/// The classes of states with rows, round by round.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    /// By row. A state that was never in a class with others has none.
    all: Vec<ClassHistory>,
    count: usize,
    /// Whether the last round is like all that would follow.
    is_fixpoint: bool,
}

impl Rounds {
    /// Each of so many states is alone.
    pub(crate) fn alone(rows: usize) -> Self {
        Self { all: vec![ClassHistory::default(); rows], count: 1, is_fixpoint: false }
    }

    /// The first classes, by row.
    pub(crate) fn new(classes: impl Iterator<Item = u32>) -> Self {
        Self { all: classes.map(ClassHistory::new).collect(), count: 1, is_fixpoint: false }
    }

    /// One more round: the rows of the states that it changed, and their classes. Returns how many are alone now.
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

    /// Marks the last round as a fixpoint: no later round would change anything.
    pub(crate) fn end_at_fixpoint(&mut self) {
        self.is_fixpoint = true;
    }

    /// There are no more rounds.
    pub(crate) fn end(&mut self) {
        self.all.iter_mut().for_each(|history| history.end(self.count));
    }
}

/// The classes of some own states, each of which has a row.
#[derive(Debug, Default)]
pub(crate) struct ClassHistories {
    base: u32,
    /// By index of the own state, its row, or [`NONE`].
    row_of: Vec<u32>,
    rounds: Rounds,
}

impl ClassHistories {
    /// Of own states, the first of which is `base`, by the index of each its row, or [`NONE`].
    pub(crate) fn new(base: u32, row_of: Vec<u32>, rounds: Rounds) -> Self {
        Self { base, row_of, rounds }
    }

    /// The number of rounds, where the last is like all that would follow.
    pub(crate) fn fixpoint(&self) -> Option<usize> {
        self.rounds.is_fixpoint.then_some(self.rounds.count)
    }

    /// The row of an own state.
    #[inline]
    pub(crate) fn row_of(&self, state: u32) -> Option<u32> {
        let index = state.checked_sub(self.base)?;
        self.row_of.get(index as usize).copied().filter(|&row| row != NONE)
    }

    fn of(&self, state: u32) -> Option<&ClassHistory> {
        Some(&self.rounds.all[self.row_of(state)? as usize])
    }

    /// A number that an own state shares with those that do the same for `length` bytes.
    #[inline]
    pub(crate) fn class(&self, state: u32, length: usize) -> u32 {
        let class = self.of(state).and_then(|history| {
            let is_fixpoint = self.fixpoint() == Some(history.rounds());
            history.class(length).or_else(|| history.last().filter(|_| is_fixpoint))
        });
        class.unwrap_or(ALONE | (state - self.base))
    }

    /// The most bytes for which two own states are known to do the same; none where they differ from the first.
    pub(crate) fn length(&self, one: u32, other: u32) -> Option<usize> {
        let same = match (self.row_of(one), self.row_of(other)) {
            _ if one == other => usize::MAX,
            (Some(one), Some(other)) => self.same(one, other),
            _ => 0,
        };
        if same == usize::MAX { Some(same) } else { same.checked_sub(1) }
    }

    /// The states of two rows are known to do the same with all strings of fewer bytes than this.
    pub(crate) fn same(&self, one: u32, other: u32) -> usize {
        if one == other {
            return usize::MAX;
        }
        let all = &self.rounds.all;
        let same = all[one as usize].common_rounds(&all[other as usize]);
        let is_forever = self.fixpoint() == Some(same);
        if is_forever { usize::MAX } else { same }
    }

    /// The number of rounds in which an own state was not alone.
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
