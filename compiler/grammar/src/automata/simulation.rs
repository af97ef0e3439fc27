//! Simulations between states of a nondeterministic automaton that are known from its construction.
//!
//! A state *simulates* another state if it accepts every string that the other state accepts. A
//! subset construction may then drop the other state from each subset with both. The language stays
//! the same, and there are fewer subsets.
//!
//! In `x.{0,3}y`, each copy of `.` may be followed by one copy less than the copy before. So the
//! states of a copy simulate those of the next copy. Without dropping states, a text of many `x`
//! may be in any set of the copies, so there are 2³ subsets:
//!
//! ```text
//! x ──► 0 ──.──► 1 ──.──► 2 ──.──► 3        {0, 1, 3} = {0}
//!       └───y────┴───y────┴───y────┴──► y
//! ```
//!
//! The known simulations are *chains*: lists of states in which each state simulates all later
//! states.
//!
//! Sources: Bustan and Grumberg, "Simulation-based minimization" (2003); De Wulf et al.,
//! "Antichains" (2006), for subsets without simulated members. Tests: below, and
//! `grammarc_patterns::ecma`.

use crate::graph::Lists;

/// The known simulations between states of an automaton. A state simulates another if it accepts
/// every string that the other accepts. They are given as chains. A chain is a list of states;
/// each state simulates all later ones.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    /// The members of all chains, in insertion order. A chain is a list of states, each of which
    /// simulates all later ones.
    entries: Vec<Entry>,
    /// The number of chains (lists of states in which each simulates all later ones).
    chains: u32,
}

/// The membership of a state in a chain, a list of states in which each simulates all later ones. A
/// state may be a member of several chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The number of the state in the automaton.
    pub state: u32,
    /// The number of the chain, a list of states in which each simulates all later ones.
    pub chain: u32,
    /// The position of the state in its chain, from 0. The state simulates all states of the chain
    /// at higher positions.
    pub rank: u32,
}

impl Simulation {
    /// Adds a chain: a list of states, each of which simulates all later ones. A state simulates
    /// another if it accepts every string that the other accepts.
    ///
    /// The simulations of all chains together must have no cycle. Otherwise states that simulate
    /// each other would all be dropped from a subset.
    pub fn chain(&mut self, states: impl IntoIterator<Item = u32>) {
        let chain = self.chains;
        let ranked = (0..).zip(states);
        self.entries.extend(ranked.map(|(rank, state)| Entry { state, chain, rank }));
        self.chains += 1;
    }

    /// Adds the simulations of a part of the automaton that was copied: each state of a copy
    /// simulates the corresponding states of all later copies. `copies` has the number of the first
    /// state of each copy. Each copy consists of `size` states with consecutive numbers. O(states).
    pub fn copies(&mut self, copies: &[u32], size: u32) {
        (0..size).for_each(|at| self.chain(copies.iter().map(|first| first + at)));
    }

    /// Whether no simulation between states is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the same simulations, indexed by state, for an automaton with `states` states.
    pub fn by_state(&self, states: usize) -> ChainsByState {
        let of = (0..).zip(&self.entries).map(|(index, entry)| (entry.state, index));
        let of = Lists::of_pairs(states, of);
        ChainsByState { entries: self.entries.clone(), of, chains: self.chains }
    }

    /// Returns the memory of the known simulations in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.entries)
    }
}

/// The known simulations of an automaton, indexed by state. They are given as chains. A
/// chain is a list of states; each state simulates all later ones.
#[derive(Clone, Debug)]
pub struct ChainsByState {
    /// The memberships of states in chains.
    entries: Vec<Entry>,
    /// For each state, the indices of its memberships in `entries`.
    of: Lists,
    /// The number of chains (lists of states in which each simulates all later ones).
    chains: u32,
}

impl ChainsByState {
    /// Returns the memberships of a state: for each chain that contains the state, its position in
    /// the chain. Empty if the state is in no chain.
    pub fn of(&self, state: u32) -> impl Iterator<Item = &Entry> {
        self.of.of(state as usize).iter().map(|&index| &self.entries[index as usize])
    }

    /// Returns the number of chains (lists of states in which each simulates all later states).
    pub fn len(&self) -> usize {
        self.chains as usize
    }

    /// Whether no state is a member of a chain, so that no simulation is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Removes the states from a subset that another state of the subset simulates. One buffer serves
/// all subsets.
#[derive(Clone, Debug)]
pub(super) struct Simulated {
    /// The known simulations, as the memberships of each state in chains. A chain is a list of
    /// states in which each simulates all later states.
    chains: ChainsByState,
    /// For each chain, the lowest position in the chain among the members of the current subset.
    /// `u32::MAX` if the subset has no member of the chain.
    lowest: Vec<u32>,
}

impl Simulated {
    /// Creates a filter for subsets of the automaton with these simulations.
    pub(super) fn new(chains: ChainsByState) -> Self {
        let lowest = vec![u32::MAX; chains.len()];
        Self { chains, lowest }
    }

    /// Removes from `members`, a subset of an automaton's states, every state that another state of
    /// the subset simulates. O(members times the chains of a member).
    pub(super) fn remove_from(&mut self, members: &mut Vec<u32>) {
        let Self { chains, lowest } = self;
        for entry in members.iter().flat_map(|&member| chains.of(member)) {
            let lowest = &mut lowest[entry.chain as usize];
            *lowest = entry.rank.min(*lowest);
        }
        let is_lowest = |entry: &Entry| lowest[entry.chain as usize] == entry.rank;
        let all = std::mem::take(members);
        members.extend(all.iter().filter(|&&member| chains.of(member).all(is_lowest)));
        for entry in all.iter().flat_map(|&member| chains.of(member)) {
            lowest[entry.chain as usize] = u32::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_states_are_removed() {
        let mut simulation = Simulation::default();
        // Three copies of two states, the first of which has two copies within.
        simulation.copies(&[10, 20, 30], 2);
        simulation.chain([10, 11]);
        let mut filter = Simulated::new(simulation.by_state(40));
        let mut left = |mut members: Vec<u32>| {
            filter.remove_from(&mut members);
            members
        };
        assert_eq!(left(vec![5, 20, 30]), [5, 20]);
        assert_eq!(left(vec![20, 31]), [20, 31]);
        assert_eq!(left(vec![10, 21, 30, 31]), [10, 21]);
        assert_eq!(left(vec![10, 11, 21, 31]), [10]);
    }
}
