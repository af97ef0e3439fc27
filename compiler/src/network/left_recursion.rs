//! Removes left recursion without changing the language: afterwards, no rule begins with calls that
//! lead back to the rule.
//!
//! A *left call* is a call out of the initial state of a rule. Let `S` be the rules of one cycle of
//! left calls. A string of a goal rule `A` in `S` begins with a *seed*: a transition out of the
//! initial state of some rule `B` of `S`, but no left call into `S`. Then the parse climbs: it
//! finishes `B`, continues in some `C` of `S` after `C`'s left call of `B`, and so on, until it
//! finishes `A` and stops. The climb depends only on the rule that was finished last, so it is a
//! finite automaton:
//!
//! - its states are those of all rules of `S`, and a new initial state;
//! - for every seed `B.initial --x--> q` it has `initial --x--> q`;
//! - for every final state `f` of `B` and every left call `C.initial --B--> q` it has an empty move `f -> q`;
//! - it accepts in the final states of `A`.
//!
//! Calls after the first symbol stay calls. The new rules begin with seeds only, so the cycle is
//! gone, and nothing else changes. The construction is the left-corner transform on automata
//! instead of productions (D. J. Rosenkrantz and P. M. Lewis, "Deterministic left corner parsing",
//! 1970). Direct and indirect recursion are one case. Recursion behind a nullable prefix has become
//! one of them by the time rules are built.
//!
//! A rule needs an automaton only if it is called from elsewhere than from the beginning of a rule
//! of its cycle. A long cycle with one such rule gets one automaton.
//!
//! Cost: a cycle with k such rules and n states becomes k automata of at most n + 1 states each
//! before determinization.

use rustc_hash::FxHashMap;

use super::built::Built;
use super::error::{NetworkError, NetworkErrorKind};
use super::minimal::minimal_without_empty;
use super::request::NetworkLimits;
use crate::automata::{Nfa, StateBudget, Table};
use crate::budget::Budget;
use crate::graph::{Lists, by_component};

/// The reason why left recursion could not be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// A rule with a register is part of a cycle of left calls.
    Counted,
    /// The automaton of the rule with this index would have too many states, or the budget is
    /// spent.
    States(usize),
}

impl Failure {
    /// Returns the error to report, with the name and origin of the rule.
    pub(super) fn into_error(
        self,
        built: &Built,
        limits: NetworkLimits,
        budget: &Budget,
    ) -> NetworkError {
        let (rule, what) = match self {
            Self::Counted => (0, "unrolled left-recursive repetitions"),
            Self::States(rule) => (rule, "states of a rule without its left recursion"),
        };
        let rule = &built.rules[rule];
        let kind = match budget.error() {
            Some(spent) => spent.clone().into(),
            None => NetworkErrorKind::Limit { what, limit: limits.rule_states },
        };
        NetworkError { kind, rule: rule.name.clone(), origin: rule.origin.clone().into() }
    }
}

/// Replaces the automata of all left-recursive rules. A rule that is no longer called gets the
/// empty language.
///
/// # Errors
///
/// [`Failure`] if a rule of a cycle has a register, or its automaton exceeds a limit.
pub(super) fn eliminate(
    built: &mut Built,
    limits: NetworkLimits,
    budget: &Budget,
) -> Result<(), Failure> {
    let left: Lists = (0..built.rules.len()).map(|rule| left_calls(built, rule)).collect();
    let component = left.components();
    let order = by_component(&component);
    let cycles = order.chunk_by(|&a, &b| component[a as usize] == component[b as usize]);
    let is_cycle =
        |cycle: &[u32]| cycle.len() > 1 || left.of(cycle[0] as usize).contains(&cycle[0]);
    let cycles: Vec<&[u32]> = cycles.filter(|cycle| is_cycle(cycle)).collect();
    if cycles.is_empty() {
        return Ok(());
    }
    let is_used = used(built, &cycles);
    for cycle in cycles {
        if cycle.iter().any(|&rule| built.rules[rule as usize].counted.is_some()) {
            return Err(Failure::Counted);
        }
        let mut climb = Climb::new(built, cycle);
        let bounds = StateBudget::new(limits.rule_states, budget);
        let mut held = budget.hold();
        let mut goals: Vec<(u32, Table)> = Vec::new();
        for &goal in cycle.iter().filter(|&&rule| is_used[rule as usize]) {
            let failed = |_| Failure::States(goal as usize);
            let dfa = minimal_without_empty(climb.towards(goal), bounds).map_err(failed)?;
            held.add(dfa.bytes()).map_err(|_| Failure::States(goal as usize))?;
            goals.push((goal, dfa));
        }
        cycle.iter().for_each(|&rule| built.rules[rule as usize].dfa = Table::never());
        goals.into_iter().for_each(|(rule, dfa)| built.rules[rule as usize].dfa = dfa);
    }
    Ok(())
}

/// Returns the rules that the initial state of a rule calls, with repetition.
fn left_calls(built: &Built, rule: usize) -> impl Iterator<Item = usize> + '_ {
    callees(built, rule, 0)
}

/// Returns the rules that one state of a rule calls, with repetition.
fn callees(built: &Built, rule: usize, state: u32) -> impl Iterator<Item = usize> + '_ {
    let (_, labels) = built.rules[rule].dfa.split(state);
    // Neighbouring labels may share one edge.
    labels.iter().flat_map(|e| e.lo.max(256)..=e.hi).filter_map(|s| built.labels.callee(s))
}

/// For each rule, returns whether it is reachable from the roots once left recursion is removed. A
/// rule of a cycle may begin with any rule of the cycle, so it reaches the callees of all of them.
/// O(states and edges).
fn used(built: &Built, cycles: &[&[u32]]) -> Vec<bool> {
    let count = built.rules.len();
    let mut cycle_of = vec![usize::MAX; count];
    for (number, cycle) in cycles.iter().enumerate() {
        cycle.iter().for_each(|&rule| cycle_of[rule as usize] = number);
    }
    let mut is_used = vec![false; count];
    let mut is_open = vec![false; cycles.len()];
    let mut work = built.roots.clone();
    while let Some(rule) = work.pop() {
        if std::mem::replace(&mut is_used[rule], true) {
            continue;
        }
        let number = cycle_of[rule];
        let alone = [rule as u32];
        let members = match cycles.get(number) {
            None => &alone[..],
            Some(_) if std::mem::replace(&mut is_open[number], true) => continue,
            Some(cycle) => cycle,
        };
        for member in members.iter().map(|&member| member as usize) {
            let dfa = &built.rules[member].dfa;
            let states = 0..dfa.len() as u32;
            let begins_again = states.clone().any(|s| dfa.edges(s).iter().any(|e| e.target == 0));
            for state in states {
                work.extend(callees(built, member, state).filter(|&callee| {
                    let is_within = cycle_of[callee] == number && number != usize::MAX;
                    !is_within || state != 0 || begins_again
                }));
            }
        }
    }
    is_used
}

/// The automaton of one cycle of left calls. All rules of the cycle share it, except for the
/// accepting state.
struct Climb {
    /// The nondeterministic automaton. Its end state is that of the last goal.
    nfa: Nfa,
    /// Maps each rule of the cycle to its initial state in the automaton, and to the state in which
    /// the rule is finished.
    places: FxHashMap<u32, (u32, u32)>,
}

impl Climb {
    /// Builds the automaton of a cycle of left calls.
    fn new(built: &Built, cycle: &[u32]) -> Self {
        let mut nfa = Nfa::new();
        let mut places = FxHashMap::default();
        for &rule in cycle {
            let base = nfa.len() as u32;
            (0..built.rules[rule as usize].dfa.len()).for_each(|_| _ = nfa.state());
            places.insert(rule, (base, nfa.state()));
        }
        for &rule in cycle {
            let (base, finish) = places[&rule];
            let dfa = &built.rules[rule as usize].dfa;
            for state in 0..dfa.len() as u32 {
                for edge in dfa.edges(state) {
                    nfa.edge(base + state, edge.lo, edge.hi, base + edge.target);
                }
            }
            dfa.accepting().for_each(|state| nfa.empty(base + state, finish));
            for edge in dfa.edges(0) {
                for symbol in edge.lo..=edge.hi {
                    let callee = built.labels.callee(symbol);
                    match callee.and_then(|callee| places.get(&(callee as u32))) {
                        Some(&(_, finish)) => nfa.empty(finish, base + edge.target),
                        None => nfa.edge(nfa.start, symbol, symbol, base + edge.target),
                    }
                }
            }
        }
        Self { nfa, places }
    }

    /// Returns the automaton with the rule `goal` as its goal: it accepts where `goal` is finished.
    fn towards(&mut self, goal: u32) -> &Nfa {
        self.nfa.end = self.places[&goal].1;
        &self.nfa
    }
}
