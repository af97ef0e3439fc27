//! Removes left recursion, exactly: no rule's strings can begin with a call that leads back to the rule.
//!
//! Take the rules `S` of one cycle of left calls. A string of a goal rule `A` in `S` begins with a *seed*, a move out of
//! the initial state of some rule `B` of `S` that is not a left call into `S`, and then climbs: it finishes `B`, which
//! was the left call of some `C` of `S`, goes on in `C` behind that call, and so on, until it finishes `A` itself and
//! stops. The climb never looks back, so it is a finite automaton:
//!
//! - its states are those of all rules of `S`, and a new initial state;
//! - for every seed `B.initial --x--> q` it has `initial --x--> q`;
//! - for every final state `f` of `B` and every left call `C.initial --B--> q` it has an empty move `f -> q`;
//! - it accepts in the final states of `A`.
//!
//! Calls inside (anything but the first symbol) stay calls. The new rules begin with seeds only, so the cycle is gone,
//! and nothing else changes: the construction is the left-corner transform (D. J. Rosenkrantz and P. M. Lewis,
//! "Deterministic left corner parsing", 1970) on automata instead of productions. Direct and indirect recursion are one
//! case; recursion behind a nullable prefix has become one of them by the time rules are built.
//!
//! Cost: a cycle of k rules with n states becomes k automata of at most n + 1 states before determinisation.

use super::build::Built;
use super::repeat::finished;
use super::{NetworkError, NetworkErrorKind, NetworkLimits};
use crate::automata::{Nfa, Table};
use crate::graph::{Lists, by_component};

/// Why left recursion could not be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A rule with a countdown is part of a cycle.
    Counted,
    /// A goal automaton of this rule exceeds the state limit.
    States(usize),
}

impl Failure {
    pub(super) fn into_error(self, built: &Built, limits: NetworkLimits) -> NetworkError {
        let (rule, what) = match self {
            Self::Counted => (0, "left-recursive repetitions written out"),
            Self::States(rule) => (rule, "states of a rule without its left recursion"),
        };
        let rule = &built.rules[rule];
        let kind = NetworkErrorKind::Limit { what, limit: limits.rule_states };
        NetworkError { kind, rule: rule.name.clone(), origin: rule.origin.clone().into() }
    }
}

/// Replaces the automata of all left-recursive rules.
pub fn eliminate(built: &mut Built, limits: NetworkLimits) -> Result<(), Failure> {
    let left: Lists = (0..built.rules.len()).map(|rule| left_calls(built, rule)).collect();
    let component = left.components();
    let order = by_component(&component);
    for cycle in order.chunk_by(|&a, &b| component[a as usize] == component[b as usize]) {
        let recursive =
            cycle.len() > 1 || cycle.iter().any(|&rule| left.of(rule as usize).contains(&rule));
        if !recursive {
            continue;
        }
        let cycle: Vec<usize> = cycle.iter().map(|&rule| rule as usize).collect();
        if cycle.iter().any(|&rule| built.rules[rule].counted.is_some()) {
            return Err(Failure::Counted);
        }
        let climb = Climb::new(built, &cycle);
        let goals: Result<Vec<Table>, Failure> = cycle
            .iter()
            .map(|&goal| {
                let nfa = climb.towards(built, goal);
                finished(&nfa, limits.rule_states).map_err(|_| Failure::States(goal))
            })
            .collect();
        for (&rule, dfa) in cycle.iter().zip(goals?) {
            built.rules[rule].dfa = dfa;
        }
    }
    Ok(())
}

/// Rules that the initial state of a rule calls.
fn left_calls(built: &Built, rule: usize) -> impl Iterator<Item = usize> + '_ {
    let edges = built.rules[rule].dfa.edges(0);
    // Neighbouring labels may share an edge.
    edges.iter().flat_map(|e| e.lo.max(256)..=e.hi).filter_map(|s| built.labels.callee(s))
}

/// The automaton of one cycle, without a goal.
struct Climb {
    nfa: Nfa,
    /// For each rule of the cycle, the automaton's state of its initial state.
    bases: Vec<(usize, u32)>,
}

impl Climb {
    fn new(built: &Built, cycle: &[usize]) -> Self {
        let mut nfa = Nfa::new();
        let mut bases = Vec::new();
        for &rule in cycle {
            bases.push((rule, nfa.len() as u32));
            (0..built.rules[rule].dfa.len()).for_each(|_| {
                nfa.state();
            });
        }
        let base_of = |rule: usize| bases.iter().find(|(member, _)| *member == rule).map(|b| b.1);
        for &(rule, base) in &bases {
            let dfa = &built.rules[rule].dfa;
            for state in 0..dfa.len() as u32 {
                for edge in dfa.edges(state) {
                    nfa.edge(base + state, edge.lo, edge.hi, base + edge.target);
                }
            }
            for edge in dfa.edges(0) {
                for symbol in edge.lo..=edge.hi {
                    let left = built.labels.callee(symbol).and_then(|b| Some((b, base_of(b)?)));
                    let Some((callee, callee_base)) = left else {
                        nfa.edge(nfa.start, symbol, symbol, base + edge.target);
                        continue;
                    };
                    let ends = built.rules[callee].dfa.accepting();
                    ends.for_each(|state| nfa.empty(callee_base + state, base + edge.target));
                }
            }
        }
        Self { nfa, bases }
    }

    /// The automaton that accepts where `goal` is finished.
    fn towards(&self, built: &Built, goal: usize) -> Nfa {
        let mut nfa = self.nfa.clone();
        let base = self.bases.iter().find(|(rule, _)| *rule == goal).map_or(0, |base| base.1);
        let ends = built.rules[goal].dfa.accepting();
        ends.for_each(|state| nfa.empty(base + state, nfa.end));
        nfa
    }
}
