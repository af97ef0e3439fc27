//! Counters: bounds on how often a path ticks are registers, and not states.
//!
//! A [graph with counters](crate::ir::ExprGraph) is a language within bounds: 20 to 2,083 characters, up to 50 words
//! within 500 characters. Written out, a state stands for a state of the graph and its counts. But let `L` be the most
//! ticks that one token can make, and `D` the most that a shortest way to the end makes. While more than `L + D` ticks of
//! a counter are left, no token can tell how many, so masks don't depend on the count: it is *far*. A state is then a
//! state of the graph and, for each counter, far or an exact count near a bound:
//!
//! ```text
//! ticks of {m,M}   0 ......... m-T   m-T+1 .. m   m+1 ......... M-T   M-T+1 .. M        T = L + D
//!                  far: register     spelled      far: register       spelled
//! ```
//!
//! Counters may be *graded*, where spelled counts would be many states: the zone goes on to the last `D` ticks, and the masks of a far
//! state with less than `L` ticks left are stored by the count (`masks/derive/ticks`). Near the bounds of several, the mask is the
//! intersection of those by each.
//!
//! In a far zone the count stands in a field of the activation's register: a tick lowers it, and at zero the
//! activation goes on where counts are spelled out. So a language of Q states costs Q times a product of zones, never of
//! bounds, and zones that no path shares are not built.
//!
//! | pass | file |
//! | --- | --- |
//! | the graph as an automaton whose steps are symbols | `machine` |
//! | the most ticks that one token makes | `token_ticks` |
//! | which counts are far | `zones` |
//! | subset construction on states with counts, those of far zones relative to the register | `explore` |
//! | the rule: states, arrivals, and the proof that masks cannot tell a far count from a spelled one | `settle` |
//! | the proof that near several graded bounds the rule allows what is allowed near each | `conjunction` |
//! | the counters by which masks are graded | `grading` |
//!
//! Invariant: the rule accepts the strings of the graph, and the walks of the masks, which ignore registers, find what the
//! counts allow, but for those of graded counters. The second is proved for each rule by walking each far state and the spelled state that it gives way to
//! side by side for `L` ticks; where it fails, and where counts of one state are not a fixed distance apart, the graph is
//! written out under the limits on states.
//!
//! Far below a minimum every way has to lead on for as long as it takes, which the maximum of another counter would spoil that
//! ticks on the way and is not reset: then the minimum is spelled out.
//!
//! Sources: counters of extended finite automata; Turoňová et al., "Regex matching with counting-set automata" (2020), for
//! subsets whose counts stand at fixed distances.

mod conjunction;
mod explore;
mod grading;
mod machine;
mod refused;
mod settle;
mod token_ticks;
mod zones;

use std::cell::OnceCell;
use std::sync::Arc;

use super::build::{Builder, Failure};
use super::repeat::Spelling;
use super::rule::Label;
use crate::automata::Nfa;
use crate::ir::facts;
use crate::ir::{Expr, ExprGraph};

use grading::Grading;
use machine::{MOST_COUNTERS, Machine};
use refused::Refused;
use token_ticks::{most_on_entry, most_ticks};
use zones::Zones;

/// How often a far zone is taken to be smaller, where a token could tell a far count from a near one.
const ATTEMPTS: u32 = 6;

/// Nodes of the trie that a walk for the most ticks of a token is worth, for each state that spells counts.
const NODES_A_STATE: usize = 1 << 7;

impl Builder<'_> {
    /// Connects `from` to `to` by the strings of a graph with counters, as a call of a rule with registers; says whether
    /// there is such a rule.
    pub(super) fn build_counted(
        &mut self,
        nfa: &mut Nfa,
        graph: &Arc<ExprGraph>,
        from: u32,
        to: u32,
    ) -> Result<bool, Failure> {
        if graph.counters().is_empty() || self.spelling != Spelling::Counted {
            return Ok(false);
        }
        let known = self.counted.get(graph).copied();
        let rule = match known {
            Some(rule) => rule,
            None => {
                let rule = self.counted_rule(graph)?;
                self.counted.insert(Arc::clone(graph), rule);
                rule
            }
        };
        let Some((rule, count)) = rule else { return Ok(false) };
        if facts::of_expr(&Expr::Graph(Arc::clone(graph)), self.facts).nullable {
            nfa.empty(from, to);
        }
        let symbol = self.labels.symbol(Label::Call { rule, count });
        nfa.edge(from, symbol, symbol, to);
        Ok(true)
    }

    /// By counter, the most ticks that a token makes; nothing where a walk does not tell.
    fn token_ticks(&mut self, machine: &Machine) -> Vec<u32> {
        let structure = machine.structure();
        if let Some(known) = self.token_ticks.get(&structure) {
            return known.clone();
        }
        let found = most_ticks(machine, self.lexicon.trie(), self.bounds());
        let found = found.map(|most| most.to_vec()).unwrap_or_default();
        self.token_ticks.insert(structure, found.clone());
        found
    }

    /// The rule of a graph with counters; none where it has to be written out. Counts that stay together as those of several counters
    /// may come apart as those of one.
    fn counted_rule(&mut self, graph: &ExprGraph) -> Result<Option<(usize, u32)>, Failure> {
        if let Some(shared) = graph.with_shared_counters()
            && let Some(rule) = self.rule_of_counters(&shared)?
        {
            return Ok(Some(rule));
        }
        self.rule_of_counters(graph)
    }

    /// The rule of a graph with each of its counters; none where there is no such.
    fn rule_of_counters(&mut self, graph: &ExprGraph) -> Result<Option<(usize, u32)>, Failure> {
        if graph.counters().len() > MOST_COUNTERS {
            return Ok(None);
        }
        let mut machine = Machine::new(self, graph)?;
        if machine.spelled(&[]) > self.lexicon.trie().len() / NODES_A_STATE {
            let found = self.token_ticks(&machine);
            for (known, most) in machine.ticks_a_token.iter_mut().zip(found) {
                // The first tick may end a part that began before the token.
                *known = (*known).min(most + 1);
            }
        }
        let limit = self.limits.graded_states;
        let mut grading = match self.may_be_graded(&machine) {
            true => Grading::new(&machine, limit),
            false => Grading::none(),
        };
        while let Some(graded) = grading.next_choice(&machine, limit) {
            match self.rule_of_zones(&machine, &graded)? {
                Ok(rule) => return Ok(Some(rule)),
                Err(refused) => grading.refuse(refused),
            }
        }
        Ok(None)
    }

    /// Whether masks can be graded: the rule is a grammar's, and walks along its bytes find them, which take it that a token may end
    /// everywhere.
    fn may_be_graded(&self, machine: &Machine) -> bool {
        let alone = self.lexicon.single_bytes();
        let is_read = |symbol: u32| u8::try_from(symbol).is_ok_and(|byte| alone.contains(byte));
        let mut edges = machine.states.iter().flat_map(|state| &state.edges);
        self.of_grammar && edges.all(|edge| (edge.lo..=edge.hi).all(is_read))
    }

    /// The rule of a machine with far zones and the register that its activations begin with, or why there is no such.
    fn rule_of_zones(
        &mut self,
        machine: &Machine,
        graded: &[usize],
    ) -> Result<Result<(usize, u32), Refused>, Failure> {
        let (bounds, trie) = (self.bounds(), self.lexicon.trie());
        let mut more = vec![0; machine.counters.len()];
        let mut is_sharing = true;
        let on_entry = OnceCell::new();
        for _ in 0..ATTEMPTS {
            let Some(zones) = Zones::new(machine, &more, graded, is_sharing) else {
                return Ok(Err(Refused::Spelled));
            };
            let found = explore::explore(machine, &zones, bounds).and_then(|explored| {
                let on_entry = |counter: usize| {
                    on_entry.get_or_init(|| most_on_entry(machine, trie, bounds))[counter]
                };
                settle::settle(machine, &zones, explored, (on_entry, trie), bounds)
            });
            match found {
                Ok((dfa, counted, register)) => {
                    let rule = self.add_part("{n}", &dfa, Some(counted))?;
                    return Ok(Ok((rule, register)));
                }
                Err(Refused::Told(counter)) => more[counter] = zones.margin(counter).max(1),
                Err(Refused::Shared) if is_sharing => is_sharing = false,
                // Written out, some graphs have fewer states than with counts of which a place has several.
                Err(refused) => return Ok(Err(refused)),
            }
        }
        Ok(Err(Refused::Spelled))
    }
}
