//! Partition refinement by signatures, in rounds.
//!
//! The caller describes a state by a *signature*: words, among them the classes of other states. A round separates the
//! states of a class whose signatures differ. After `k` rounds, the states of a class are equal in `k` steps (E. F.
//! Moore, "Gedanken-experiments on sequential machines", 1956). Once no round changes a class, the partition is the
//! coarsest one that the signatures do not separate.
//!
//! A round visits the states whose signatures contain a class that the last round changed. The other states of a class
//! stay equal to each other, and differ from those that are visited. So the visited states leave the class, in groups
//! of equal signatures with new numbers. If all states would leave, the largest group keeps the old number, and no
//! signature with that number is visited. The same is done in A. Valmari and P. Lehtinen, "Efficient Minimization of
//! DFAs with Partial Transition Functions", 2008, where rounds are not kept apart.
//!
//! A signature may also contain the class of a state of a lower *level* after the same round. Levels are visited in
//! ascending order.
//!
//! Cost: O(signatures of the visited states). A chain of states costs one visit for each state.

use crate::graph::Lists;
use crate::interner::Interner;

/// The bit of a class that is the class of one state alone, beside the number of the state.
pub const ALONE: u32 = 1 << 31;

/// The next class of a state that the round under way has not visited.
const UNVISITED: u32 = u32::MAX;

/// Number of no group.
const NO_GROUP: u32 = u32::MAX;

/// A partition of states, and the states that the next round visits.
#[derive(Debug)]
pub struct Refinement {
    /// By state.
    classes: Vec<u32>,
    /// By state, its class after the round under way, or [`UNVISITED`]; and the states that have one.
    next: Vec<u32>,
    visited: Vec<u32>,
    /// States whose class the last round changed.
    changed: Vec<u32>,
    /// By class.
    members: Vec<Members>,
    /// The groups of the round under way. Their classes are numbered after all others.
    groups: Vec<Group>,
    /// By group, its class before the round and its signature.
    signatures: Interner,
    /// By state, the states whose signatures contain its class.
    dependents: Lists,
    levels: Levels,
    /// The states to visit, by level; and by state, whether it is one.
    open: Vec<Vec<u32>>,
    is_open: Vec<bool>,
}

/// The levels of states.
#[derive(Debug)]
pub struct Levels {
    /// By state, its level.
    pub of: Vec<u32>,
    /// By state, the states whose signatures contain its class after the same round. Only those of a higher level do.
    pub dependents: Lists,
}

/// Number of states in a class. In the round under way, the number that would leave it. If all would, the largest group,
/// otherwise [`NO_GROUP`].
#[derive(Clone, Copy, Debug)]
struct Members {
    count: u32,
    leaving: u32,
    largest: u32,
}

impl Members {
    fn new(count: u32) -> Self {
        Self { count, leaving: 0, largest: NO_GROUP }
    }
}

/// States with equal signatures that leave a class.
#[derive(Debug)]
struct Group {
    from: u32,
    count: u32,
}

/// The classes for the signature of a state.
#[derive(Clone, Copy, Debug)]
pub struct Classes<'a> {
    refinement: &'a Refinement,
    level: u32,
}

impl Classes<'_> {
    /// Returns the class of a state after the round before.
    pub fn before(self, state: u32) -> u32 {
        self.refinement.class(state)
    }

    /// Returns the class of a state after the round under way. `None` if its level is not lower.
    pub fn after(self, state: u32) -> Option<u32> {
        let Refinement { levels, next, .. } = self.refinement;
        let next = next[state as usize];
        (levels.of[state as usize] < self.level)
            .then(|| if next == UNVISITED { self.before(state) } else { next })
    }
}

impl Refinement {
    /// Begins with the class of each state, which is a number or [`ALONE`] with the state's number. `dependents` lists, by
    /// state, the states whose signatures contain its class.
    pub fn new(classes: Vec<u32>, dependents: Lists) -> Self {
        let levels = vec![0; classes.len()];
        let none = Lists::of_pairs(classes.len(), std::iter::empty());
        Self::with_levels(classes, dependents, Levels { of: levels, dependents: none })
    }

    /// Like [`new`](Self::new), with the levels of states.
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

    fn open(&mut self, state: u32) {
        if !std::mem::replace(&mut self.is_open[state as usize], true) {
            self.open[self.levels.of[state as usize] as usize].push(state);
        }
    }

    /// Returns the class of a state.
    pub fn class(&self, state: u32) -> u32 {
        self.classes[state as usize]
    }

    /// Returns the states whose class the last round changed.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// Whether no later round changes a class.
    pub fn is_stable(&self) -> bool {
        self.open.iter().all(Vec::is_empty)
    }

    /// Does one round. `signature` appends the words of a state's signature.
    ///
    /// # Errors
    ///
    /// Those of `signature`. Then the partition is of no more use.
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

    /// Gives the visited states their new classes, and opens the states whose signatures contain a changed class.
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

    /// Returns the first state of each class, by state.
    fn firsts(classes: &[u32]) -> Vec<usize> {
        let first = |class| classes.iter().position(|other| other == class).unwrap_or(0);
        classes.iter().map(first).collect()
    }

    proptest! {
        /// Each round gives the partition of Moore's algorithm, which visits every state.
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
