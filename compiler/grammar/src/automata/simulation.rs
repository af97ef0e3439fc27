//! Simulation between states of a nondeterministic automaton, known from its construction.
//!
//! A state *simulates* another if it accepts every string that the other accepts. A subset construction may then drop
//! the other from each subset that has both. The language stays the same, and there are fewer subsets.
//!
//! In `x.{0,3}y`, each copy of `.` may be followed by one copy less, so the states of a copy simulate those of the
//! next. Without the rule, a text of many `x` is in any set of the copies, and the automaton has 2³ states for them:
//!
//! ```text
//! x ──► 0 ──.──► 1 ──.──► 2 ──.──► 3        {0, 1, 3} = {0}
//!       └───y────┴───y────┴───y────┴──► y
//! ```
//!
//! Known simulations are *chains*: lists of states in which each simulates all later ones.
//!
//! Sources: Bustan and Grumberg, "Simulation-based minimization" (2003); De Wulf et al., "Antichains" (2006), for
//! subsets without simulated members. Tests: below, and `grammarc_patterns::ecma`.

/// Lists of states in which each state simulates all later ones.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    /// All entries, in the order in which they were added.
    entries: Vec<Entry>,
    chains: u32,
}

/// A state in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The state.
    pub state: u32,
    /// The chain.
    pub chain: u32,
    /// The index in the chain: lower ones simulate.
    pub rank: u32,
}

impl Simulation {
    /// Adds a chain: each of these states simulates all later ones.
    ///
    /// The relation of all chains must have no cycle.
    pub fn chain(&mut self, states: impl IntoIterator<Item = u32>) {
        let chain = self.chains;
        let ranked = (0..).zip(states);
        self.entries.extend(ranked.map(|(rank, state)| Entry { state, chain, rank }));
        self.chains += 1;
    }

    /// Adds a chain for each state of these copies of one part: the states of a copy simulate the equal states of all
    /// later copies. A copy is given by its first state. O(states).
    pub fn copies(&mut self, copies: &[u32], size: u32) {
        (0..size).for_each(|at| self.chain(copies.iter().map(|first| first + at)));
    }

    /// Whether no simulation is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the chains of each of `states` states.
    pub fn by_state(&self, states: usize) -> ChainsByState {
        let mut entries = self.entries.clone();
        entries.sort_unstable();
        let begins = (0..=states as u32).map(|state| entries.partition_point(|e| e.state < state));
        ChainsByState { begins: begins.map(|at| at as u32).collect(), entries, chains: self.chains }
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.entries)
    }
}

/// The chains of each state.
#[derive(Clone, Debug)]
pub struct ChainsByState {
    entries: Vec<Entry>,
    /// By state, the index of its first entry; one more at the end.
    begins: Vec<u32>,
    chains: u32,
}

impl ChainsByState {
    /// The chains of a state.
    pub fn of(&self, state: u32) -> &[Entry] {
        let [from, to] = [state, state + 1].map(|at| self.begins[at as usize] as usize);
        &self.entries[from..to]
    }

    /// Number of chains.
    pub fn len(&self) -> usize {
        self.chains as usize
    }

    /// Whether no state is in a chain.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A filter that drops simulated states. Its buffers are used again.
#[derive(Clone, Debug)]
pub(super) struct Simulated {
    chains: ChainsByState,
    /// By chain, the lowest rank in the current subset; `u32::MAX` if there is none.
    lowest: Vec<u32>,
}

impl Simulated {
    pub(super) fn new(chains: ChainsByState) -> Self {
        let lowest = vec![u32::MAX; chains.len()];
        Self { chains, lowest }
    }

    /// Removes every state that another one simulates. O(members times nested repetitions).
    pub(super) fn remove_from(&mut self, members: &mut Vec<u32>) {
        let Self { chains, lowest } = self;
        for entry in members.iter().flat_map(|&member| chains.of(member)) {
            let lowest = &mut lowest[entry.chain as usize];
            *lowest = entry.rank.min(*lowest);
        }
        let is_lowest = |entry: &Entry| lowest[entry.chain as usize] == entry.rank;
        let all = std::mem::take(members);
        members.extend(all.iter().filter(|&&member| chains.of(member).iter().all(is_lowest)));
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
