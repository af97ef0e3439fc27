//! Builds the rule with a register from the explored places (states of the machine with their
//! counts).
//!
//! An arrival at a place makes some changes of the register. The rule has a chain of states for it:
//! one state for each change, and at least one. All of these states have the edges of the place.
//! The arrival at the first state makes the first change, then continues to the next state or
//! stays. An increment with which the field becomes zero leads to the exit of the place, with the
//! remaining changes.
//!
//! Cost: O(edges of all places, times the changes of an arrival).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::explore::{Arrived, Change, Changes, Explored};
use super::refused::Refused;
use super::zones::Zones;
use crate::automata::{Dfa, DfaState, Edge, Edges, StateBudget};
use crate::network::rule::{Arrival, CountDependent, Counted, RegisterUpdate};

/// A rule whose counters are bit fields of a register.
pub(in crate::network) struct CountedRule {
    /// The automaton of the rule.
    pub(in crate::network) dfa: Dfa,
    /// The states whose arrival updates the register, and how.
    pub(in crate::network) counted: Counted,
    /// The register with which every activation (a call of the rule in progress) begins. Never
    /// zero.
    pub(in crate::network) register: u32,
}

/// Builds the rule of the explored places (sets of states with counts). `alive` says for each place
/// whether it is live; edges to other places are left out.
///
/// # Errors
///
/// [`Refused::Limit`] if the rule would have more states than `allowed`.
pub(super) fn build(
    zones: &Zones,
    explored: &Explored,
    alive: &[bool],
    allowed: StateBudget<'_>,
) -> Result<CountedRule, Refused> {
    let mut rule = Rule {
        zones,
        explored,
        alive,
        states: Vec::new(),
        arrivals: Vec::new(),
        numbers: FxHashMap::default(),
        open: Vec::new(),
    };
    rule.build(allowed)
}

/// A rule under construction.
struct Rule<'a> {
    /// The far zones (counts far from all bounds), with the register field of each counter.
    zones: &'a Zones,
    /// The explored places (sets of states with counts) with their edges.
    explored: &'a Explored,
    /// For each place (set of states with counts), whether it is live.
    alive: &'a [bool],
    /// The states built so far.
    states: Vec<DfaState>,
    /// The register updates of the states built so far.
    arrivals: Vec<Arrival>,
    /// Maps a place (set of states with counts) with the changes of an arrival to the first state
    /// of its chain.
    numbers: FxHashMap<Arrived, u32>,
    /// The chains whose edges and exits are still missing, each with its first state.
    open: Vec<(Arrived, u32)>,
}

impl Rule<'_> {
    /// Builds all states that are reachable from the initial place (set of states with counts).
    fn build(&mut self, allowed: StateBudget<'_>) -> Result<CountedRule, Refused> {
        let (start, changes) = &self.explored.start;
        // For each near-bound counter, maps each place in which the counter is far to the states of
        // that place.
        let mut near_bound: BTreeMap<usize, FxHashMap<usize, Vec<u32>>> = BTreeMap::new();
        // The initial state gets no register update, because no edge leads to it. No string of a
        // rule is empty, so it does not accept.
        self.states.push(DfaState::default());
        let edges = self.edges(*start);
        self.states[0].edges = edges;
        while let Some(((place, changes), first)) = self.open.pop() {
            if self.states.len() > allowed.states {
                return Err(Refused::Limit);
            }
            let is_far = |counter: &&usize| self.explored.place(place).is_far(**counter);
            for &counter in self.zones.near_bound().iter().filter(is_far) {
                let states = first..first + changes.len().max(1) as u32;
                let of_counter = near_bound.entry(counter).or_default();
                of_counter.entry(place).or_default().extend(states);
            }
            let edges = self.edges(place);
            self.states[first as usize].edges.clone_from(&edges);
            for (at, &(counter, change)) in changes.iter().enumerate() {
                let state = first + at as u32;
                self.states[state as usize].edges.clone_from(&edges);
                let field = self.zones.field(usize::from(counter)).expect("it is far somewhere");
                let then = at + 1 < changes.len();
                let (update, exit) = match change {
                    Change::Set(to) => (RegisterUpdate::Set { field, to, then }, state),
                    Change::Increment => {
                        let exit = self.explored.exits[place][usize::from(counter)];
                        let exit = exit.expect("a counter that increments is far");
                        let behind = Changes::from_slice(&changes[at + 1..]);
                        (
                            RegisterUpdate::DecrementField { field, then },
                            self.number((exit, behind)),
                        )
                    }
                };
                self.arrivals.push(Arrival { state, exit, update });
            }
        }
        let mut register = 0;
        for &(counter, change) in changes {
            let field = self.zones.field(usize::from(counter)).expect("it is far somewhere");
            if let Change::Set(to) = change {
                register |= to << field.shift;
            }
        }
        // A register value of zero means that there is no register. If nothing is far at first,
        // fields are set before they are read.
        let register = register.max(1);
        let dfa = Dfa { states: std::mem::take(&mut self.states) };
        let mut counted = Counted::new(std::mem::take(&mut self.arrivals), false);
        let near_bound = near_bound.into_iter().map(|(counter, places)| {
            let field = self.zones.field(counter).expect("it is far somewhere");
            let mut places: Vec<(usize, Vec<u32>)> = places.into_iter().collect();
            places.sort_by_cached_key(|(place, _)| self.explored.place(*place).by_counts());
            CountDependent::new(field, places.into_iter().map(|(_, states)| states).collect())
        });
        counted.count_dependent = near_bound.collect();
        Ok(CountedRule { dfa, counted, register })
    }

    /// Returns the edges of a place (set of states with counts) whose targets are live.
    fn edges(&mut self, place: usize) -> Edges {
        let mut found = DfaState::default();
        for (lo, hi, arrived) in &self.explored.edges[place] {
            if self.alive[arrived.0] {
                let target = self.number(arrived.clone());
                found.add(Edge { lo: *lo, hi: *hi, target });
            }
        }
        found.edges
    }

    /// Returns the first state of the chain for an arrival: a place (set of states with counts)
    /// with changes of the register. Adds the chain if it is new.
    fn number(&mut self, mut arrived: Arrived) -> u32 {
        // A place without a live successor needs no counts.
        if !self.explored.edges[arrived.0].iter().any(|(.., (to, _))| self.alive[*to]) {
            arrived.1.clear();
        }
        if let Some(&number) = self.numbers.get(&arrived) {
            return number;
        }
        let first = self.states.len() as u32;
        let (place, changes) = &arrived;
        // Each change takes one state, and the last change needs no state after it.
        let count = changes.len().max(1);
        let accepting = self.explored.accepting[*place];
        self.states.extend((0..count).map(|_| DfaState { accepting, ..DfaState::default() }));
        self.numbers.insert(arrived.clone(), first);
        self.open.push((arrived, first));
        first
    }
}
