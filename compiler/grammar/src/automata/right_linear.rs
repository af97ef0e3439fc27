//! Splits a nondeterministic automaton into the rules of a right-linear grammar.
//!
//! The deterministic automaton of `.*a.{100}b` has 2¹⁰⁰ states, because it has to remember each of
//! the last hundred characters. As a right-linear grammar, the language needs about a hundred
//! states, and a text has one parse for each `a`:
//!
//! ```text
//! whole ──► . whole | a (whole | after)          after ──► . ──► . ──► ... ──► b
//! ```
//!
//! A rule is the automaton from one state on, as long as each symbol leads to one state. A symbol
//! that leads to several states leads to a *choice*: a state whose transitions call the rules of
//! these states. Nothing follows such a call in its rule.
//!
//! A parser of the rules has at most as many parses at once as the automaton has states.
//!
//! Source: Chomsky and Miller, "Finite state languages" (1958). Cost: O(edges) for each rule. There
//! are at most as many rules as states to which a choice leads.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::determinize::{Pieces, Subsets};
use super::{Dfa, DfaState, Edge, Nfa, StateBudget, StateLimit, Symbol};

/// Splits a nondeterministic automaton without dead states into rules of a right-linear grammar,
/// where a call is always the last step of a rule. A rule accepts the strings that the automaton
/// accepts from one of its states.
pub struct RightLinear<'a> {
    /// The nondeterministic automaton that is split into rules.
    nfa: &'a Nfa,
    /// The most states of one rule, with the budget of the compilation.
    allowed: StateBudget<'a>,
    /// An interner of the sets of automaton states to which a symbol leads.
    subsets: Subsets<'a>,
}

/// A state of a rule that is being built.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    /// A set of states of the nondeterministic automaton, by its number in [`Subsets`]: the states
    /// in which it may be after a symbol. A set with more than one member is a choice, which calls
    /// one rule for each member.
    Subset(u32),
    /// The accepting state after the call of another rule, without transitions.
    End,
}

impl<'a> RightLinear<'a> {
    /// Prepares the split of an automaton into rules. The final state must be reachable from every
    /// target of a transition. `allowed` limits the states of each rule.
    pub fn new(nfa: &'a Nfa, allowed: StateBudget<'a>) -> Self {
        Self { nfa, allowed, subsets: Subsets::new(nfa, allowed) }
    }

    /// Builds the rule that accepts what the automaton accepts from the state `of`. With `None`,
    /// builds the rule for its initial state, which accepts the automaton's whole language. `call`
    /// returns the symbol with which a rule calls the rule of a given state. The caller then has to
    /// build that rule too.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the rule has too many states.
    pub fn rule(
        &mut self,
        of: Option<u32>,
        mut call: impl FnMut(u32) -> Symbol,
    ) -> Result<Dfa, StateLimit> {
        let first = match of {
            Some(state) => self.subsets.number_of_member(state),
            None => match self.subsets.number(&[self.nfa.start]) {
                Some(first) => first,
                None => return Ok(Dfa::never()),
            },
        };
        let mut order: IndexSet<State, FxBuildHasher> = IndexSet::default();
        order.insert(State::Subset(first));
        let mut states = Vec::new();
        while let Some(&state) = order.get_index(states.len()) {
            states.push(match state {
                State::End => DfaState { accepting: true, ..DfaState::default() },
                State::Subset(subset) => {
                    let mut target = |state| order.insert_full(state).0 as u32;
                    match *self.subsets.members(subset as usize) {
                        [state] => self.step(state, &mut target)?,
                        ref members => {
                            let members = members.to_vec();
                            self.choice(&members, &mut call, target(State::End))
                        }
                    }
                }
            });
            if order.len() > self.allowed.states {
                return Err(self.allowed.error());
            }
        }
        Ok(Dfa { states })
    }

    /// Returns the rule's state that corresponds to the single automaton state `state`. The
    /// transitions read symbols. `target` returns the number of a state in the rule, and adds the
    /// state if it is new.
    fn step(
        &mut self,
        state: u32,
        target: &mut impl FnMut(State) -> u32,
    ) -> Result<DfaState, StateLimit> {
        let mut moves: Vec<Edge> = self.nfa.edges(state).collect();
        moves.sort_unstable();
        let mut found = DfaState { accepting: state == self.nfa.end, ..DfaState::default() };
        let (subsets, allowed) = (&mut self.subsets, self.allowed);
        Pieces::with_capacity(moves.len()).cut(&moves, |lo, hi, targets: &[u32]| {
            if let Some(subset) = subsets.number(targets) {
                found.add(Edge { lo, hi, target: target(State::Subset(subset)) });
            }
            allowed.spend(targets.len())
        })?;
        Ok(found)
    }

    /// Returns the rule's state that corresponds to a set of several automaton states, `members`.
    /// Its transitions call the rule of each member and lead to the state `end`. Members without
    /// transitions on symbols need no call.
    fn choice(&self, members: &[u32], call: &mut impl FnMut(u32) -> Symbol, end: u32) -> DfaState {
        let called = members.iter().filter(|&&member| self.nfa.has_edges(member));
        let mut symbols: Vec<Symbol> = called.map(|&member| call(member)).collect();
        symbols.sort_unstable();
        let accepting = members.contains(&self.nfa.end);
        let mut found = DfaState { accepting, ..DfaState::default() };
        symbols.iter().for_each(|&symbol| found.add(Edge { lo: symbol, hi: symbol, target: end }));
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::automata::determinize;

    /// Whether the rules of an automaton derive a text, found by following all parses at once.
    fn derives(nfa: &Nfa, text: &[u8]) -> bool {
        let mut rules = RightLinear::new(nfa, StateBudget::of(1 << 12));
        let mut called: IndexSet<Option<u32>> = IndexSet::from([None]);
        let mut automata = Vec::new();
        while let Some(&of) = called.get_index(automata.len()) {
            let call = |state| 256 + called.insert_full(Some(state)).0 as Symbol;
            automata.push(rules.rule(of, call).expect("it is small"));
        }
        // Pairs of a rule and a state of the rule, closed under calls. Nothing follows a call.
        let close = |at: &mut IndexSet<(usize, u32)>| {
            let mut next = 0;
            while let Some(&(rule, state)) = at.get_index(next) {
                next += 1;
                for edge in &automata[rule].states[state as usize].edges {
                    (edge.lo.max(256)..=edge.hi).for_each(|symbol| {
                        at.insert((symbol as usize - 256, 0));
                    });
                }
            }
        };
        let mut at = IndexSet::from([(0, 0)]);
        close(&mut at);
        for &byte in text {
            let next = at.iter().filter_map(|&(rule, state)| {
                Some((rule, automata[rule].next(state, Symbol::from(byte))?))
            });
            at = next.collect();
            close(&mut at);
        }
        at.iter().any(|&(rule, state)| automata[rule].states[state as usize].accepting)
    }

    proptest! {
        #[test]
        fn rules_derive_what_the_automaton_accepts(
            edges in prop::collection::vec((0u32..9, 0u32..3, 0u32..3, 0u32..9), 0..24),
            empties in prop::collection::vec((0u32..9, 0u32..9), 0..5),
            texts in prop::collection::vec(prop::collection::vec(b'a'..=b'c', 0..8), 20),
        ) {
            let mut nfa = Nfa::new();
            (2..9).for_each(|_| _ = nfa.state());
            for (from, one, other, to) in edges {
                nfa.edge(from, 97 + one.min(other), 97 + one.max(other), to);
            }
            empties.iter().for_each(|&(from, to)| nfa.empty(from, to));
            let dfa = determinize(&nfa, StateBudget::of(1 << 12)).expect("it is small");
            let live = nfa.without_dead();
            for text in texts {
                prop_assert_eq!(derives(&live, &text), dfa.accepts(&text), "{:?}", text);
            }
        }
    }
}
