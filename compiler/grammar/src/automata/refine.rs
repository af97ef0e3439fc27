//! Partition refinement by signatures, in rounds.
//!
//! The caller describes a state by a *signature*: a list of words, some of which are the classes of
//! other states. A round separates the states of a class whose signatures differ. After `k` rounds,
//! the states of a class agree on all strings of `k` symbols. Once no round changes a class, the
//! partition is the coarsest one that the signatures do not separate. Source: E. F. Moore,
//! "Gedanken-experiments on sequential machines", 1956.
//!
//! A round visits the states whose signatures contain a class that the last round changed. The
//! other states of a class stay equal to each other, and differ from the visited states. So the
//! visited states leave the class, in groups of equal signatures with new numbers. If all states
//! would leave, the largest group keeps the old number, and states whose signatures contain it need
//! no visit. The same is done in A. Valmari and P. Lehtinen, "Efficient Minimization of DFAs with
//! Partial Transition Functions", 2008, which does not separate rounds.
//!
//! A signature may also contain the class that a state of a lower *level* has after the same round.
//! Levels are visited in ascending order.
//!
//! Cost: O(size of the signatures of visited states). A chain of states costs one visit for each
//! state.

use crate::graph::Lists;
use crate::interner::Interner;

/// The bit that marks the number of a class with a single state. The other bits of the number are
/// the number of the state.
pub const ALONE: u32 = 1 << 31;

/// The value in `Refinement::next` of a state that the current round has not visited.
const UNVISITED: u32 = u32::MAX;

/// The value that denotes no group of states.
const NO_GROUP: u32 = u32::MAX;

/// A partition of states into classes, which is refined in rounds: states of a class with different
/// signatures are separated. A signature is a list of words that describes a state.
#[derive(Debug)]
pub struct Refinement {
    /// For each state, the number of its class before the current round.
    classes: Vec<u32>,
    /// For each state, the number of its class after the current round, or [`UNVISITED`].
    next: Vec<u32>,
    /// The numbers of the states that the current round has visited.
    visited: Vec<u32>,
    /// The states whose class the last round changed.
    changed: Vec<u32>,
    /// For each class, the number of its members, and how many of them leave the class in the
    /// current round.
    members: Vec<Members>,
    /// The groups of the current round: each has the visited states of one class that have equal
    /// signatures. A group that leaves its class becomes a new class, numbered after all existing
    /// classes.
    groups: Vec<Group>,
    /// An interner of the groups of the current round. The key of a group is its class before the
    /// round, followed by the signature of its states.
    signatures: Interner,
    /// For each state, the states whose signatures contain the state's class. These are visited
    /// after that class changes.
    dependents: Lists,
    /// The levels of the states, the order in which a round visits them. A signature may use the
    /// new classes of states at lower levels.
    levels: Levels,
    /// For each level, the states that have to be visited by the next round, or later in the
    /// current round.
    open: Vec<Vec<u32>>,
    /// For each state, whether it is in a list of `open`.
    is_open: Vec<bool>,
}

/// The levels of the states to be partitioned. A round visits lower levels first. So the signature
/// of a state may contain the classes that states at lower levels have after the round.
#[derive(Debug)]
pub struct Levels {
    /// For each state, its level, from 0.
    pub of: Vec<u32>,
    /// For each state, the states whose signatures contain the class that it has after the same
    /// round. Those states have a higher level.
    pub dependents: Lists,
}

/// The number of states in one class of the partition, and the changes of the class in the current
/// round.
#[derive(Clone, Copy, Debug)]
struct Members {
    /// The number of states in the class.
    count: u32,
    /// The number of states that the current round would move to other classes.
    leaving: u32,
    /// The number of the largest group (of states with equal signatures), if all states would leave
    /// the class. That group then keeps the class. [`NO_GROUP`] otherwise.
    largest: u32,
}

impl Members {
    /// Returns the record of a class with `count` states, of which none leaves yet.
    fn new(count: u32) -> Self {
        Self { count, leaving: 0, largest: NO_GROUP }
    }
}

/// A group of visited states that have the same class before the round and equal signatures.
#[derive(Debug)]
struct Group {
    /// The number of the class that the states have before the round.
    from: u32,
    /// The number of states in the group.
    count: u32,
}

/// Access to the classes of other states, for the computation of one state's signature.
#[derive(Clone, Copy, Debug)]
pub struct Classes<'a> {
    /// The partition, in the middle of a round.
    refinement: &'a Refinement,
    /// The level of the state whose signature is computed.
    level: u32,
}

impl Classes<'_> {
    /// Returns the number of the class that a state has before the current round.
    pub fn before(self, state: u32) -> u32 {
        self.refinement.class(state)
    }

    /// Returns the number of the class that a state has after the current round. Returns `None` if
    /// the state's level is not lower than the level of the state whose signature is computed.
    pub fn after(self, state: u32) -> Option<u32> {
        let Refinement { levels, next, .. } = self.refinement;
        let next = next[state as usize];
        (levels.of[state as usize] < self.level)
            .then(|| if next == UNVISITED { self.before(state) } else { next })
    }
}

impl Refinement {
    /// Creates a partition from the initial class of each state: a number, or [`ALONE`] combined
    /// with the state's number for a class of one state. `dependents` has, for each state, the
    /// states whose signatures contain its class.
    pub fn new(classes: Vec<u32>, dependents: Lists) -> Self {
        let levels = vec![0; classes.len()];
        let none = Lists::of_pairs(classes.len(), std::iter::empty());
        Self::with_levels(classes, dependents, Levels { of: levels, dependents: none })
    }

    /// Creates a partition like [`new`](Self::new), with `levels` as the levels of the states. The
    /// signature of a state may contain the class that a state of a lower level has after the same
    /// round.
    pub fn with_levels(classes: Vec<u32>, dependents: Lists, levels: Levels) -> Self {
        let shared = classes.iter().filter(|&class| class & ALONE == 0);
        let count = shared.max().map_or(0, |&highest| highest as usize + 1);
        let highest = levels.of.iter().max().map_or(0, |&highest| highest as usize);
        let mut this = Self {
            next: vec![UNVISITED; classes.len()],
            visited: Vec::new(),
            changed: Vec::new(),
            members: vec![Members::new(0); count],
            groups: Vec::new(),
            signatures: Interner::default(),
            dependents,
            levels,
            open: vec![Vec::new(); highest + 1],
            is_open: vec![false; classes.len()],
            classes,
        };
        for state in 0..this.classes.len() as u32 {
            if let Some(members) = this.members.get_mut(this.classes[state as usize] as usize) {
                members.count += 1;
                this.open(state);
            }
        }
        this
    }

    /// Marks a state to be visited by the next round, or by the current round at a higher level.
    fn open(&mut self, state: u32) {
        if !std::mem::replace(&mut self.is_open[state as usize], true) {
            self.open[self.levels.of[state as usize] as usize].push(state);
        }
    }

    /// Returns the number of the class of a state before the current round.
    pub fn class(&self, state: u32) -> u32 {
        self.classes[state as usize]
    }

    /// Returns the states whose classes the last round changed.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// Whether no further round would change a class.
    pub fn is_stable(&self) -> bool {
        self.open.iter().all(Vec::is_empty)
    }

    /// Performs one round: separates the states of each class whose signatures differ. `signature`
    /// appends the words that describe a state, and obtains the classes of other states from its
    /// second argument.
    ///
    /// # Errors
    ///
    /// The first error of `signature`. The partition must not be used afterwards.
    pub fn round<E>(
        &mut self,
        mut signature: impl FnMut(u32, Classes<'_>, &mut Vec<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.groups.clear();
        self.signatures.clear();
        let mut words = Vec::new();
        for level in 0..self.open.len() {
            let mut open = std::mem::take(&mut self.open[level]);
            open.sort_unstable();
            for &state in &open {
                self.is_open[state as usize] = false;
                let class = self.class(state);
                if class & ALONE != 0 {
                    continue;
                }
                words.clear();
                words.push(class);
                signature(state, Classes { refinement: self, level: level as u32 }, &mut words)?;
                let group = self.signatures.number(&words);
                if group as usize == self.groups.len() {
                    self.groups.push(Group { from: class, count: 0 });
                }
                self.groups[group as usize].count += 1;
                self.next[state as usize] = self.members.len() as u32 + group;
                self.visited.push(state);
                for at in 0..self.levels.dependents.of(state as usize).len() {
                    let dependent = self.levels.dependents.of(state as usize)[at];
                    if self.levels.of[dependent as usize] as usize > level {
                        self.open(dependent);
                    }
                }
            }
            open.clear();
            self.open[level] = open;
        }
        self.finish_round();
        Ok(())
    }

    /// Ends a round: moves the visited states to their new classes. Marks the states to be visited
    /// by the next round, because their signatures contain a class that changed.
    fn finish_round(&mut self) {
        let new = self.members.len() as u32;
        for &state in &self.visited {
            self.members[self.classes[state as usize] as usize].leaving += 1;
        }
        for (at, group) in (0..).zip(&self.groups) {
            let Members { count, leaving, largest } = &mut self.members[group.from as usize];
            let is_larger =
                *largest == NO_GROUP || self.groups[*largest as usize].count < group.count;
            if leaving == count && group.count > 1 && is_larger {
                *largest = at;
            }
        }
        self.changed.clear();
        let mut visited = std::mem::take(&mut self.visited);
        for state in visited.drain(..) {
            let next = std::mem::replace(&mut self.next[state as usize], UNVISITED);
            let group = next - new;
            let Group { from, count } = self.groups[group as usize];
            let members = &mut self.members[from as usize];
            if members.largest == group {
                continue;
            }
            members.count -= 1;
            self.classes[state as usize] = if count == 1 { ALONE | state } else { next };
            self.changed.push(state);
            for at in 0..self.dependents.of(state as usize).len() {
                self.open(self.dependents.of(state as usize)[at]);
            }
        }
        self.visited = visited;
        for group in &self.groups {
            let Members { leaving, largest, .. } = &mut self.members[group.from as usize];
            (*leaving, *largest) = (0, NO_GROUP);
        }
        self.members.extend(self.groups.iter().map(|group| Members::new(group.count)));
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    /// Returns for each state the first state of its class.
    fn firsts(classes: &[u32]) -> Vec<usize> {
        let first = |class| classes.iter().position(|other| other == class).unwrap_or(0);
        classes.iter().map(first).collect()
    }

    proptest! {
        /// Each round yields the partition of Moore's algorithm, which visits every state in every
        /// round.
        #[test]
        fn rounds_are_moores(
            states in prop::collection::vec((0u32..3, prop::collection::vec(0usize..12, 0..3)), 1..12),
        ) {
            let count = states.len();
            let targets = |state: usize| states[state].1.iter().map(move |to| (to % count) as u32);
            let pairs = (0..count).flat_map(|state| targets(state).map(move |to| (to, state as u32)));
            let mut expected: Vec<u32> = states.iter().map(|&(class, _)| class).collect();
            let dependents = Lists::of_pairs(count, pairs);
            let mut refinement = Refinement::new(expected.clone(), dependents);
            while !refinement.is_stable() {
                let Ok(()) = refinement.round::<Infallible>(|state, classes, words| {
                    words.extend(targets(state as usize).map(|to| classes.before(to)));
                    Ok(())
                });
                let signature = |state: usize| {
                    let of_targets: Vec<u32> =
                        targets(state).map(|to| expected[to as usize]).collect();
                    (expected[state], of_targets)
                };
                let signatures: Vec<_> = (0..count).map(signature).collect();
                let first = |signature| signatures.iter().position(|other| other == signature);
                expected = signatures.iter().map(|of| first(of).unwrap_or(0) as u32).collect();
                let classes: Vec<u32> = (0..count as u32).map(|at| refinement.class(at)).collect();
                prop_assert_eq!(firsts(&classes), firsts(&expected));
            }
        }
    }
}
