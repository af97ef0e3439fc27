//! The classes of a state after each round of an agreement.
//!
//! A class keeps its number but for the states that leave it, so what is kept of a state is when its class changed: an
//! entry or two for a place of a chain, whatever the number of rounds.

use smallvec::SmallVec;

/// From a round on, the class of a state.
#[derive(Clone, Copy, Debug)]
struct Change {
    round: u32,
    class: u32,
}

/// The classes of a state, as far as it was not alone.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// In ascending order.
    changes: SmallVec<[Change; 3]>,
    /// The number of rounds.
    rounds: u32,
}

impl History {
    /// Of a state that begins in a class, and is in one to the end if nothing else is said.
    pub(super) fn new(class: u32) -> Self {
        Self { changes: SmallVec::from_slice(&[Change { round: 0, class }]), rounds: u32::MAX }
    }

    /// From a later round on the state is in another class.
    pub(super) fn change(&mut self, round: usize, class: u32) {
        self.changes.push(Change { round: round as u32, class });
    }

    /// There are no more rounds than these.
    pub(super) fn end(&mut self, rounds: usize) {
        self.rounds = self.rounds.min(rounds as u32);
    }

    /// The number of rounds in which the state was not alone.
    #[inline]
    pub(super) fn rounds(&self) -> usize {
        self.rounds as usize
    }

    /// The class after a round.
    #[inline]
    pub(super) fn class(&self, round: usize) -> Option<u32> {
        let known = round < self.rounds();
        let last = self.changes.iter().rfind(|change| change.round as usize <= round);
        last.filter(|_| known).map(|change| change.class)
    }

    /// The class after the last round.
    pub(super) fn last(&self) -> Option<u32> {
        self.changes.last().map(|change| change.class)
    }

    /// The number of rounds after which two states were in one class. Classes are only ever split, so once apart is for
    /// good. O(changes).
    pub(super) fn alike(&self, other: &Self) -> usize {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn changes_stand_for_the_classes_of_all_rounds(
            changes in prop::collection::vec((1u32..5, 0u32..3), 0..6),
            others in prop::collection::vec((1u32..5, 0u32..3), 0..6),
            rounds in 0usize..20,
            other_rounds in 0usize..20,
        ) {
            let built = |changes: &[(u32, u32)], rounds: usize| {
                let (mut history, mut classes) = (History::new(7), vec![7]);
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
            prop_assert_eq!(one.alike(&other), pairs.take_while(|(a, b)| a == b).count());
        }
    }
}
